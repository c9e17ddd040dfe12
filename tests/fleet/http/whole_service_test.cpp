// The whole service over a simulated cloud, with HTTP as bytes: the fleet, its handler, and a client that reads a stream.
#include <catch2/catch.hpp>

#include "fleet/fleet_core.hpp"
#include "fleet/fleet_support.hpp"
#include "fleet/http/fleet_http.hpp"
#include "fleet/wire/event_stream.hpp"
#include "sim/serve/handler_transport.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

class WholeService : public FleetLoop {
 public:
  explicit WholeService(std::string_view text)
      : FleetLoop(text), service(std::make_shared<fleet::FleetHttp>(fleet)),
        http(sim::make_handler_transport(io.get_executor(), service->handler(), time)) {}

  std::shared_ptr<fleet::FleetHttp> service;
  std::shared_ptr<sim::HandlerTransport> http;
  std::string types;  // of the events of follow()
  std::vector<fleet::ServerEvent> events;

  static HttpRequest about(std::string_view query) {
    HttpRequest request(
        value_of(Url::parse("http://127.0.0.1:7070/v1/clusters/tpu:trainer,project=example-proj,zone=us-central2-b" + std::string(query))));
    return request;
  }
  Result<HttpResponse> get(HttpRequest request) { return run(http->send(std::move(request), patient())); }
  static const ExchangeOptions& patient() {
    static const ExchangeOptions options = [] {
      ExchangeOptions made;
      made.response_timeout = std::chrono::minutes(10);
      return made;
    }();
    return options;
  }
  asio::awaitable<Result<void>> follow(HttpRequest request) {
    request.headers.add("Accept", "text/event-stream");
    Result<std::unique_ptr<HttpStream>> stream = co_await http->open(request, patient());
    if (!stream) co_return stream.error();
    fleet::EventStreamReader reader(1 << 20);
    for (;;) {
      const Result<std::string_view> piece = co_await (*stream)->read();
      if (!piece) co_return piece.error();
      if (piece->empty()) co_return Result<void>();
      const Result<void> fed = reader.feed(*piece);
      if (!fed) co_return fed.error();
      while (std::optional<fleet::ServerEvent> event = reader.next()) {
        if (event->type != "beat") types += (types.empty() ? "" : " ") + event->type;
        events.push_back(std::move(*event));
      }
    }
  }
};

// Always ready; its spec is refused until it is granted, and finally it is deleted.
class RefusedSpec final : public ClusterResolver {
 public:
  explicit RefusedSpec(Runtime runtime) : ClusterResolver(std::move(runtime)) {
    status.members.emplace_back("worker", 0).address = "10.0.0.1:1";
    status.expected = 1;
  }
  std::string describe() const override { return "refused"; }
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override {
    if (!is_granted) co_return Failure(Errc::permission_denied, "no right to list instances");
    co_return status.spec();
  }
  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call&) override {
    if (is_gone) co_return Failure(Errc::not_found, "it was deleted");
    co_return status;
  }
  ClusterStatus status;
  bool is_granted = false;
  bool is_gone = false;
};

}  // namespace

TEST_CASE("A launcher follows its cluster from nothing to ready, and gets its own task", "[fleet]") {
  WholeService whole(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 30, "state": "READY"})"));
  HttpRequest request = WholeService::about("?view=task");
  const auto stream = whole.start(whole.follow(std::move(request)));
  whole.pass(60);
  CHECK(whole.types == "progress ready");
  CHECK_THAT(whole.events.back().data + whole.events[whole.events.size() - 2].data, Contains("\"age_ms\""));
  const auto ready = std::find_if(whole.events.begin(), whole.events.end(), [](const auto& one) { return one.type == "ready"; });
  REQUIRE(ready != whole.events.end());
  CHECK_THAT(ready->data, Contains("\"tasks\":2") && Contains("\"first\":\""));
  const HttpResponse spec = value_of(whole.get(WholeService::about("?view=spec")));
  CHECK(spec.status == 200);
  CHECK_THAT(spec.body, Contains("\"cluster\":{\"worker\":["));
  HttpRequest known = WholeService::about("?view=spec&wait=120");
  known.headers.add("If-None-Match", std::string(spec.headers.get("ETag").value_or("")));
  const SteadyTime asked = whole.time->now();
  CHECK(value_of(whole.get(std::move(known))).status == 304);
  CHECK(whole.time->now() - asked == 120s);
  CHECK_THAT(value_of(whole.get(WholeService::about("?view=history"))).body,
             Contains("provisioning") && Contains("\"ready\":2,\"total\":2}]}"));
  CHECK(whole.service->entry()->admission().slots() == 1);
  whole.service->entry()->close();
  whole.pass(1);
  CHECK(stream.done());
  CHECK(whole.types == "progress ready moved");
}

TEST_CASE("A target that does not exist is reported, or waited for if the question says so", "[fleet]") {
  WholeService whole(zone_of(1));
  const HttpResponse absent = value_of(whole.get(WholeService::about("")));
  CHECK(absent.status == 404);
  CHECK_THAT(absent.body, Contains("\"code\":\"not_found\""));
  CHECK_THAT(value_of(whole.get(WholeService::about("?existence=awaited"))).body, Contains("\"phase\":\"provisioning\""));
  const auto stream = whole.start(whole.follow(WholeService::about("")));
  whole.pass(20);
  CHECK(stream.done());
  CHECK(whole.types == "final");
}

TEST_CASE("A spec that was refused is polled again for a later client, and a deletion is reported at once", "[fleet]") {
  FleetLoop t(zone_of(1));
  const auto resolver = std::make_shared<RefusedSpec>(t.runtime);
  const auto maker = [resolver](Runtime, const std::string&) { return Result<std::shared_ptr<ClusterResolver>>(resolver); };
  const auto clusters = fleet::make_fleet(t.runtime, fleet::FleetOptions(), maker);
  const auto service = std::make_shared<fleet::FleetHttp>(clusters);
  const auto http = sim::make_handler_transport(t.io.get_executor(), service->handler(), t.time);
  const auto ask = [&] { return value_of(t.run(http->send(WholeService::about("?view=spec"), WholeService::patient()))).status; };
  CHECK(ask() == 409);
  t.pass(30);
  SteadyTime asked = t.time->now();
  CHECK(ask() == 409);  // again, by another poll
  CHECK(t.time->now() - asked < 5s);
  const bool is_granted_before = GENERATE(true, false);
  resolver->is_granted = is_granted_before;
  t.pass(30);
  if (is_granted_before) {
    CHECK(ask() == 200);
    t.pass(30);
  }
  resolver->is_gone = true;
  t.pass(60);
  asked = t.time->now();
  CHECK(ask() == 404);
  CHECK(t.time->now() - asked < 5s);
  clusters->close();
  t.poll();
}
