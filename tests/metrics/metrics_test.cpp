// Events counted, and the text that Prometheus reads.
#include "rollcall/metrics.hpp"

#include <fmt/format.h>

#include "support/prometheus_checker.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace std::chrono_literals;
using rollcall::testing::prometheus_fault;

namespace {

Event metric_event(EventKind kind, std::string_view subject, Duration at = {}, std::uint64_t number = 1) {
  Event event;
  event.kind = kind;
  event.subject = subject;
  event.at = SteadyTime{} + at;
  event.call = number;
  event.exchange = number;
  return event;
}

Event call_event(EventKind kind, std::string_view operation, Duration at = {}, std::uint64_t number = 1) {
  Event event = metric_event(kind, "a call", at, number);
  event.operation = operation;
  return event;
}

Event attempt_event(EventKind kind, std::string_view host, Duration at = {}, std::uint64_t number = 1) {
  Event event = metric_event(kind, "an attempt", at, number);
  event.host = host;
  return event;
}

Event member_event(EventKind kind, int index) {
  Event event = metric_event(kind, "a member");
  event.members = MemberRange("worker", index, index);
  return event;
}

class CountingSink final : public LogSink {
 public:
  int events = 0;
  void on_event(const Event&) noexcept override { ++events; }
};

}  // namespace

TEST_CASE("calls, requests, retries and waits are counted") {
  const auto next = std::make_shared<CountingSink>();
  Metrics metrics(next);
  const Failure failure(Errc::not_found, "no");
  metrics.on_event(call_event(EventKind::call_started, "cluster_spec"));
  metrics.on_event(attempt_event(EventKind::attempt_started, "tpu.googleapis.com"));
  CHECK(metrics.snapshot().value("rollcall_requests_in_flight") == 1);
  Event phase = metric_event(EventKind::phase_started, "", 1ms);
  phase.phase = Phase::connect;
  metrics.on_event(phase);
  phase.kind = EventKind::phase_finished;
  phase.at += 4ms;
  metrics.on_event(phase);
  Event answer = attempt_event(EventKind::attempt_finished, "tpu.googleapis.com", 50ms);
  answer.status = 503;
  metrics.on_event(answer);
  Event wait = metric_event(EventKind::backing_off, "", 50ms);
  wait.status = 503;
  wait.delay = 2s;
  wait.is_server_delay = true;
  metrics.on_event(wait);
  metrics.on_event(attempt_event(EventKind::attempt_started, "10.0.0.1:8470", 3s, 2));
  answer = attempt_event(EventKind::attempt_finished, "10.0.0.1:8470", 4s, 2);
  answer.failure = &failure;
  metrics.on_event(answer);
  metrics.on_event(metric_event(EventKind::connection_reused, "h"));
  metrics.on_event(metric_event(EventKind::waiting_for_slot, "h"));
  metrics.on_event(metric_event(EventKind::token_refresh_started, "h"));
  metrics.on_event(metric_event(EventKind::token_refresh_finished, "h"));
  metrics.on_event(metric_event(EventKind::member_resolved, "m"));
  Event failed = metric_event(EventKind::member_failed, "n");
  failed.failure = &failure;
  metrics.on_event(failed);
  Event end = call_event(EventKind::call_finished, "cluster_spec", 5s);
  end.failure = &failure;
  metrics.on_event(end);
  CHECK(next->events == 15);

  const MetricsSnapshot now = metrics.snapshot();
  CHECK(now.value("rollcall_calls_total", {"cluster_spec", "not_found"}) == 1);
  CHECK(now.value("rollcall_requests_total", {"tpu.googleapis.com", "503"}) == 1);
  CHECK(now.value("rollcall_requests_total", {"10.0.0.1:8470", "not_found"}) == 1);
  CHECK(now.value("rollcall_requests_in_flight") == 0);
  CHECK(now.value("rollcall_retries_total", {"503"}) == 1);
  CHECK(now.value("rollcall_connections_reused_total", {"h"}) == 1);
  CHECK(now.value("rollcall_slot_waits_total", {"h"}) == 1);
  CHECK(now.value("rollcall_token_refreshes_total", {"ok"}) == 1);
  CHECK(now.value("rollcall_members_resolved_total", {"ok"}) == 1);
  CHECK(now.value("rollcall_members_resolved_total", {"not_found"}) == 1);
  const MetricSample* const phases = now.find("rollcall_request_phase_duration_seconds", {"connect"});
  REQUIRE(phases);
  CHECK((phases->count == 1 && phases->buckets[2] == 1 && phases->value == Approx(0.004)));
  const MetricSample* const latency = now.find("rollcall_request_duration_seconds", {"tpu.googleapis.com", "503"});
  REQUIRE(latency);
  CHECK((latency->count == 1 && latency->buckets[5] == 1));  // 50 ms is not above 0.05
  CHECK(now.find("rollcall_backoff_seconds", {"server"})->value == 2);
  CHECK(now.find("rollcall_call_duration_seconds", {"cluster_spec"})->value == 5);
  CHECK(prometheus_fault(now.to_prometheus()).empty());
}

TEST_CASE("members are counted by state") {
  Metrics metrics;
  metrics.on_event(member_event(EventKind::member_waiting, 0));
  metrics.on_event(member_event(EventKind::member_waiting, 1));
  metrics.on_event(member_event(EventKind::member_waiting, 1));
  metrics.on_event(member_event(EventKind::member_ready, 1));
  ClusterStatus status;
  status.expected = 3;
  status.members.emplace_back("worker", 0);
  status.members.emplace_back("worker", 1).health = Condition(MemberState::waiting, "UNHEALTHY");
  metrics.take(status);
  metrics.take(status);
  const MetricsSnapshot now = metrics.snapshot();
  CHECK((now.value("rollcall_members_awaited", {"waiting"}) == 1 && now.value("rollcall_members_awaited", {"ready"}) == 1));
  CHECK((now.value("rollcall_cluster_members", {"ready"}) == 1 && now.value("rollcall_cluster_members", {"waiting"}) == 1));
  CHECK((now.find("rollcall_cluster_members", {"lost"}) && now.value("rollcall_cluster_members_expected") == 3));
}

TEST_CASE("values from a server or a user take a limited number of series") {
  Metrics metrics(nullptr, 3);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const std::string host = fmt::format("h{}", i);
    metrics.on_event(attempt_event(EventKind::attempt_started, host, {}, i));
    metrics.on_event(attempt_event(EventKind::attempt_finished, host, 1ms, i));
  }
  const MetricsSnapshot now = metrics.snapshot();
  CHECK(now.value("rollcall_requests_total", {"other", "other"}) == 997);
  CHECK(now.find("rollcall_request_duration_seconds", {"other", "other"})->count == 997);
  for (const MetricFamily& family : now.families) CHECK(family.samples.size() <= 4);
}

TEST_CASE("the text is Prometheus' own") {
  MetricsSnapshot made;
  MetricFamily& counter = made.families.emplace_back();
  counter.name = "a_total";
  counter.help = "back\\slash \"quotes\"\nline";
  counter.label_names = {"x", "y"};
  counter.samples.emplace_back().labels = {"q\"u\\o\nte", "µ"};
  counter.samples.back().value = 1e21;
  MetricFamily& histogram = made.families.emplace_back();
  histogram.name = "h_seconds";
  histogram.help = "h";
  histogram.type = MetricType::histogram;
  histogram.bounds = {0.5, 10};
  MetricSample& sample = histogram.samples.emplace_back();
  sample.buckets = {2, 0, 1};
  sample.count = 3;
  sample.value = 31.5;
  made.families.emplace_back().name = "none_total";
  CHECK(made.to_prometheus() ==
        "# HELP a_total back\\\\slash \"quotes\"\\nline\n# TYPE a_total counter\n"
        "a_total{x=\"q\\\"u\\\\o\\nte\",y=\"µ\"} 1e+21\n"
        "# HELP h_seconds h\n# TYPE h_seconds histogram\n"
        "h_seconds_bucket{le=\"0.5\"} 2\nh_seconds_bucket{le=\"10\"} 2\nh_seconds_bucket{le=\"+Inf\"} 3\nh_seconds_sum "
        "31.5\nh_seconds_count 3\n");
  CHECK(prometheus_fault(made.to_prometheus()).empty());
  CHECK(Metrics().to_prometheus() ==
        "# HELP rollcall_requests_in_flight Requests without an answer yet\n# TYPE rollcall_requests_in_flight "
        "gauge\nrollcall_requests_in_flight 0\n");
}

TEST_CASE("the checker of these tests finds faults") {
  for (const char* bad : {"a 1\n", "# TYPE a counter\n# HELP a x\na 1\n", "# HELP a x\n# TYPE a counter\na 1",
                          "# HELP a x\n# TYPE a counter\na{x=1} 1\n", "# HELP a x\n# TYPE a counter\na{x=\"\\q\"} 1\n",
                          "# HELP a x\n# TYPE a counter\na 1\na 1\n", "# HELP a x\n# TYPE a counter\na one\n",
                          "# HELP h x\n# TYPE h histogram\nh_bucket{le=\"1\"} 2\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 1\n",
                          "# HELP h x\n# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_sum 1\nh_count 1\n",
                          "# HELP h x\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\nh_sum 1\nh_count 2\n"}) {
    INFO(bad);
    CHECK_FALSE(prometheus_fault(bad).empty());
  }
}

TEST_CASE("Requests of a service's polls are counted by place, without names of targets") {
  Metrics metrics;
  const auto ask = [&metrics](std::uint64_t call, std::string_view operation, std::string_view source) {
    Event begun = call_event(EventKind::call_started, operation);
    begun.source = source;
    begun.call = call;
    metrics.on_event(begun);
    Event attempt = attempt_event(EventKind::attempt_started, "tpu.googleapis.com");
    attempt.call = call;
    metrics.on_event(attempt);
    Event ended = call_event(EventKind::call_finished, operation);
    ended.source = source;
    ended.call = call;
    metrics.on_event(ended);
    metrics.on_event(attempt);  // its call is no longer tracked
  };
  ask(101, "fleet_look", "tpu/p/us-central2-b");
  ask(102, "fleet_look", "tpu/p/us-central2-b");
  ask(103, "fleet_follow", "told/kubernetes:train,job.worker=app=x");
  ask(104, "cluster_spec", "");
  const MetricsSnapshot snapshot = metrics.snapshot();
  CHECK(snapshot.value("rollcall_serve_upstream_requests_total", {"tpu/p/us-central2-b"}) == 2);
  CHECK(snapshot.value("rollcall_serve_upstream_requests_total", {"kubernetes"}) == 1);
  CHECK(snapshot.value("rollcall_calls_total", {"fleet_look", "ok"}) == 2);
  CHECK(snapshot.to_prometheus().find("job.worker") == std::string::npos);
}
