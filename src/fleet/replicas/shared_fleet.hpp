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
#include "fleet/replicas/replica_feed.hpp"
#include "fleet/replicas/shared_topic.hpp"
#include "lease/elector.hpp"

namespace rollcall::fleet {

class ReplicaOptions {
 public:
  ReplicaOptions() {}
  std::string id;               ///< of this replica, as the elector has it
  AccessFiles access;           ///< authorities of the replicas' certificates, and the certificate that is shown to the leader
  std::string token_file;       ///< its first line is the token for the leader; empty: none
  int schema = replica_schema;  ///< the highest that it speaks with the others
};

class SharedFleet final : public Fleet, public ReplicaDesk, public std::enable_shared_from_this<SharedFleet> {
 public:
  SharedFleet(Runtime runtime, FleetOptions options, ResolverMaker maker, std::shared_ptr<lease::Elector> elector, ReplicaOptions self);

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

  // For its topics.
  /// The topic has its first listener, or the first that wants the spec, or a poll is requested.
  void on_wanted(SharedTopic& topic);
  void on_change();
  /// False: what polls of this replica find is not shown any more.
  bool leads() const { return core_ && !is_closed_ && elector_->leads() && elector_->epoch() == core_->epoch; }

  // For the leader's stream.
  const ReplicaOptions& self() const noexcept { return self_; }
  /// The stream is of a leader of this epoch. Errors: failed_precondition: a later one is known.
  Result<void> on_hello(std::uint64_t epoch);
  /// Null: there is no room for another target, or it is none that a service follows.
  std::shared_ptr<SharedTopic> topic_of(const std::string& target);
  /// All up to this position has come, as it was at `sent_at`.
  void on_reached(const Position& position, ReachedDocument document, SteadyTime sent_at);
  /// As of now, with the next version.
  WantedDocument wanted();
  AsyncEvent wanted_news;  ///< woken when wanted() has changed

 private:
  asio::awaitable<Result<void>> run(Call& call);
  asio::awaitable<Result<void>> look_after();
  asio::awaitable<Result<void>> until_not_followed(lease::LeaseRecord leader);
  std::optional<lease::LeaseRecord> followed() const;
  bool is_followed(const lease::LeaseRecord& leader) const;
  void begin_to_lead();
  void stop_leading();
  void lead(SharedTopic& topic);
  void tidy();
  bool is_wanted_here(const SharedTopic& topic) const;
  bool make_room();
  std::shared_ptr<SharedTopic> add(Target target);
  ReachedDocument reached() const;
  Age view_age() const { return core_ ? Age(Milliseconds(0)) : age_at(reached_at_, now()); }
  std::string leader_name() const;
  std::string lack_of_leader() const;
  SteadyTime now() const { return impl_of(runtime_).time->now(); }

  const Runtime runtime_;
  const FleetOptions options_;
  const ResolverMaker maker_;
  const std::shared_ptr<lease::Elector> elector_;
  const ReplicaOptions self_;
  PeerLink link_;
  const std::shared_ptr<MemoryAccount> memory_;  // of what the leader says
  SharedTopics topics_;
  std::uint64_t last_number_ = 0;
  asio::cancellation_signal signal_;
  bool is_closed_ = false;
  bool is_leaving_ = false;

  // While it leads.
  std::shared_ptr<FleetCore> core_;
  SteadyTime leads_since_{};
  std::map<std::string, ReplicaFeed*> feeds_;  // by replica

  // While it follows.
  std::uint64_t wanted_version_ = 0;
  Position reached_;              // everything up to it is known here
  ReachedDocument last_reached_;  // as the leader says, or this one as a leader has begun
  std::optional<SteadyTime> reached_at_;  // as of then
  std::optional<SteadyTime> lost_at_;     // since when it has no leader; none: it has one, or leads
  std::string lost_why_;
  std::uint64_t leader_changes_ = 0;
  std::uint64_t last_epoch_ = 0;
};

}  // namespace rollcall::fleet
