// A scripted fleet, an exchange that plays the client, and a service between them, in virtual time.
#pragma once

#include <fmt/format.h>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fleet/fleet.hpp"
#include "fleet/http/fleet_http.hpp"
#include "fleet/http/scripted_exchange.hpp"
#include "fleet/wire/documents.hpp"
#include "fleet/wire/event_stream.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

class ScriptedTopic final : public fleet::Topic {
 public:
  ScriptedTopic(std::string target, std::shared_ptr<TimeSource> time, std::uint64_t& revisions, const std::uint64_t& epoch)
      : target_(std::move(target)), time_(std::move(time)), revisions_(revisions), epoch_(epoch) {
    known_.epoch = epoch;
  }

  std::size_t polls_asked = 0;
  mutable std::size_t differences_asked = 0;
  std::size_t largest_delta = 1000;

  const std::string& target() const noexcept override { return target_; }
  const fleet::Known& known() const noexcept override { return known_; }
  const std::deque<fleet::PhaseChange>& history() const noexcept override { return history_; }
  std::size_t listeners() const noexcept override { return listeners_.size(); }
  bool is_followed() const noexcept override { return is_followed_; }
  void listen(fleet::TopicListener& listener) override {
    listeners_.push_back(listener);
    is_followed_ = true;
  }
  void refresh_soon() override { ++polls_asked; }
  std::optional<fleet::StatusDelta> since(std::uint64_t revision) const override {
    ++differences_asked;
    const auto at = statuses_.upper_bound(revision);
    if (at == statuses_.begin() || !known_.status) return std::nullopt;
    return fleet::status_delta(*std::prev(at)->second, *known_.status, largest_delta);
  }
  bool is_spec_wanted() const {
    return std::any_of(listeners_.begin(), listeners_.end(), [](const fleet::TopicListener& one) { return one.wants_spec(); });
  }

  /// A poll that found this. `is_another_membership`: the ready members have changed.
  void show(ClusterStatus status, bool is_another_membership = true) {
    known_.status = std::make_shared<const ClusterStatus>(std::move(status));
    known_.failure = nullptr;
    known_.trouble.clear();
    if (known_.epoch != epoch_) statuses_.clear();
    known_.epoch = epoch_;
    known_.revision = ++revisions_;
    known_.generation += is_another_membership ? 1 : 0;
    known_.is_spec_old = known_.spec != nullptr;
    statuses_[known_.revision] = known_.status;
    fleet::PhaseChange change;
    change.when = time_->wall_now();
    change.phase = known_.status->phase;
    change.state = known_.status->state.text;
    change.total = static_cast<int>(known_.status->members.size());
    history_.push_back(change);
    poll();
  }
  void show_spec(Result<ClusterSpec> spec) {
    known_.spec = std::make_shared<const Result<ClusterSpec>>(std::move(spec));
    known_.spec_revision = ++revisions_;
    known_.spec_polled_at = time_->now();
    known_.spec_generation = known_.generation;
    known_.is_spec_old = false;
    poll();
  }
  void fail(Failure failure) {
    known_.failure = std::make_shared<const Failure>(std::move(failure));
    known_.revision = ++revisions_;
    poll();
  }
  void trouble(std::string text, bool is_own = false) {
    known_.trouble = std::move(text);
    known_.own_troubles += is_own ? 1 : 0;
    if (!is_own) known_.revision = ++revisions_;
    notify();
  }
  void poll() {
    known_.polled_at = time_->now();
    notify();
  }
  void let_go() { is_followed_ = false; }
  void forget_statuses() { statuses_.clear(); }
  void notify() {
    for (fleet::TopicListener& listener : listeners_) listener.on_topic();
  }

 private:
  std::string target_;
  std::shared_ptr<TimeSource> time_;
  std::uint64_t& revisions_;
  const std::uint64_t& epoch_;
  fleet::Known known_;
  bool is_followed_ = true;
  std::deque<fleet::PhaseChange> history_;
  std::map<std::uint64_t, std::shared_ptr<const ClusterStatus>> statuses_;
  boost::intrusive::list<fleet::TopicListener, boost::intrusive::constant_time_size<false>> listeners_;
};

class ScriptedFleet final : public fleet::Fleet {
 public:
  explicit ScriptedFleet(Runtime runtime, std::shared_ptr<TimeSource> time) : runtime_(std::move(runtime)), time_(std::move(time)) {}
  std::size_t max_targets = 1000;
  fleet::FallbackSchedule shares;
  Result<std::shared_ptr<fleet::Topic>> topic(const Target& target) override {
    if (topics_.size() >= max_targets) return Failure(Errc::limit_exceeded, "so many targets are followed");
    std::shared_ptr<fleet::Topic> made = named(target.to_text());
    return made;
  }
  std::vector<std::shared_ptr<fleet::Topic>> topics() const override {
    std::vector<std::shared_ptr<fleet::Topic>> all;
    for (const auto& [target, topic] : topics_) all.push_back(topic);
    return all;
  }
  bool has_topic(const Target& target) const override { return topics_.contains(target.to_text()); }
  fleet::Position position() const override { return fleet::Position(epoch, revisions_); }
  std::string fault() const override { return trouble; }
  std::optional<fleet::ReplicaNumbers> replica_numbers() const override { return numbers; }
  fleet::ReplicaDesk* replica_desk() override { return desk; }
  /// Another leader goes on: what is shown from now on is of its epoch.
  void begin_epoch(std::uint64_t next) {
    epoch = next;
    revisions_ = 0;
  }
  std::uint64_t epoch = 51;
  std::string trouble;
  std::optional<fleet::ReplicaNumbers> numbers;
  fleet::ReplicaDesk* desk = nullptr;
  fleet::FallbackSchedule fallback_schedule() const override { return shares; }
  std::size_t memory_bytes() const noexcept override { return 4096; }
  const Runtime& runtime() const noexcept override { return runtime_; }
  void close() override {}
  std::shared_ptr<ScriptedTopic> named(const std::string& target) {
    auto& topic = topics_[target];
    if (!topic) topic = std::make_shared<ScriptedTopic>(target, time_, revisions_, epoch);
    return topic;
  }

 private:
  Runtime runtime_;
  std::shared_ptr<TimeSource> time_;
  std::uint64_t revisions_ = 0;
  std::map<std::string, std::shared_ptr<ScriptedTopic>> topics_;
};

/// A service over a scripted fleet.
class ServiceLoop : public TestRuntime {
 public:
  explicit ServiceLoop(fleet::FleetHttpOptions options = {})
      : clouds(std::make_shared<ScriptedFleet>(runtime, time)), http(std::make_shared<fleet::FleetHttp>(clouds, options)),
        service(*http->entry()), handler(http->handler()), topic(clouds->named("tpu:trainer,project=p,zone=z")) {}

  std::shared_ptr<ScriptedFleet> clouds;
  std::shared_ptr<fleet::FleetHttp> http;
  fleet::ServiceEntry& service;
  HttpServer::Handler handler;
  std::shared_ptr<ScriptedTopic> topic;  ///< of `trainer`

  static constexpr std::string_view trainer = "/v1/clusters/tpu:trainer,project=p,zone=z";

  /// `headers`: names and values alternate.
  ExchangePtr request(std::string method, std::string target, std::vector<std::string> headers = {}, std::string peer = "127.0.0.1") {
    const auto exchange = std::make_shared<ScriptedExchange>();
    exchange->time = time;
    exchange->asked.method = std::move(method);
    exchange->asked.target = std::move(target);
    exchange->asked.host = "127.0.0.1:7070";
    exchange->asked.peer = std::move(peer);
    for (std::size_t i = 0; i + 1 < headers.size(); i += 2) exchange->asked.headers.add(headers[i], headers[i + 1]);
    start(exchange);
    return exchange;
  }
  void start(const ExchangePtr& exchange) {
    asio::co_spawn(io, handler(*exchange),
                   asio::bind_cancellation_slot(exchange->signal.slot(), [exchange](std::exception_ptr) { exchange->is_done = true; }));
    poll();
  }
  ExchangePtr get(std::string_view query, std::vector<std::string> headers = {}) {
    return request("GET", std::string(trainer) + std::string(query), std::move(headers));
  }
  ExchangePtr follow(std::string_view query, std::vector<std::string> headers = {}) {
    headers.insert(headers.end(), {"Accept", "text/event-stream"});
    return request("GET", std::string(trainer) + std::string(query), std::move(headers));
  }
  /// Advances the time, alarm by alarm.
  void pass(Duration by) {
    const SteadyTime end = time->now() + by;
    for (poll();;) {
      const std::optional<SteadyTime> next = time->next_alarm();
      if (!next || *next > end) break;
      time->advance_to(*next);
      poll();
    }
    time->advance_to(end);
    poll();
  }
  double now() const { return seconds(); }
  /// Streams, and answers that wait.
  std::size_t followers() const { return service.admission().slots(); }
};

inline std::string header_of(const ExchangePtr& exchange, std::string_view name) {
  return std::string(exchange->answered.headers.get(name).value_or("-"));
}

/// `workers` members of which the first `ready` are ready, at 10.0.0.1:8470 and on.
inline ClusterStatus workers_of(int workers, int ready) {
  ClusterStatus status;
  const bool is_ready = workers == ready;
  status.phase = is_ready ? ClusterPhase::running : ClusterPhase::provisioning;
  status.state = Condition(is_ready ? MemberState::ready : MemberState::waiting, is_ready ? "READY" : "CREATING");
  status.jobs = {"worker"};
  status.expected = workers;
  for (int i = 0; i < workers; ++i) {
    Member& member = status.members.emplace_back("worker", i);
    if (i < ready) {
      member.address = fmt::format("10.0.{}.{}:8470", (i + 1) / 256, (i + 1) % 256);
    } else {
      member.state = Condition(MemberState::waiting, "CREATING");
    }
  }
  return status;
}

}  // namespace rollcall::testing
