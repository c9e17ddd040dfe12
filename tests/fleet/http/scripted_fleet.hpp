// A fleet that does what the test says, an exchange that is a client, and a service between them, in virtual time.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fleet/fleet.hpp"
#include "fleet/http/fleet_handler.hpp"
#include "fleet/wire/documents.hpp"
#include "fleet/wire/event_stream.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

class ScriptedTopic final : public fleet::Topic {
 public:
  ScriptedTopic(std::string target, std::shared_ptr<TimeSource> time, std::uint64_t& revisions)
      : target_(std::move(target)), time_(std::move(time)), revisions_(revisions) {}

  std::size_t looks_asked = 0;
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
  void look_soon() override { ++looks_asked; }
  std::optional<fleet::StatusDelta> since(std::uint64_t revision) const override {
    ++differences_asked;
    const auto at = statuses_.upper_bound(revision);
    if (at == statuses_.begin() || !known_.status) return std::nullopt;
    return fleet::status_delta(*std::prev(at)->second, *known_.status, largest_delta);
  }
  bool is_spec_wanted() const {
    return std::any_of(listeners_.begin(), listeners_.end(), [](const fleet::TopicListener& one) { return one.wants_spec(); });
  }

  /// A look that showed this. `is_another_membership`: others are ready than before.
  void show(ClusterStatus status, bool is_another_membership = true) {
    known_.status = std::make_shared<const ClusterStatus>(std::move(status));
    known_.failure = nullptr;
    known_.trouble.clear();
    known_.revision = ++revisions_;
    known_.generation += is_another_membership ? 1 : 0;
    statuses_[known_.revision] = known_.status;
    fleet::PhaseChange change;
    change.when = time_->wall_now();
    change.phase = known_.status->phase;
    change.state = known_.status->state.text;
    change.total = static_cast<int>(known_.status->members.size());
    history_.push_back(change);
    look();
  }
  void show_spec(Result<ClusterSpec> spec) {
    known_.spec = std::make_shared<const Result<ClusterSpec>>(std::move(spec));
    known_.spec_revision = ++revisions_;
    look();
  }
  void fail(Failure failure) {
    known_.failure = std::make_shared<const Failure>(std::move(failure));
    known_.revision = ++revisions_;
    look();
  }
  void trouble(std::string text, bool is_own = false) {
    known_.trouble = std::move(text);
    known_.own_troubles += is_own ? 1 : 0;
    if (!is_own) known_.revision = ++revisions_;
    tell();
  }
  void look() {
    known_.looked_at = time_->now();
    tell();
  }
  void let_go() { is_followed_ = false; }
  void forget_statuses() { statuses_.clear(); }
  void tell() {
    for (fleet::TopicListener& listener : listeners_) listener.on_topic();
  }

 private:
  std::string target_;
  std::shared_ptr<TimeSource> time_;
  std::uint64_t& revisions_;
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
  fleet::Ration shares;
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
  /// Another history begins, with other topics.
  void begin_anew(std::string of_instance) {
    instance = std::move(of_instance);
    const auto former = std::exchange(topics_, {});
    for (const auto& [target, topic] : former) topic->tell();
  }
  fleet::Position position() const override { return fleet::Position(instance, revisions_); }
  std::string fault() const override { return trouble; }
  std::optional<fleet::ReplicaNumbers> replica_numbers() const override { return numbers; }
  std::string instance = "5e1f", trouble;
  std::optional<fleet::ReplicaNumbers> numbers;
  fleet::Ration ration() const override { return shares; }
  std::size_t memory_bytes() const noexcept override { return 4096; }
  const Runtime& runtime() const noexcept override { return runtime_; }
  void close() override {}
  std::shared_ptr<ScriptedTopic> named(const std::string& target) {
    auto& topic = topics_[target];
    if (!topic) topic = std::make_shared<ScriptedTopic>(target, time_, revisions_);
    return topic;
  }

 private:
  Runtime runtime_;
  std::shared_ptr<TimeSource> time_;
  std::uint64_t revisions_ = 0;
  std::map<std::string, std::shared_ptr<ScriptedTopic>> topics_;
};

/// The client's side of one request.
class ScriptedExchange final : public ServerExchange {
 public:
  ServerRequest asked;
  HttpResponse answered;
  std::shared_ptr<const std::string> shared_body;
  std::string written;           ///< of a stream
  std::vector<SteadyTime> at;    ///< when each event was written
  std::vector<fleet::ServerEvent> events;
  std::chrono::milliseconds retry{0};
  bool is_streamed = false, is_stream_ended = false, is_done = false;
  asio::cancellation_signal signal;
  std::shared_ptr<TimeSource> time;
  std::function<void()> on_chunk;  ///< what happens while one is written

  const ServerRequest& request() const override { return asked; }
  asio::awaitable<bool> reply(const HttpResponse& response) override {
    answered = response;
    note_answer(response.status, response.body.size());
    co_return !is_closed();
  }
  asio::awaitable<bool> reply(const HttpResponse& head, std::shared_ptr<const std::string> body) override {
    answered = head;
    answered.body = *body;
    note_answer(head.status, body->size());
    shared_body = std::move(body);
    co_return !is_closed();
  }
  asio::awaitable<bool> start_chunks(const HttpResponse& head) override {
    answered = head;
    note_answer(head.status, 0);
    is_streamed = true;
    co_return !is_closed();
  }
  asio::awaitable<bool> write_chunk(std::string_view bytes) override {
    written += bytes;
    note_chunk(bytes.size());
    static_cast<void>(reader_.feed(bytes));
    while (std::optional<fleet::ServerEvent> event = reader_.next()) {
      events.push_back(std::move(*event));
      at.push_back(time->now());
    }
    if (reader_.retry()) retry = *reader_.retry();
    if (on_chunk) on_chunk();
    co_return !is_closed();
  }
  asio::awaitable<bool> end_chunks() override {
    is_stream_ended = true;
    co_return !is_closed();
  }
  asio::awaitable<bool> write_raw(std::string_view) override { co_return false; }
  asio::awaitable<bool> wait_writable() override {
    while (is_stuck_ && !is_closed()) {
      const bool is_woken = co_await room_.wait();
      if (!is_woken) co_return false;
    }
    co_return !is_closed();
  }
  void reset() override {}

  void leave() {
    note_closed();
    room_.wake();
  }
  /// A slow reader: nothing can be written until it is over.
  void stick(bool on) {
    is_stuck_ = on;
    room_.wake();
  }
  std::string types() const {
    std::string all;
    for (const fleet::ServerEvent& event : events) all += (all.empty() ? "" : " ") + event.type;
    return all;
  }
  const fleet::ServerEvent& last() const { return events.back(); }

 private:
  void on_watched() override {}
  fleet::EventStreamReader reader_{1 << 20};
  AsyncEvent room_;
  bool is_stuck_ = false;
};

using ExchangePtr = std::shared_ptr<ScriptedExchange>;

/// A service over a scripted fleet.
class ServiceLoop : public TestRuntime {
 public:
  explicit ServiceLoop(fleet::FleetHttpOptions options = {})
      : clouds(std::make_shared<ScriptedFleet>(runtime, time)), http(clouds, options), handler(http.handler()),
        topic(clouds->named("tpu:trainer,project=p,zone=z")) {}

  std::shared_ptr<ScriptedFleet> clouds;
  fleet::FleetHttp http;
  HttpServer::Handler handler;
  std::shared_ptr<ScriptedTopic> topic;  ///< of `trainer`

  static constexpr std::string_view trainer = "/v1/clusters/tpu:trainer,project=p,zone=z";

  /// `headers`: names and values in turn.
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
  /// Lets so much time pass, alarm by alarm.
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
