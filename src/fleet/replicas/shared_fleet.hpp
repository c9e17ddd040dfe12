// The fleet of one of several replicas of a service: the one that holds the lease polls the clouds, and the others follow it by a stream.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/async_event.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/replica_desk.hpp"
#include "fleet/replicas/leader_stream.hpp"
#include "fleet/replicas/peer_link.hpp"
#include "fleet/replicas/replica_feed.hpp"
#include "fleet/replicas/shared_topic.hpp"
#include "lease/elector.hpp"

namespace rollcall::fleet {

inline constexpr Duration trouble_without_leader_after = std::chrono::seconds(5);  ///< followers are informed then
inline constexpr Duration unready_without_leader_after = std::chrono::seconds(30);

class SharedFleet final : public Fleet,
                          public ReplicaDesk,
                          public TopicHost,
                          public LeaderListener,
                          public std::enable_shared_from_this<SharedFleet> {
 public:
  /// `id`: of this replica, as the elector has it. `schema`: the highest that it speaks with the others.
  SharedFleet(Runtime runtime, FleetOptions options, ResolverMaker maker, std::shared_ptr<lease::Elector> elector, std::string id,
              PeerFiles files, int schema);

  /// Until close().
  void start();

  // The fleet.
  Result<std::shared_ptr<Topic>> topic(const Target& target) override;
  std::vector<std::shared_ptr<Topic>> topics() const override;
  bool has_topic(const Target& target) const override;
  std::vector<SourceFacts> sources() const override;
  std::optional<ReplicaNumbers> replica_numbers() const override;
  FleetReplicas replicas() const override;
  Position position() const override;
  FallbackSchedule fallback_schedule() const override;
  std::size_t memory_bytes() const noexcept override { return memory_->used() + (core_ ? core_->memory->used() : 0); }
  const Runtime& runtime() const noexcept override { return runtime_; }
  std::string fault() const override;
  void serves_at(const std::string& url) override { elector_->serves_at(url); }
  bool polls() const override { return core_ != nullptr; }
  ReplicaDesk* replica_desk() override { return this; }
  asio::awaitable<void> leave() override;
  void close() override;

  // For the other replicas, in shared_desk.cpp.
  Result<void> check_leads() const override;
  asio::awaitable<void> feed(std::string replica, int schema, ReplicaLine& line) override;
  Result<void> take_wanted(std::string_view json) override;

 private:
  // Of the topics.
  void on_wanted(SharedTopic& topic) override;
  void on_change(SharedTopic& topic) override;
  bool may_show() const override { return core_ && leads(); }
  // Of the leader's stream.
  Result<void> on_hello(std::uint64_t epoch) override;
  std::shared_ptr<SharedTopic> topic_of(const std::string& target) override;
  void on_gone(SharedTopic& topic) override { topic.note_followed(false); }
  void on_reached(const Position& position, ReachedDocument document, SteadyTime sent_at) override;
  WantedDocument wanted() override;

  asio::awaitable<Result<void>> run(Call& call);
  asio::awaitable<Result<void>> follow(Call& call, lease::LeaseRecord leader);
  asio::awaitable<Result<void>> until_changed(lease::LeaseRecord leader);
  bool leads() const { return !is_closed_ && elector_->leads() && (!core_ || elector_->epoch() == core_->epoch); }
  void begin_to_lead();
  void stop_leading();
  void lead(SharedTopic& topic);
  void look_after();
  void look_after_later();
  void tidy();
  void mark_topics();
  bool is_wanted_here(const SharedTopic& topic) const;
  bool make_room();
  std::shared_ptr<SharedTopic> add(Target target);
  void forget_wanted(const std::string& replica);
  ReachedDocument reached() const;
  Age view_age() const { return core_ ? Age(Milliseconds(0)) : age_at(reached_at_, now()); }
  std::string lack_of_leader() const;
  SteadyTime now() const { return impl_of(runtime_).time->now(); }

  const Runtime runtime_;
  const FleetOptions options_;
  const ResolverMaker maker_;
  const std::shared_ptr<lease::Elector> elector_;
  const std::string id_;
  const int schema_;
  PeerLink link_;
  const std::shared_ptr<MemoryAccount> memory_;  // of what the leader says
  SharedTopics topics_;
  std::uint64_t last_number_ = 0;
  asio::cancellation_signal signal_;
  Timer looking_after_;
  bool is_closed_ = false;
  bool is_leaving_ = false;

  // While it leads.
  std::shared_ptr<FleetCore> core_;
  SteadyTime leads_since_{};
  WallTime leads_since_wall_{};
  std::map<std::string, ReplicaFeed*> feeds_;  // by replica

  // While it follows.
  AsyncEvent wanted_news_;
  std::uint64_t wanted_version_ = 0;
  Position reached_;  // everything up to it is known here
  FallbackSchedule leader_schedule_;
  std::optional<SteadyTime> reached_at_;  // as of then
  std::optional<WallTime> leader_since_;  // of the leader that was followed last
  std::vector<ViewDocument> views_;       // of the replicas as of reached_at_
  std::optional<SteadyTime> lost_at_;  // since when it has no leader; none: it has one, or leads
  std::string lost_why_;
  bool had_leader_ = false;
  std::uint64_t leader_changes_ = 0;
  std::uint64_t last_epoch_ = 0;
};

/// Started. `maker`: as make_fleet().
std::shared_ptr<Fleet> make_shared_fleet(Runtime runtime, FleetOptions options, ResolverMaker maker,
                                         std::shared_ptr<lease::Elector> elector, std::string id, PeerFiles files,
                                         int schema = replica_schema);

}  // namespace rollcall::fleet
