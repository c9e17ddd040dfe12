// What a service tells of itself: numbers for Prometheus, whether it may be asked, and a line of the log for each request.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "async/turns.hpp"
#include "base/saturating.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/rules/request_rules.hpp"
#include "fleet/rules/source_key.hpp"
#include "metrics/observe.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration lag_pace = std::chrono::seconds(1);
constexpr std::size_t max_sources = 199;  // as labels: with `other` 200

// How old what is followed of each source is.
class SourceAges {
 public:
  void add(const Topic& topic, SteadyTime now) {
    if (!topic.known().polled_at) return;
    const Result<Target> target = Target::parse(topic.target());
    if (!target) return;
    std::string label = source_label(source_key(*target));
    if (ages_.size() >= max_sources && !ages_.contains(label)) label = "other";
    Duration& age = ages_[std::move(label)];
    age = std::max(age, saturating_difference(now, *topic.known().polled_at));
  }
  void append_to(MetricsSnapshot& snapshot) const {
    MetricFamily& family = add_family(snapshot, MetricType::gauge, "rollcall_serve_status_age_seconds",
                                      "How old the oldest look is at what is followed of a source", {"source"});
    for (const auto& [source, age] : ages_) add_sample(family, {source}, std::chrono::duration<double>(age).count());
  }

 private:
  std::map<std::string, Duration> ages_;
};

// What outlives its handler, however that ends, is counted and logged.
class AtEnd {
 public:
  explicit AtEnd(std::function<void()> end) : end_(std::move(end)) {}
  ~AtEnd() { end_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  std::function<void()> end_;
};

void append_gauge(MetricsSnapshot& snapshot, std::string_view name, std::string help, std::size_t value) {
  MetricFamily& family = add_family(snapshot, MetricType::gauge, fmt::format("rollcall_serve_{}", name), std::move(help));
  add_sample(family, {}, static_cast<double>(value));
}

void append_to(MetricsSnapshot& snapshot, const ReplicaNumbers& replica) {
  const auto counter = [&snapshot](std::string_view name, std::string help, std::string label, const auto& values) {
    MetricFamily& family =
        add_family(snapshot, MetricType::counter, fmt::format("rollcall_serve_{}_total", name), std::move(help), {std::move(label)});
    for (const auto& [key, value] : values) add_sample(family, {std::string(key)}, static_cast<double>(value));
  };
  append_gauge(snapshot, "replicas", "Services that share the store, as far as this one hears", replica.replicas);
  append_gauge(snapshot, "sources_owned", "Sources that this service asks for all of them", replica.sources);
  counter("ownership_changes", "Sources that this service took, or gave up", "reason", replica.ownership_changes);
  counter("store_commits", "Writes to the store", "outcome", replica.commits);
  counter("store_watch_restarts", "Watches of the store that ended", "reason", replica.watch_restarts);
}

}  // namespace

asio::awaitable<void> FleetRequests::serve(ServerExchange& exchange) {
  const std::shared_ptr<FleetRequests> self = shared_from_this();
  RequestNotes notes(now());
  const AtEnd end([this, &exchange, &notes] { finish(exchange, notes); });
  co_await handle(exchange, notes);
}

void FleetRequests::finish(const ServerExchange& exchange, const RequestNotes& notes) {
  if (exchange.answered_status() == 0) return;  // the client has gone before
  numbers_.add_request(notes.place, exchange.answered_status());
  if (notes.ended.empty()) {
    numbers_.add_bytes(exchange.answered_bytes());
  } else {
    numbers_.add_end(notes.ended);
  }
  log(notes.ended.empty() ? ServedRequest::Kind::request_served : ServedRequest::Kind::stream_ended, exchange, notes);
}

void FleetRequests::log(ServedRequest::Kind kind, const ServerExchange& exchange, const RequestNotes& notes) {
  if (!logs_requests()) return;
  const ServerRequest& request = exchange.request();
  const std::string_view method = request.method == "GET" || request.method == "HEAD" ? std::string_view(request.method) : "?";
  const std::string asked = fmt::format("{} {}{}", method, notes.place, notes.question);
  const std::string trace_id = trace_id_of(joined_field(request.headers, "traceparent"));
  ServedRequest served;
  served.target = notes.target;
  if (notes.client) served.identity = notes.client->identity.text;
  served.peer = request.peer;
  served.trace_id = trace_id;
  served.kind = kind;
  served.request = asked;
  served.status = exchange.answered_status();
  served.bytes = exchange.answered_bytes();
  served.took = now() - notes.began;
  if (kind == ServedRequest::Kind::stream_ended) served.reason = notes.ended;
  options_.watchers.requests->on_request(served);
}

// By the names that the rights have for clients, `AS:NAME`; who proves nothing, by what it tried to prove it with.
void FleetRequests::count_identification(const ServerRequest& request, const Result<Identity>& identity) {
  if (identity) {
    const std::string& who = identity->text;
    if (!who.empty()) numbers_.add_identification(who.substr(0, who.find(':')), "ok");
    return;
  }
  const std::string_view tried = request.headers.get("Authorization") ? "token" : request.certificate ? "certificate" : "none";
  numbers_.add_identification(tried, to_string(identity.error().code()));
}

void FleetRequests::watch_loop() {
  second_at_ = saturating_sum(now(), lag_pace);
  second_.set(*runtime_->timers, second_at_, [](void* service) noexcept { static_cast<FleetRequests*>(service)->on_second(); }, this);
}

void FleetRequests::on_second() noexcept {
  numbers_.add_lag(std::max(now() - second_at_, Duration(0)));
  if (!is_closing()) watch_loop();
}

asio::awaitable<void> FleetRequests::tell_readiness(ServerExchange& exchange) {
  if (is_closing()) return say(exchange, 503, "draining\n");
  const std::string fault = fleet_->fault();
  if (!fault.empty()) return say(exchange, 503, fault + "\n");
  return say(exchange, 200, "ready\n");
}

asio::awaitable<void> FleetRequests::tell_metrics(ServerExchange& exchange, ClientPtr client) {
  if (options_.access && !options_.access->may_read_metrics(client->identity)) {
    Failure why(Errc::permission_denied, "the service's numbers are not for everybody");
    Refusal refusal(403, std::move(why).with_hint("whoever runs the service grants them: metrics: true"));
    co_await refuse(exchange, std::move(refusal));
    co_return;
  }
  MetricsSnapshot snapshot;
  if (options_.watchers.metrics) snapshot = options_.watchers.metrics->snapshot();
  const std::vector<std::shared_ptr<Topic>> topics = fleet_->topics();
  SourceAges ages;
  std::size_t followed = 0;
  for (std::size_t i = 0; i < topics.size(); ++i) {
    if (i % steps_a_turn == steps_a_turn - 1) co_await next_turn();
    if (!topics[i]->is_followed()) continue;
    ++followed;
    ages.add(*topics[i], now());
  }
  append_gauge(snapshot, "targets", "Targets that something is known of, or is to be", topics.size());
  append_gauge(snapshot, "targets_followed", "Of these, the ones that are asked for: somebody listens, or did a while ago", followed);
  append_gauge(snapshot, "memory_bytes", "Charged for what is known of all targets", fleet_->memory_bytes());
  ages.append_to(snapshot);
  if (const auto replica = fleet_->replica_numbers()) append_to(snapshot, *replica);
  numbers_.append_to(snapshot);
  HttpResponse response;
  response.status = 200;
  response.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("X-Content-Type-Options", "nosniff");
  std::string text = snapshot.to_prometheus();
  snapshot = MetricsSnapshot();
  co_await reply_own(exchange, *client, std::move(response), std::move(text));
}

}  // namespace rollcall::fleet

namespace rollcall {

std::string_view to_string(ServedRequest::Kind kind) noexcept {
  switch (kind) {
    case ServedRequest::Kind::request_served: return "request_served";
    case ServedRequest::Kind::stream_started: return "stream_started";
    case ServedRequest::Kind::stream_ended: return "stream_ended";
    case ServedRequest::Kind::answer_refused: return "answer_refused";
  }
  return "?";
}

}  // namespace rollcall
