// The state that topics and sources of a fleet share.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "async/timer_queue.hpp"
#include "fleet/fleet.hpp"
#include "fleet/rules/project_quota.hpp"
#include "fleet/topic_state.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::fleet {

using ResolverMaker = std::function<Result<std::shared_ptr<ClusterResolver>>(Runtime runtime, const std::string& target)>;

class FleetCore : public std::enable_shared_from_this<FleetCore> {
 public:
  /// `of_epoch`: see Position.
  FleetCore(Runtime for_all, FleetOptions how, ResolverMaker maker, std::uint64_t of_epoch);
  ~FleetCore();

  Result<std::shared_ptr<TopicState>> topic(const Target& target);
  /// Adds the topic to its source, which is started if needed.
  void follow(TopicState& topic);
  /// Called by a source that ends.
  void forget(const Source& source);
  /// Called by a source that ends early: its topics report why, and are not followed until they have a new listener.
  void abandon(const Source& source, const Failure& why);
  /// True if `bytes` more fit into the memory for the status of `topic`; other topics may have given up theirs. False: nothing has
  /// changed.
  bool make_memory(const TopicState& topic, std::size_t bytes);
  void close();
  FallbackSchedule fallback_schedule() const;
  /// The quota of the project of this source's key, shared by all its sources.
  std::shared_ptr<ProjectQuota> quota_of(std::string_view source);
  std::vector<SourceFacts> sources() const;

  bool is_closed() const noexcept { return is_closed_; }
  std::uint64_t revision() const noexcept { return revision_; }
  std::uint64_t next_revision() noexcept { return ++revision_; }
  const std::map<std::string, std::shared_ptr<TopicState>>& topics() const noexcept { return topics_; }
  /// The number of sources whose services report changes themselves.
  std::size_t watch_sources() const noexcept { return watch_sources_; }

  const Runtime runtime;
  const FleetOptions options;
  const std::uint64_t epoch;
  /// For what is known of all targets. It is not the account for reading answers, so that a fleet without free memory can still poll.
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
  mutable FallbackSchedule fallback_schedule_;  // as of fallback_schedule_at_; used by the heartbeats of thousands of streams
  mutable std::optional<SteadyTime> fallback_schedule_at_;
};

inline constexpr std::size_t max_target_bytes = 4096;
/// The resolver of a target with this text. Errors: limit_exceeded (a longer text); those of `maker`.
Result<std::shared_ptr<ClusterResolver>> make_bounded(const ResolverMaker& maker, const Runtime& runtime, const std::string& text);
/// The refusal of another target where `known` are known.
Failure too_many_targets(std::size_t known);
/// The part of this source's quota that all clients together may use when they ask the cloud directly.
int polls_per_minute_at(std::string_view source, const FleetOptions& options);
/// The epoch of a service that starts now and is alone: the seconds since 1970, so that a restart begins a later epoch.
std::uint64_t epoch_of_start(Runtime::Impl& runtime);

/// As make_fleet(), with resolvers from the caller.
std::shared_ptr<Fleet> make_fleet(Runtime runtime, FleetOptions options, ResolverMaker maker);

}  // namespace rollcall::fleet
