// What topics and sources of a fleet share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "async/timer_queue.hpp"
#include "fleet/fleet.hpp"
#include "fleet/rules/poll_pace.hpp"
#include "fleet/topic_state.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::fleet {

using ResolverMaker = std::function<Result<std::shared_ptr<ClusterResolver>>(Runtime runtime, const std::string& target)>;

class FleetCore : public std::enable_shared_from_this<FleetCore> {
 public:
  FleetCore(Runtime for_all, FleetOptions how, ResolverMaker maker);
  ~FleetCore();

  Result<std::shared_ptr<TopicState>> topic(const Target& target);
  /// Has a source follow it, if none does.
  void follow(TopicState& topic);
  /// By a source that ends.
  void forget(const Source& source);
  /// The same, by one that ended before its time: its topics are told why, and are not followed until somebody listens anew.
  void abandon(const Source& source, const Failure& why);
  /// True once `bytes` more fit into the memory for the status of `topic`: others may have given theirs back for it. False: nothing has
  /// changed.
  bool make_memory(const TopicState& topic, std::size_t bytes);
  void close();
  FallbackSchedule fallback_schedule() const;
  /// Of the project that a source of this key asks, shared by all its sources.
  std::shared_ptr<ProjectQuota> quota_of(std::string_view source);
  std::vector<SourceFacts> sources() const;

  bool is_closed() const noexcept { return is_closed_; }
  std::uint64_t revision() const noexcept { return revision_; }
  std::uint64_t next_revision() noexcept { return ++revision_; }
  const std::map<std::string, std::shared_ptr<TopicState>>& topics() const noexcept { return topics_; }
  /// Sources of services that tell of changes themselves.
  std::size_t watch_sources() const noexcept { return watch_sources_; }

  const Runtime runtime;
  const FleetOptions options;
  const std::string instance;
  /// Of what is known of all targets: not the account that answers are read with, so that a fleet which is full can still look.
  const std::shared_ptr<MemoryAccount> memory;

 private:
  void tidy();
  void tidy_later();
  bool make_room();
  static void unfollow(TopicState& topic);

  ResolverMaker maker_;
  std::map<std::string, std::shared_ptr<TopicState>> topics_;  // by text
  std::map<std::string, std::shared_ptr<Source>> sources_;     // by key
  std::map<std::string, std::shared_ptr<ProjectQuota>> quotas_;  // by quota_key()
  std::size_t watch_sources_ = 0;
  std::uint64_t revision_ = 0;
  std::size_t made_topics_ = 0;
  bool is_closed_ = false;
  Timer tidying_;
  mutable FallbackSchedule fallback_schedule_;  // as of fallback_schedule_at_: beats of thousands of streams have it
  mutable std::optional<SteadyTime> fallback_schedule_at_;
};

/// Of the quota that a source of this key asks by, what all direct askers together may use.
int polls_per_minute_at(std::string_view source, const FleetOptions& options);
/// Eight hexadecimal digits by chance: of an instance.
std::string random_id(Runtime::Impl& runtime);

/// As make_fleet(), with resolvers of the caller's own.
std::shared_ptr<Fleet> make_fleet(Runtime runtime, FleetOptions options, ResolverMaker maker);

}  // namespace rollcall::fleet
