// What a replica knows of one target: what the store says, and nothing else.
#pragma once

#include <asio/awaitable.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/replicas/rules/revision_clock.hpp"
#include "fleet/replicas/wire/records.hpp"
#include "fleet/rules/recent_changes.hpp"
#include "fleet/topic.hpp"
#include "fleet/topic_listeners.hpp"
#include "json/memory_share.hpp"
#include "rollcall/target.hpp"
#include "store/store.hpp"

namespace rollcall::fleet {

class CopyTopic;

/// Who is told what listeners want of a topic.
class CopyHost {
 public:
  virtual ~CopyHost() = default;
  /// Somebody listens where nobody did, or wants a spec that nobody wanted.
  virtual void on_listener(CopyTopic& topic) = 0;
  virtual void on_wish(CopyTopic& topic) = 0;
  /// By some replica, as the store says.
  virtual bool is_wanted(const CopyTopic& topic) const = 0;
};

/// What the store has of one target, all as of one revision: all of it, or what changed.
class StatusEntries {
 public:
  StatusEntries() {}
  std::optional<store::Entry> head;
  std::map<std::size_t, std::string> chunks;  ///< packed
  std::optional<std::string> spec;            ///< packed
  bool is_all = false;
  const RevisionClock* clock = nullptr;  ///< by which it has an age
};

class CopyTopic final : public Topic, public std::enable_shared_from_this<CopyTopic> {
 public:
  CopyTopic(std::weak_ptr<CopyHost> host, std::string id, Target target, std::shared_ptr<MemoryAccount> memory);

  const std::string& target() const noexcept override { return text_; }
  const Known& known() const noexcept override { return known_; }
  std::optional<StatusDelta> since(std::uint64_t revision) const override;
  const std::deque<PhaseChange>& history() const noexcept override { return history_; }
  std::size_t listeners() const noexcept override { return listeners_.followers(); }
  bool is_followed() const noexcept override;
  void listen(TopicListener& listener) override;
  void refresh_soon() override;

  const std::string& id() const noexcept { return id_; }
  const Target& parsed() const noexcept { return parsed_; }
  bool has_listeners() const noexcept { return !listeners_.empty(); }
  bool wants_spec() const noexcept { return listeners_.want_spec(); }

  /// The store's entries, in the order of their revisions. Suspends where there is much. Errors: malformed_response, limit_exceeded: the
  /// entries cannot be read, or do not follow from those before them; the copy is as it was.
  asio::awaitable<Result<void>> take(StatusEntries entries, const ParseLimits& limits, SteadyTime now);
  /// The store has nothing of it any more.
  void lose(std::uint64_t revision);
  /// The owner looked at it then.
  void take_poll(SteadyTime at);
  /// Trouble that this replica alone has to tell; empty: none.
  void mark(const std::string& own_trouble);
  void tell();

  // What a replica's other parts want to know of it.
  const HeadRecord& head() const noexcept { return head_; }
  const std::string& source_id() const noexcept { return source_id_; }  ///< of the head's source
  std::uint64_t head_revision() const noexcept { return head_revision_; }  ///< of the head's last write; 0: none
  std::size_t chunks() const noexcept;  ///< that the head speaks of
  /// Of a head that made no sense; 0: all did.
  std::uint64_t strange_revision() const noexcept { return strange_revision_; }
  void note_strange(std::uint64_t revision) noexcept { strange_revision_ = std::max(strange_revision_, revision); }
  /// The store has nothing of it but a word that says so.
  bool is_gone() const noexcept { return head_revision_ != 0 && head_.target.empty(); }

  // What the replica keeps here.
  bool is_wanted_here = false;
  bool is_spec_wanted_here = false;  ///< as was written of it
  std::optional<SteadyTime> left_at;  ///< since when nobody was seen to listen
  std::optional<SteadyTime> unfollowed_at;

 private:
  Result<std::shared_ptr<ClusterStatus>> status_of(const HeadRecord& head, const StatusEntries& entries, const ParseLimits& limits) const;
  using SpecPointer = std::shared_ptr<const Result<ClusterSpec>>;
  Result<SpecPointer> spec_of(const HeadRecord& head, const StatusEntries& entries, std::uint64_t revision,
                              const ParseLimits& limits) const;
  Result<void> charge(const std::shared_ptr<ClusterStatus>& status);
  void take_history();
  void set_trouble();

  std::weak_ptr<CopyHost> host_;
  std::string id_;
  Target parsed_;
  std::string text_;
  Known known_;
  std::string own_trouble_;
  HeadRecord head_;  // without its status
  std::string source_id_;
  std::uint64_t head_revision_ = 0;
  std::uint64_t strange_revision_ = 0;
  RecentChanges recent_;
  std::deque<PhaseChange> history_;
  MemoryShare memory_;
  TopicListeners listeners_;
};

/// How many chunks so many members take.
constexpr std::size_t chunks_of(std::size_t members) { return (members + members_a_chunk - 1) / members_a_chunk; }

}  // namespace rollcall::fleet
