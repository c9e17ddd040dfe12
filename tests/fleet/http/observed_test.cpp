// Metrics, readiness and the log of requests.
#include <catch2/catch.hpp>

#include "fleet/fleet_support.hpp"
#include "fleet/http/scripted_fleet.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

class KeptRequests final : public RequestLog {
 public:
  class Line {
   public:
    std::string kind, request, target, peer, trace_id, reason, identity;
    int status = 0;
    std::uint64_t bytes = 0;
    Duration took{0};
  };
  std::vector<Line> lines;
  void on_request(const ServedRequest& request) noexcept override {
    Line line;
    line.kind = to_string(request.kind);
    line.request = request.request;
    line.target = request.target;
    line.peer = request.peer;
    line.identity = request.identity;
    line.trace_id = request.trace_id;
    line.reason = request.reason;
    line.status = request.status;
    line.bytes = request.bytes;
    line.took = request.took;
    lines.push_back(std::move(line));
  }
};

fleet::FleetHttpOptions watched(std::shared_ptr<RequestLog> requests, std::shared_ptr<const Metrics> metrics = nullptr) {
  fleet::FleetHttpOptions options;
  options.watchers.requests = std::move(requests);
  options.watchers.metrics = std::move(metrics);
  return options;
}

}  // namespace

TEST_CASE("One of several replicas reports whether it leads, and how old its view is", "[fleet]") {
  ServiceLoop loop;
  CHECK_THAT(loop.request("GET", "/metrics")->answered.body, !Contains("rollcall_serve_leads"));
  fleet::ReplicaNumbers& numbers = loop.clouds->numbers.emplace();
  numbers.leads = true;
  numbers.epoch = 1764243000;
  numbers.connected = 2;
  numbers.view_age = std::chrono::milliseconds(1500);
  numbers.leader_changes = 3;
  const std::string text = loop.request("GET", "/metrics")->answered.body;
  CHECK_THAT(text, Contains("\nrollcall_serve_leads 1\n") && Contains("\nrollcall_serve_replicas_connected 2\n"));
  CHECK_THAT(text, Contains("\nrollcall_serve_epoch 1764243000\n") && Contains("\nrollcall_serve_view_age_seconds 1.5\n"));
  CHECK_THAT(text, Contains("\nrollcall_serve_leader_changes_total 3\n"));
}

TEST_CASE("Followers, events, delays and requests are counted", "[fleet]") {
  ServiceLoop loop(watched(nullptr, std::make_shared<Metrics>()));
  loop.topic->show(workers_of(2, 1));
  const ExchangePtr stream = loop.follow("?view=progress");
  loop.pass(1s);
  loop.topic->show(workers_of(2, 2));  // sent at once: the pause after the last rendering is over
  loop.pass(1s);
  REQUIRE(stream->types() == "beat progress ready");
  const ExchangePtr unknown = loop.request("GET", "/v1/nosuch");
  const std::string text = loop.request("GET", "/metrics")->answered.body;
  CHECK_THAT(text, Contains("\nrollcall_serve_followers{view=\"progress\"} 1\n"));
  CHECK_THAT(text, Contains("\nrollcall_serve_events_sent_total{event=\"beat\"} 1\n"));
  CHECK_THAT(text, Contains("\nrollcall_serve_events_sent_total{event=\"progress\"} 1\n"));
  CHECK_THAT(text, Contains("\nrollcall_serve_events_sent_total{event=\"ready\"} 1\n"));
  // The first poll came before any client: only the change has a delay.
  CHECK_THAT(text, Contains("\nrollcall_serve_event_delay_seconds_count 1\n") &&
                       Contains("\nrollcall_serve_event_delay_seconds_bucket{le=\"0.05\"} 1\n"));
  CHECK_THAT(text, Contains("\nrollcall_serve_requests_total{place=\"other\",status=\"404\"} 1\n"));
  CHECK_THAT(text, Contains("\nrollcall_serve_status_age_seconds{source=\"tpu/p/z\"} 1\n"));
  CHECK_THAT(text, Contains("\nrollcall_serve_targets_followed 1\n") && Contains("\nrollcall_serve_memory_bytes 4096\n"));
  CHECK_THAT(text, Contains("\nrollcall_requests_in_flight 0\n"));  // counted by the Runtime
  CHECK_THAT(text, !Contains("trainer"));
  stream->leave();
  loop.poll();
  // The target is followed for a while longer, and so is its age reported: an occasional scrape must not miss it.
  const std::string later = loop.request("GET", "/metrics")->answered.body;
  CHECK_THAT(later, Contains("\nrollcall_serve_followers{view=\"progress\"} 0\n"));
  CHECK_THAT(later, Contains("\nrollcall_serve_followers_dropped_total{reason=\"client\"} 1\n"));
  CHECK_THAT(later, Contains("\nrollcall_serve_status_age_seconds{source=\"tpu/p/z\"} 1\n"));
  CHECK_THAT(later, Contains("\nrollcall_serve_requests_total{place=\"/v1/clusters/\",status=\"200\"} 1\n"));
}

TEST_CASE("How late the loop comes to things is counted once a second, until the service stops", "[fleet]") {
  ServiceLoop loop;
  loop.service.loop_lag().start();
  loop.pass(3s);
  loop.time->advance_to(loop.time->now() + 1400ms);  // the loop was blocked for 0.4 s
  loop.pass(0s);
  const std::string text = loop.request("GET", "/metrics")->answered.body;
  CHECK_THAT(text, Contains("\nrollcall_serve_loop_lag_seconds_bucket{le=\"0.001\"} 3\n") &&
                       Contains("\nrollcall_serve_loop_lag_seconds_bucket{le=\"0.5\"} 4\n"));
  loop.service.close();
  CHECK_FALSE(loop.time->next_alarm());
}

TEST_CASE("Whether it may be asked is said in words", "[fleet]") {
  ServiceLoop loop;
  const ExchangePtr before = loop.request("GET", "/readyz");
  CHECK(before->answered.status == 200);
  CHECK(before->answered.body == "ready\n");
  loop.service.close(10s);
  const ExchangePtr after = loop.request("GET", "/readyz");
  CHECK(after->answered.status == 503);
  CHECK(after->answered.body == "draining\n");
  CHECK(loop.request("GET", "/healthz")->answered.status == 200);
}

TEST_CASE("Each request is logged with what was understood of it, and with nothing else", "[fleet]") {
  const auto requests = std::make_shared<KeptRequests>();
  ServiceLoop loop(watched(requests));
  loop.topic->show(workers_of(2, 1));
  loop.get("?view=progress", {"traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Authorization", "Bearer SECRET"});
  REQUIRE(requests->lines.size() == 1);
  const KeptRequests::Line& one = requests->lines.front();
  CHECK(one.kind == "request_served");
  CHECK(one.request == "GET /v1/clusters/tpu:trainer,project=p,zone=z?view=progress");
  CHECK(one.target == "tpu:trainer,project=p,zone=z");
  CHECK(one.peer == "127.0.0.1");
  CHECK(one.trace_id == "4bf92f3577b34da6a3ce929d0e0e4736");
  CHECK(one.status == 200);
  CHECK(one.bytes > 50);
  loop.get("?veiw=SECRET");
  loop.request("GET", "/SECRET?token=SECRET", {"traceparent", "SECRET"});
  loop.request("SECRET", "/v1/clusters");
  loop.request("GET", "/v1/prometheus?target=SECRET%0a");
  for (const KeptRequests::Line& line : requests->lines) {
    CAPTURE(line.request);
    CHECK_THAT(line.request + line.target + line.trace_id + line.reason, !Contains("SECRET"));
  }
  CHECK(requests->lines.size() == 5);
}

TEST_CASE("A stream is logged at its beginning and at its end, with the reason", "[fleet]") {
  const auto requests = std::make_shared<KeptRequests>();
  ServiceLoop loop(watched(requests));
  loop.topic->show(workers_of(2, 1));
  const ExchangePtr left = loop.follow("?view=progress");
  const ExchangePtr moved = loop.follow("?view=task");
  loop.pass(5s);
  left->leave();
  loop.poll();
  loop.service.close();
  loop.pass(1s);
  REQUIRE(requests->lines.size() == 4);
  CHECK(requests->lines[0].kind == "stream_started");
  CHECK(requests->lines[1].kind == "stream_started");
  CHECK(requests->lines[2].kind == "stream_ended");
  CHECK(requests->lines[2].reason == "client");
  CHECK(requests->lines[2].took == 5s);
  CHECK(requests->lines[2].bytes == left->written.size());
  CHECK(requests->lines[3].reason == "moved");
}

TEST_CASE("Prometheus gets the members of the targets that it names, as recent as any client", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 1));
  const std::string named = "/v1/prometheus?target=tpu:trainer,project=p,zone=z";
  const ExchangePtr one = loop.request("GET", named + "&port=8431");
  CHECK(one->answered.status == 200);
  CHECK(header_of(one, "Content-Type") == "application/json");
  CHECK(one->answered.body ==
        "[\n{\"targets\":[\"10.0.0.1:8431\"],\"labels\":{\"__meta_rollcall_target\":\"tpu:trainer,project=p,zone=z\","
        "\"__meta_rollcall_job\":\"worker\",\"__meta_rollcall_index\":\"0\",\"__meta_rollcall_zone\":\"z\",\"__meta_rollcall_ready\":"
        "\"true\"}}\n]\n");
  CHECK_THAT(loop.request("GET", named)->answered.body, Contains("[\"10.0.0.1:8470\"]"));
  loop.pass(11s);
  const ExchangePtr later = loop.request("GET", named);
  CHECK_FALSE(later->is_done);  // the known status is old: the answer waits for a poll, 5 s at most
  CHECK(loop.topic->polls_asked == 1);
  loop.pass(4s);
  loop.topic->show(workers_of(2, 2));
  loop.poll();
  CHECK_THAT(later->answered.body, Contains("10.0.0.1:8470") && Contains("10.0.0.2:8470"));
  loop.pass(60s);
  loop.topic->trouble("503");
  const ExchangePtr cut = loop.request("GET", named);
  loop.pass(5s);
  CHECK(cut->answered.status == 200);  // the last known status
  CHECK_THAT(cut->answered.body, Contains("10.0.0.2:8470"));
}

TEST_CASE("What was never seen is no empty list, and what is not there is one", "[fleet]") {
  ServiceLoop loop;
  const ExchangePtr never = loop.request("GET", "/v1/prometheus?target=tpu:trainer,project=p,zone=z");
  loop.pass(21s);
  CHECK(never->answered.status == 503);
  loop.topic->fail(Failure(Errc::not_found, "there is no such TPU"));
  CHECK(loop.request("GET", "/v1/prometheus?target=tpu:trainer,project=p,zone=z")->answered.body == "[\n]\n");
  CHECK(loop.request("GET", "/v1/prometheus")->answered.body == "[\n]\n");
  CHECK(loop.request("GET", "/v1/prometheus?target=tpu:local")->answered.status == 400);
  CHECK(loop.request("GET", "/v1/prometheus?port=0")->answered.status == 400);
  CHECK(loop.request("GET", "/v1/prometheus?ports=1")->answered.status == 400);
}

TEST_CASE("Prometheus gets the members of all followed targets", "[fleet]") {
  ServiceLoop loop;
  loop.topic->show(workers_of(2, 2));
  loop.topic->let_go();
  const auto idle = loop.clouds->named("tpu:idle,project=p,zone=z");
  idle->show(workers_of(1, 1));
  idle->let_go();
  CHECK(loop.request("GET", "/v1/prometheus")->answered.body == "[\n]\n");
  const ExchangePtr stream = loop.follow("");
  const std::string all = loop.request("GET", "/v1/prometheus?port=9100")->answered.body;
  CHECK_THAT(all, Contains("10.0.0.1:9100") && Contains("10.0.0.2:9100") && !Contains("idle"));
}

TEST_CASE("Metrics and members need a right", "[fleet]") {
  const auto rights = std::make_shared<ShutOut>();
  const auto requests = std::make_shared<KeptRequests>();
  fleet::FleetHttpOptions options = watched(requests);
  options.access = rights;
  ServiceLoop loop(options);
  loop.topic->show(workers_of(2, 2));
  loop.follow("", {"Authorization", "friend"});
  rights->names = {"test:stranger"};
  const auto ask = [&loop](const char* path, const char* who) { return loop.request("GET", path, {"Authorization", who}); };
  const char* const named = "/v1/prometheus?target=tpu:trainer,project=p,zone=z";
  CHECK(ask("/metrics", "friend")->answered.status == 200);
  CHECK(ask("/metrics", "stranger")->answered.status == 403);
  CHECK_THAT(ask(named, "friend")->answered.body, Contains("10.0.0.2"));
  CHECK(ask(named, "stranger")->answered.status == 403);
  CHECK_THAT(ask("/v1/prometheus", "friend")->answered.body, Contains("10.0.0.2"));
  CHECK(ask("/v1/prometheus", "stranger")->answered.body == "[\n]\n");
  loop.pass(11s);  // the known status is old: the answer waits for a poll, and its right is withdrawn meanwhile
  const ExchangePtr waits = ask(named, "friend");
  rights->names.insert("test:friend");
  loop.topic->poll();
  loop.poll();
  CHECK(waits->answered.status == 403);
  CHECK_THAT(ask("/metrics", "late")->answered.body, Contains("\nrollcall_serve_auth_total{method=\"test\",outcome=\"ok\"} 9\n"));
  CHECK(requests->lines.back().identity == "test:late");
}

TEST_CASE("A stream whose client reads nothing is slow by the limits of its own server", "[fleet]") {
  const auto requests = std::make_shared<KeptRequests>();
  fleet::FleetHttpOptions options = watched(requests);
  options.server_limits.write_time = 5s;
  ServiceLoop loop(options);
  loop.topic->show(workers_of(2, 1));
  const auto reason_after = [&loop, &requests](Duration silence) {
    const ExchangePtr stream = loop.follow("");
    stream->stick(true);
    loop.topic->show(workers_of(2, 2));
    loop.pass(silence);
    stream->leave();
    loop.poll();
    CHECK(stream->is_done);
    return requests->lines.back().reason;
  };
  CHECK(reason_after(4s) == "client");
  CHECK(reason_after(6s) == "slow");
}
