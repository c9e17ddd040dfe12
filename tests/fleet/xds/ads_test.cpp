// Streams of aggregated discovery: their answers, and when they come.
#include <catch2/catch.hpp>

#include "fleet/xds/ads_rig.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;
using fleet::ResourceType;

namespace {

const std::string name = AdsLoop::name;

// Members at 10.0.0.1:8470 and on; those after `ready` are waiting.
ClusterStatus waiting_workers(int workers, int ready) {
  ClusterStatus status = workers_of(workers, workers);
  for (int i = ready; i < workers; ++i) status.members[static_cast<std::size_t>(i)].state = Condition(MemberState::waiting, "CREATING");
  return status;
}

class ServedRequests final : public RequestLog {
 public:
  std::vector<std::string> lines;
  void on_request(const ServedRequest& event) noexcept override {
    const bool is_refusal = event.kind == ServedRequest::Kind::answer_refused;
    lines.push_back(fmt::format("{}{} {} {}", is_refusal ? "answer_refused " : "", event.request, event.target, event.reason));
  }
};

}  // namespace

TEST_CASE("A gRPC client is led from the name of a target to its members, and hears of each change", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(2, 2));
  const AdsClientPtr client = t.dial();
  t.ask(client, ResourceType::listener, {name});
  CHECK(client->received(ResourceType::listener) == "[" + name + "]");
  t.take(client, ResourceType::listener, {name});
  t.ask(client, ResourceType::cluster, {name});
  CHECK(client->received(ResourceType::cluster) == "[" + name + "]");
  t.take(client, ResourceType::cluster, {name});
  t.ask(client, ResourceType::endpoints, {name});
  CHECK(client->received(ResourceType::endpoints) == "[10.0.0.1:8470 10.0.0.2:8470]");
  t.take(client, ResourceType::endpoints, {name});
  const std::size_t before = client->answers.size();
  t.pass(10s);
  CHECK(client->answers.size() == before);
  t.topic->poll();  // and nothing new
  t.topic->trouble("the cloud does not answer");
  t.pass(10s);
  CHECK(client->answers.size() == before);
  t.topic->show(waiting_workers(3, 2));
  t.poll();
  CHECK(client->received(ResourceType::endpoints, before) == "[10.0.0.1:8470 10.0.0.2:8470 10.0.0.3:8470!]");
  CHECK(client->answers.size() == before + 1);
  CHECK(client->last().version_info() == t.clouds->position().to_text());
  CHECK_FALSE(client->end);
}

TEST_CASE("A target that was not polled yet is announced, and sent when it is known", "[fleet]") {
  AdsLoop t;
  const AdsClientPtr client = t.dial();
  t.ask(client, ResourceType::listener, {name});
  t.ask(client, ResourceType::cluster, {name});
  t.ask(client, ResourceType::endpoints, {name});
  CHECK(client->received(ResourceType::listener) == "[" + name + "]");
  CHECK(client->received(ResourceType::cluster) == "[" + name + "]");
  CHECK(client->received(ResourceType::endpoints).empty());
  CHECK(t.topic->listeners() > 0);
  t.topic->show(workers_of(1, 1));
  t.poll();
  CHECK(client->received(ResourceType::endpoints) == "[10.0.0.1:8470]");
}

TEST_CASE("A target that is gone has no endpoints, and its listener and cluster are left out until it is back", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(1, 1));
  const AdsClientPtr client = t.dial();
  for (const ResourceType type : {ResourceType::listener, ResourceType::cluster, ResourceType::endpoints}) t.ask(client, type, {name});
  const std::size_t before = client->answers.size();
  t.topic->fail(Failure(Errc::not_found, "there is no trainer"));
  t.pass(1s);
  CHECK(client->received(ResourceType::endpoints, before) == "[]");
  CHECK(client->received(ResourceType::listener, before) == "[]");
  CHECK(client->received(ResourceType::cluster, before) == "[]");
  const std::size_t gone = client->answers.size();
  t.topic->show(workers_of(2, 2));
  t.pass(1s);
  CHECK(client->received(ResourceType::endpoints, gone) == "[10.0.0.1:8470 10.0.0.2:8470]");
  CHECK(client->received(ResourceType::listener, gone) == "[" + name + "]");
}

TEST_CASE("What is no target, or none for a service, is left out as what is not there", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(1, 1));
  const AdsClientPtr client = t.dial();
  t.ask(client, ResourceType::cluster, {name, "no target", "file:/etc/passwd", "tpu:a,project=p,zone=z,endpoint=http://evil", "auto:", ""});
  CHECK(client->received(ResourceType::cluster) == "[" + name + "]");
  t.pass(2min);
  CHECK(client->answers.size() == 1);
  CHECK(t.clouds->topics().size() == 1);
}

TEST_CASE("A client that reads slowly gets the latest state only, and is dropped when it reads nothing for long", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(1, 1));
  const AdsClientPtr client = t.dial();
  client->is_stuck = true;
  t.ask(client, ResourceType::endpoints, {name});
  REQUIRE(client->answers.size() == 1);
  for (int i = 2; i < 12; ++i) {
    t.topic->show(workers_of(i, i));
    t.pass(1s);
  }
  CHECK(client->answers.size() == 1);
  t.read_on(client);
  REQUIRE(client->answers.size() == 2);
  CHECK_THAT(client->received(ResourceType::endpoints), Contains("10.0.0.11:8470"));
  client->is_stuck = true;
  t.topic->show(workers_of(1, 1));
  t.pass(29s);
  CHECK_FALSE(client->end);
  t.pass(2s);
  REQUIRE(client->end);
  CHECK(client->end->first == RpcStatus::unavailable);
  CHECK(t.followers() == 0);
  CHECK_THAT(t.metrics(), Contains(R"(dropped_total{reason="slow"} 1)"));
}

TEST_CASE("A cluster that changes all the time is sent at a limited pace", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(5000, 1));
  const AdsClientPtr client = t.dial();
  t.ask(client, ResourceType::endpoints, {name});
  for (int i = 2; i <= 101; ++i) {
    t.topic->show(workers_of(5000, i));
    t.pass(10ms);
  }
  t.pass(1s);
  CHECK(client->answers.size() <= 6);  // 200 ms, and 100 ms for 5,000 members
  CHECK(client->answers.size() >= 4);
  CHECK_THAT(client->received(ResourceType::endpoints, client->answers.size() - 1), Contains("10.0.0.101:8470"));
}

TEST_CASE("A client that rejects an answer is counted and logged once, keeps its stream, and gets the next answer", "[fleet]") {
  const auto log = std::make_shared<ServedRequests>();
  fleet::FleetHttpOptions options;
  options.watchers.requests = log;
  AdsLoop t(options);
  t.topic->show(workers_of(1, 1));
  const AdsClientPtr client = t.dial();
  t.ask(client, ResourceType::cluster, {name});
  for (int i = 0; i < 20; ++i)
    t.ask(client, ResourceType::cluster, {name}, client->last().nonce(), "no\nsuch \x1b[31mcluster" + std::string(2000, 'x'));
  CHECK(client->answers.size() == 1);
  CHECK_FALSE(client->end);
  CHECK_THAT(t.metrics(), Contains(R"(discovery_refused_total{type="clusters"} 1)") && Contains(R"(followers{view="xds"} 1)"));
  int refusals = 0;
  for (const std::string& line : log->lines) {
    if (line.find("answer_refused") == std::string::npos) continue;
    ++refusals;
    CHECK_THAT(line, Contains("'node-1'") && Contains("clusters") && Contains("no") && !Contains("\x1b") && !Contains("\n"));
    CHECK(line.size() < 600);
  }
  CHECK(refusals == 1);
}

TEST_CASE("Names that are not asked for any more are followed no longer", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(1, 1));
  const auto other = t.clouds->named("tpu:other,project=p,zone=z");
  const AdsClientPtr client = t.dial();
  t.ask(client, ResourceType::endpoints, {name, other->target()});
  CHECK(t.topic->listeners() == 1);
  CHECK(other->listeners() == 1);
  t.take(client, ResourceType::endpoints, {other->target()});
  CHECK(t.topic->listeners() == 0);
  CHECK(other->listeners() == 1);
  client->has_left = true;
  client->wake();
  t.poll();
  CHECK(other->listeners() == 0);
  REQUIRE(client->end);
  CHECK(t.followers() == 0);
}

TEST_CASE("Envoy asks for all clusters: those that are followed, which its list does not keep alive", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(1, 1));
  const auto other = t.clouds->named("tpu:other,project=p,zone=z");
  other->show(workers_of(2, 2));
  const AdsClientPtr client = t.dial();
  t.ask(client, ResourceType::cluster, {});
  CHECK(client->received(ResourceType::cluster) == "[" + other->target() + " | " + name + "]");
  t.take(client, ResourceType::cluster, {});
  t.ask(client, ResourceType::endpoints, {name, other->target()});
  CHECK(client->received(ResourceType::endpoints) == "[10.0.0.1:8470 10.0.0.2:8470 | 10.0.0.1:8470]");
  CHECK(t.topic->listeners() == 0);
  CHECK(other->listeners() == 0);
  // Changes are still noticed.
  std::size_t before = client->answers.size();
  other->show(workers_of(3, 3));
  t.pass(1100ms);
  CHECK(client->received(ResourceType::endpoints, before) == "[10.0.0.1:8470 10.0.0.2:8470 10.0.0.3:8470]");
  before = client->answers.size();
  other->let_go();
  t.pass(2s);
  CHECK(client->received(ResourceType::cluster, before) == "[" + name + "]");
  CHECK(other->listeners() == 0);
  t.clouds->named("tpu:new,project=p,zone=z");
  t.pass(2s);
  CHECK_THAT(client->received(ResourceType::cluster, before), Contains("[tpu:new,project=p,zone=z | " + name + "]"));
}

TEST_CASE("Streams end when the service does, within its time, and the others find a server that goes on", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(1, 1));
  std::vector<AdsClientPtr> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(t.dial("", fmt::format("127.0.0.{}", i + 1)));
    t.ask(clients.back(), ResourceType::endpoints, {name});
  }
  t.service.close(10s);
  t.ads->close(10s);
  const auto ended = [&clients] {
    return std::count_if(clients.begin(), clients.end(), [](const auto& one) { return one->end.has_value(); });
  };
  t.pass(5s);
  CHECK(ended() > 2);
  CHECK(ended() < 18);
  t.pass(6s);
  CHECK(ended() == 20);
  for (const AdsClientPtr& client : clients) CHECK(client->end->first == RpcStatus::unavailable);
  CHECK(t.followers() == 0);
}

TEST_CASE("Where another leader goes on, discovery goes on with what it says", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(2, 2));
  const AdsClientPtr client = t.dial();
  t.ask(client, ResourceType::endpoints, {name});
  CHECK(client->received(ResourceType::endpoints) == "[10.0.0.1:8470 10.0.0.2:8470]");
  t.take(client, ResourceType::endpoints, {name});
  const std::size_t before = client->answers.size();
  t.clouds->begin_epoch(77);
  t.clouds->named(name)->show(workers_of(3, 3));
  t.pass(2s);
  CHECK(client->received(ResourceType::endpoints, before) == "[10.0.0.1:8470 10.0.0.2:8470 10.0.0.3:8470]");
  CHECK(t.clouds->named(name)->listeners() > 0);
  CHECK_FALSE(client->end);
}

TEST_CASE("Names are judged so many a turn, and so many a second", "[fleet]") {
  const auto access = std::make_shared<ScriptedAccess>();
  access->rights["a"] = {"trainer"};
  AdsLoop t(access);
  t.topic->show(workers_of(1, 1));
  const AdsClientPtr client = t.dial("a");
  for (int i = 0; i < 9; ++i) {
    std::vector<std::string> names;
    for (int k = 0; k < 900; ++k) names.push_back(fmt::format("tpu:other{}-{},project=p,zone=z", i, k));
    names.emplace_back(name);
    client->requests.push_back(asked(ResourceType::cluster, names, "", ""));
  }
  access->judged = 0;
  client->wake();
  t.io.restart();
  std::size_t turns = 0;
  int max = 0;
  for (int before = 0; t.io.poll_one() > 0; before = access->judged, ++turns) max = std::max(max, access->judged - before);
  CHECK(max <= 510);
  CHECK(access->judged > 900);
  CHECK(access->judged <= 2010);
  t.pass(2s);
  CHECK(client->received(ResourceType::cluster) == "[" + name + "]");
}
