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
};

class OwnedTarget final : public TopicListener {
 public:
  /// `topic`: of the fleet that asks. `on_news`: there may be something to write.
  OwnedTarget(std::shared_ptr<Topic> topic, std::string id, std::string source, std::uint64_t epoch, std::function<void()> on_news);

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

  /// Fenced: it writes only if the source is still of this epoch, and the head as it was when it was read. `copy`: what the store has, as
  /// far as this replica has heard. Suspends where there is much. Errors: limit_exceeded: more than one transaction takes.
  asio::awaitable<Result<PlannedWrite>> plan(const StoreKeys& keys, const CopyTopic* copy, SteadyTime now, std::size_t most_writes,
                                             std::size_t most_bytes);
  void written(PlannedWrite write, std::uint64_t revision);
  /// The head was another one than thought: that is how it is. All of it is written anew.
  void refused(std::uint64_t head_revision);

  /// False: what the store has is not known to this replica yet, but will be.
  bool may_plan(const CopyTopic* copy) const noexcept {
    return is_base_known_ || head_revision_ == 0 || (copy && copy->head_revision() >= head_revision_);
  }
  /// When the last look began whose result the store has; none: there was none in this epoch.
  std::optional<SteadyTime> looked_at() const noexcept { return settled_at_; }
  const Known& known() const noexcept { return topic_->known(); }
  int failures() const noexcept { return failures_; }  ///< looks in a row without an answer
  /// Somebody wants something else of it.
  void follow_again() {
    if (is_linked()) unlink();
    topic_->listen(*this);
  }
  void wish() { topic_->look_soon(); }

 private:
  asio::awaitable<Result<void>> add_members(const StoreKeys& keys, const ClusterStatus& status, PlannedWrite& write);
  void add_history(HeadRecord& head) const;

  std::shared_ptr<Topic> topic_;
  std::string id_;
  std::string source_;
  std::string source_id_;
  std::uint64_t epoch_;
  std::function<void()> on_news_;

  // What the store has, by this replica's own writes, or as its copy had it when the source was claimed.
  bool has_written_ = false;
  bool is_base_known_ = false;  // that the store has just these members
  std::shared_ptr<const ClusterStatus> base_;
  HeadRecord head_;
  std::uint64_t head_revision_ = 0;
  std::shared_ptr<const Result<ClusterSpec>> base_spec_;
  std::uint64_t known_revision_ = 0;  // of the inner topic, when that was written
  std::uint64_t known_spec_revision_ = 0;
  std::optional<SteadyTime> settled_at_;
  int failures_ = 0;
  std::optional<SteadyTime> answered_at_;
};

inline constexpr Duration shortest_commit_pause = std::chrono::milliseconds(200);  ///< between two writes of one target

}  // namespace rollcall::fleet
