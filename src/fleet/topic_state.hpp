// A topic inside: what its source found out, and how listeners are told.
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

/// What became of a look.
enum class PollOutcome {
  same,      ///< it showed nothing new
  changed,
  unconfirmed,   ///< it contradicts what was known, and the next look has to agree
  absent,    ///< the target does not exist
  lasting,   ///< asking again cannot mend it
  trouble,   ///< it had no answer
  slowed,    ///< the same, since there were too many questions
};

/// What is different between two statuses. Suspends where there are many members.
asio::awaitable<StatusStep> status_step(const ClusterStatus& before, const ClusterStatus& now, SteadyTime at);
/// What a status takes in memory, about.
std::size_t memory_of_all(const ClusterStatus& status);

bool is_same_spec(const Result<ClusterSpec>& a, const Result<ClusterSpec>& b);

/// When its source is to look at a topic.
class PollPlan {
 public:
  PollPlan() {}
  bool has_own_time = false;                  ///< which is not the source's
  SteadyTime not_before = SteadyTime::min();  ///< that time, or that of the rest after a look
  bool is_cooling_down = false;  ///< wishes wait for it, too: nothing is there, it failed for good, or too much was asked
  bool is_new = true;  ///< nobody has looked since it was followed, or since a spec was wanted
  bool is_refresh_requested = false;  ///< see Topic::refresh_soon()
  bool is_asked = false;  ///< now
  bool is_left = false;  ///< the last round had no room for it
  SteadyTime asked_at = SteadyTime::min();  ///< the last time
  std::optional<SteadyTime> asked_from;  ///< the first time since it is followed
  std::optional<SteadyTime> absent_from;  ///< since when nothing is there, as looks say; none: something is
  std::optional<SteadyTime> silent_from;  ///< when an answer that has not come by then is told to be late; none: it was told
  PollPatience patience;
};

class TopicState final : public Topic, public std::enable_shared_from_this<TopicState> {
 public:
  /// `number`: in the order in which topics are made.
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
  /// What it takes in the memory of the fleet.
  MemoryClaim claim() const noexcept;
  /// Gives back what its status takes; `why` is its trouble from then on.
  void give_way(const Failure& why);
  const std::shared_ptr<ClusterResolver>& resolver() const noexcept { return resolver_; }
  bool has_listeners() const noexcept { return !listeners_.empty(); }
  bool wants_spec() const noexcept { return listeners_.want_spec(); }
  /// True if a listener wants the spec, and it was not asked for since the status changed.
  bool needs_spec() const noexcept;

  // What a source tells. `began`: when the look began that it comes from.

  /// Errors: none; what is thrown is a cancellation, and then nothing has changed. One at a time; another one is dropped.
  /// `may_be_unconfirmed`: whether a member that was ready and is forgotten, without a word about it, has to be so in two looks.
  asio::awaitable<PollOutcome> take(ClusterStatus status, SteadyTime began, bool may_be_unconfirmed);
  PollOutcome take_failure(const Failure& failure, SteadyTime began, bool may_be_unconfirmed);
  void take_trouble(const Failure& failure);
  /// `status_revision`: as it was when the spec was asked for.
  void take_spec(Result<ClusterSpec> spec, std::uint64_t status_revision, SteadyTime began, std::uint64_t generation);
  std::uint64_t status_revision() const noexcept { return status_revision_; }
  /// A look has shown what is known already.
  void take_sameness(SteadyTime began);

  // What the fleet and the source keep here.
  PollPlan plan;
  std::weak_ptr<Source> source;  ///< while it is followed
  std::optional<SteadyTime> left_at;  ///< since when nobody was seen to listen

 private:
  asio::awaitable<PollOutcome> take_alone(ClusterStatus status, SteadyTime began, bool may_be_unconfirmed);
  void publish(std::shared_ptr<ClusterStatus> status, StatusStep step, const WaitVerdict& verdict, SteadyTime began);
  void note_history(const WaitVerdict& verdict);
  void end_trouble(SteadyTime began);
  void tell();
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
  std::shared_ptr<ClusterStatus> own_status_;  // known_.status: to be freed in turns
  std::uint64_t status_revision_ = 0;
  std::uint64_t spec_of_ = 0;  // status_revision_ when the spec was asked for
  Unconfirmed unconfirmed_;  // of what the last look forgot
  bool is_taking_ = false;
  RecentChanges recent_;
  std::deque<PhaseChange> history_;
  MemoryShare memory_;  // of the status and recent_
  TopicListeners listeners_;
};

}  // namespace rollcall::fleet
