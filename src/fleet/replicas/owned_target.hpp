// A target of a source that this replica owns: what the clouds say of it here, and what of that the store has.
#pragma once

#include <asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "fleet/replicas/copies.hpp"
#include "fleet/topic.hpp"
#include "store/store.hpp"

namespace rollcall::fleet {

/// What a commit is to write, and what is so once it is written.
class PlannedWrite {
 public:
  PlannedWrite() {}
  store::Transaction transaction;
  Known known;      ///< what the inner topic knew
  std::shared_ptr<const Result<ClusterSpec>> spec;  ///< that the store has then
  HeadRecord head;  ///< with revisions as they are written
  std::size_t bytes = 0;
  bool tells_less = false;  ///< than what is known, since that is too much
};

class OwnedTarget final : public TopicListener {
 public:
  /// `topic`: of the fleet that asks. `claimed_at`: since then this replica owns the source; what it saw before is not told. `on_news`:
  /// there may be something to write.
  OwnedTarget(std::shared_ptr<Topic> topic, std::string id, std::string source, std::uint64_t epoch, SteadyTime claimed_at,
              std::function<void()> on_news);

  void on_topic() noexcept override;
  bool wants_spec() const noexcept override { return needs_spec; }

  const std::string& id() const noexcept { return id_; }
  /// True if the store has to be told more than how old it is.
  bool has_news() const noexcept;
  /// Until then nothing is written; see shortest_commit_pause.
  SteadyTime not_before{};
  bool is_writing = false;
  /// The wishes of replicas that were passed on.
  std::map<std::string, std::uint64_t> wishes;
  bool needs_spec = false;
  /// By some replica. Else the store is told that it is not followed, so that no beat makes it younger, and it can go then.
  bool is_wanted = true;
  /// The store may say that it is followed.
  bool may_be_told_followed() const noexcept { return may_be_told_followed_; }

  /// `as_of`: the highest revision of the store that was heard of. Fenced: it writes only if the source is still of this epoch, and the
  /// head as it was when it was read. `copy`: what the store has, as far as this replica has heard. Suspends where there is much. What is
  /// more than one transaction takes is told as trouble, and what was known before stays. Errors: limit_exceeded: even that is too much.
  asio::awaitable<Result<PlannedWrite>> plan(const StoreKeys& keys, const CopyTopic* copy, SteadyTime now, std::uint64_t as_of,
                                             std::size_t most_writes, std::size_t max_bytes);
  void written(PlannedWrite write, std::uint64_t revision);
  /// The store does not take it, for its size: that is told instead, until something else is known.
  void too_large(const Failure& why, std::uint64_t known_revision);
  /// The head was another one than thought: that is how it is; none: there is none. All of it is written anew.
  void refused(const store::Entry* head, SteadyTime now);

  /// The store has an entry that no replica can read: all is written once more, over it.
  void write_over(std::uint64_t strange_revision) noexcept { has_written_ = has_written_ && strange_revision <= head_revision_; }

  /// False: this replica has not read yet what the store has, but will. After strange_from() it does not wait for that any longer.
  bool may_plan(const CopyTopic* copy, SteadyTime now) const noexcept {
    if (is_base_known_ || head_revision_ == 0 || (copy && copy->head_revision() >= head_revision_)) return true;
    return now >= strange_from() && (known().status || known().failure);
  }
  /// After this time, an entry of the store that this replica could not read is taken for an entry that no replica can read, and is
  /// written over.
  SteadyTime strange_from() const noexcept;
  /// When the last look began whose result the store has; none: there was none in this epoch.
  std::optional<SteadyTime> polled_at() const noexcept { return settled_at_; }
  const Known& known() const noexcept { return topic_->known(); }
  int failures() const noexcept { return failures_; }  ///< looks in a row without an answer
  /// Somebody wants something else of it.
  void follow_again() {
    if (is_linked()) unlink();
    topic_->listen(*this);
  }
  /// A spec that was refused is asked for anew, too.
  void wish() {
    if (needs_spec) follow_again();
    topic_->refresh_soon();
  }

 private:
  asio::awaitable<Result<PlannedWrite>> plan_known(Known known, const StoreKeys& keys, SteadyTime now, std::uint64_t as_of,
                                                   std::size_t most_writes, std::size_t max_bytes);
  void take_base(const CopyTopic* copy);
  /// True if what the topic knows is of the time before the source was claimed: others may have seen something newer.
  bool is_known_from_before() const noexcept;
  /// Of the inner topic; another number for what was known before the claim, so that the same is told once it is seen again.
  std::uint64_t revision() const noexcept;
  std::uint64_t spec_revision() const noexcept;
  Known known_to_tell() const;
  asio::awaitable<Result<void>> add_members(const StoreKeys& keys, const ClusterStatus& status, PlannedWrite& write);
  void add_history(HeadRecord& head) const;

  std::shared_ptr<Topic> topic_;
  std::string id_;
  std::string source_;
  std::string source_id_;
  std::uint64_t epoch_;
  SteadyTime claimed_at_;
  std::function<void()> on_news_;

  // What the store has, by this replica's own writes, or as its copy had it when the source was claimed.
  bool has_written_ = false;
  bool is_base_known_ = false;  // that the store has just these members
  std::shared_ptr<const ClusterStatus> base_;
  HeadRecord head_;
  std::uint64_t head_revision_ = 0;
  std::shared_ptr<const Result<ClusterSpec>> base_spec_;
  std::uint64_t known_revision_ = 0;  // see revision(), when that was written
  std::uint64_t known_spec_revision_ = 0;
  std::optional<SteadyTime> settled_at_;
  bool may_be_told_followed_ = false;
  bool tells_less_ = false;  // than is known: it is too much
  std::optional<Failure> too_large_;
  std::uint64_t too_large_revision_ = 0;  // of the inner topic
  SteadyTime refused_at_{};
  int failures_ = 0;
  std::optional<SteadyTime> answered_at_;
};

inline constexpr Duration shortest_commit_pause = std::chrono::milliseconds(200);  ///< between two writes of one target
inline constexpr Duration patience_with_copy = std::chrono::seconds(20);  ///< longer than a watch is silent before another one is opened

}  // namespace rollcall::fleet
