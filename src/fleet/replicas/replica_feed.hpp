// What a leader sends one replica: everything that changes, in the order of the leader's revisions, as the replica has it so far.
#pragma once

#include <asio/awaitable.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "call/runtime_impl.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/replica_desk.hpp"
#include "fleet/replicas/shared_topic.hpp"

namespace rollcall::fleet {

using SharedTopics = std::map<std::string, std::shared_ptr<SharedTopic>>;  // by text

class ReplicaFeed {
 public:
  /// All references outlive it. `report`: what each round ends with.
  ReplicaFeed(std::shared_ptr<FleetCore> core, const SharedTopics& topics, HelloDocument hello, std::function<ReachedDocument()> report,
              ReplicaLine& line);
  ReplicaFeed(const ReplicaFeed&) = delete;

  /// Until the line is over, or end() was called.
  asio::awaitable<void> run();
  void wake() { line_.news.wake(); }
  void end() {
    is_ended_ = true;
    wake();
  }
  std::uint64_t wanted_version = 0;     ///< of the last list of wanted targets
  std::optional<SteadyTime> viewed_at;  ///< up to when the replica has what was sent, as it says; none: it has not said

 private:
  // What the replica was sent of a topic.
  class Sent {
   public:
    std::uint64_t revision = 0;
    std::uint64_t spec_revision = 0;
    bool is_followed = false;
    bool has_status = false;
    std::weak_ptr<const ClusterStatus> status;
    std::optional<SteadyTime> polled_at;
    std::optional<PhaseChange> last_phase;
    std::uint64_t round = 0;  // 0: nothing yet
  };

  asio::awaitable<bool> send_round();
  asio::awaitable<bool> send_topic(std::shared_ptr<SharedTopic> topic, Sent& sent);
  asio::awaitable<bool> write(std::string_view event, std::string data, std::uint64_t revision = 0);
  TopicDocument document_of(const SharedTopic& topic, Sent& sent) const;
  bool is_over() const { return is_ended_ || line_.is_over(); }
  SteadyTime now() const { return impl_of(core_->runtime).time->now(); }
  Milliseconds clock() const { return std::chrono::duration_cast<Milliseconds>(now().time_since_epoch()); }

  std::shared_ptr<FleetCore> core_;
  const SharedTopics& topics_;
  HelloDocument hello_;
  std::function<ReachedDocument()> report_;
  ReplicaLine& line_;
  std::map<std::uint64_t, Sent> sent_;           // by number
  std::map<SteadyTime, LookedDocument> looked_;  // by the time of the poll
  std::uint64_t round_ = 0;
  bool is_ended_ = false;
};

}  // namespace rollcall::fleet
