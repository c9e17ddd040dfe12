// A topic inside: the results of its source, and its listeners.
#pragma once

#include <asio/awaitable.hpp>

#include "fleet/rules/memory_shares.hpp"
#include "fleet/rules/recent_changes.hpp"
#include "fleet/topic.hpp"
#include "fleet/topic_listeners.hpp"
#include "json/memory_share.hpp"
#include "readiness/rules/what_ends.hpp"
#include "readiness/wait_judge.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

class FleetCore;
class Source;

/// The result of a poll.
enum class PollOutcome {
  same,      ///< nothing new
  changed,
  unconfirmed,   ///< contradicts what was known, and the next poll must agree
  absent,    ///< the target does not exist
  lasting,   ///< another poll cannot change it
  trouble,   ///< no answer
  slowed,    ///< the same, because there were too many requests
};

/// The difference between two statuses. Suspends where there are many members.
asio::awaitable<StatusStep> status_step(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at);
/// The memory that a status takes; approximate.
std::size_t memory_of_all(const ClusterStatus& status);

bool is_same_spec(const Result<ClusterSpec>& a, const Result<ClusterSpec>& b);

/// When the source polls a topic.
class PollPlan {
 public:
  PollPlan() {}
  bool has_own_time = false;                  ///< and does not follow the source's pace
  SteadyTime not_before = SteadyTime::min();  ///< that time, or the end of the pause after a poll
  bool is_cooling_down =
      false;  ///< refresh requests wait for it, too: nothing is there, it failed for good, or there were too many requests
  bool is_new = true;  ///< not polled since it was followed, or since a spec was wanted
  bool is_refresh_requested = false;  ///< see Topic::refresh_soon()
  bool is_asked = false;  ///< a poll is under way
  bool is_left = false;  ///< the last round had no room for it
  SteadyTime asked_at = SteadyTime::min();  ///< the last poll
  std::optional<SteadyTime> asked_from;  ///< the first poll since it is followed
  std::optional<SteadyTime> absent_from;  ///< since when polls find nothing; none: they find something
  std::optional<SteadyTime> silent_from;  ///< when the topic reports that the answer is late; none: it has reported that
  PollPatience patience;
};

class TopicState final : public Topic, public std::enable_shared_from_this<TopicState> {
 public:
  /// `number`: counts topics in the order of their creation.
  TopicState(std::shared_ptr<FleetCore> core, Target target, std::shared_ptr<ClusterResolver> resolver, std::size_t number);

  const std::string& target() const noexcept override { return text_; }
  const Known& known() const noexcept override { return known_; }
  std::optional<StatusDelta> since(std::uint64_t revision) const override;
  const std::deque<PhaseChange>& history() const noexcept override { return history_; }
  bool is_followed() const noexcept override { return !source.expired(); }
  std::size_t listeners() const noexcept override { return listeners_.followers(); }
  void listen(TopicListener& listener) override;
  void refresh_soon() override;
  void name(const std::string& client) override;

  const Target& parsed() const noexcept { return parsed_; }
  /// Its part of the fleet's memory.
  MemoryClaim claim() const noexcept;
  /// Gives up the memory of its status; `why` is its trouble from then on.
  void give_way(const Failure& why);
  const std::shared_ptr<ClusterResolver>& resolver() const noexcept { return resolver_; }
  bool has_listeners() const noexcept { return !listeners_.empty(); }
  bool wants_spec() const noexcept { return listeners_.want_spec(); }
  /// True if a listener wants the spec, and there was no call for it since the status changed.
  bool needs_spec() const noexcept;

  // Results from the source. `began`: when the poll began that they come from.

  /// Throws only when cancelled, and then nothing has changed. One call at a time; a second one is dropped.
  /// `may_be_unconfirmed`: true if two polls must agree that a ready member is gone for which there is no reason.
  asio::awaitable<PollOutcome> take(ClusterStatus status, SteadyTime began, bool may_be_unconfirmed);
  PollOutcome take_failure(const Failure& failure, SteadyTime began, bool may_be_unconfirmed);
  void take_trouble(const Failure& failure);
  /// `status_revision`: at the begin of the call for the spec.
  void take_spec(Result<ClusterSpec> spec, std::uint64_t status_revision, SteadyTime began, std::uint64_t generation);
  std::uint64_t status_revision() const noexcept { return status_revision_; }
  /// A poll has shown what is known already.
  void take_sameness(SteadyTime began);

  // State of the fleet and of the source for this topic.
  PollPlan plan;
  std::weak_ptr<Source> source;  ///< while it is followed
  std::optional<SteadyTime> left_at;  ///< since when it has no listeners

 private:
  asio::awaitable<PollOutcome> take_alone(ClusterStatus status, SteadyTime began, bool may_be_unconfirmed);
  void publish(std::shared_ptr<ClusterStatus> status, StatusStep step, const WaitVerdict& verdict, SteadyTime began);
  void note_history(const WaitVerdict& verdict);
  void end_trouble(SteadyTime began);
  void notify();
  bool is_closed() const noexcept;
  Duration age_of_spec() const noexcept;

  bool charge(std::size_t bytes);

  std::weak_ptr<FleetCore> core_;
  Target parsed_;
  std::string resource_;
  std::size_t number_;
  std::vector<std::string> namers_;  // the last few
  std::string text_;
  std::shared_ptr<ClusterResolver> resolver_;
  Known known_;
  std::shared_ptr<ClusterStatus> own_status_;  // known_.status; it is freed in several turns of the loop
  std::uint64_t status_revision_ = 0;
  std::uint64_t spec_of_ = 0;  // status_revision_ at the begin of the call for the spec
  Unconfirmed unconfirmed_;  // members that the last poll lacked
  bool is_taking_ = false;
  RecentChanges recent_;
  std::deque<PhaseChange> history_;
  MemoryShare memory_;  // of the status and recent_
  TopicListeners listeners_;
};

}  // namespace rollcall::fleet
