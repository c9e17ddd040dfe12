// Rights in aggregated discovery, and hostile clients.
#include <catch2/catch.hpp>

#include "fleet/xds/ads_rig.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;
using fleet::ResourceType;

namespace {

const std::string other_name = "tpu:other,project=p,zone=z";

class GrantedLoop {
 public:
  explicit GrantedLoop(const FleetBounds& bounds = {}) : loop(access, bounds) {
    access->rights["a"] = {"trainer"};
    access->rights["b"] = {"trainer", "other"};
    loop.topic->show(workers_of(1, 1));
    loop.clouds->named(other_name)->show(workers_of(2, 2));
  }
  void change_rights() {
    ++access->changes;
    loop.service.judge_again();
    loop.poll();
  }
  std::shared_ptr<ScriptedAccess> access = std::make_shared<ScriptedAccess>();
  AdsLoop loop;
};

}  // namespace

TEST_CASE("A stream without a proof of identity ends before its requests are read", "[fleet]") {
  GrantedLoop t;
  for (const std::string& who : {std::string(), std::string("unknown")}) {
    const AdsClientPtr client = t.loop.dial(who);
    REQUIRE(client->end);
    CHECK(client->end->first == RpcStatus::unauthenticated);
    t.loop.ask(client, ResourceType::endpoints, {AdsLoop::name});
    CHECK(client->answers.empty());
  }
  CHECK(t.loop.followers() == 0);
}

TEST_CASE("A name that may not be read is left out, and the others are answered", "[fleet]") {
  GrantedLoop t;
  const AdsClientPtr client = t.loop.dial("a");
  t.loop.ask(client, ResourceType::cluster, {AdsLoop::name, other_name, "tpu:absent,project=p,zone=z"});
  t.loop.ask(client, ResourceType::endpoints, {AdsLoop::name, other_name});
  CHECK(client->received(ResourceType::cluster) == std::string("[") + AdsLoop::name + "]");
  CHECK(client->received(ResourceType::endpoints) == "[10.0.0.1:8470]");
  CHECK(t.loop.clouds->named(other_name)->listeners() == 0);
  const AdsClientPtr all = t.loop.dial("a");
  t.loop.ask(all, ResourceType::cluster, {});
  CHECK(all->received(ResourceType::cluster) == std::string("[") + AdsLoop::name + "]");
}

TEST_CASE("Rights that change hold for streams that are open", "[fleet]") {
  GrantedLoop t;
  const AdsClientPtr client = t.loop.dial("a");
  const AdsClientPtr all = t.loop.dial("a");
  t.loop.ask(client, ResourceType::cluster, {AdsLoop::name, other_name});
  t.loop.ask(client, ResourceType::endpoints, {AdsLoop::name, other_name});
  t.loop.ask(all, ResourceType::cluster, {});
  std::size_t before = client->answers.size();
  t.access->rights["a"] = {"trainer", "other"};
  t.change_rights();
  t.loop.pass(2s);
  CHECK(client->received(ResourceType::endpoints, before) == "[10.0.0.1:8470 10.0.0.2:8470]");
  CHECK(all->received(ResourceType::cluster) == fmt::format("[{0}][{1} | {0}]", AdsLoop::name, other_name));
  before = client->answers.size();
  t.access->rights["a"] = {"nothing"};
  t.change_rights();
  t.loop.topic->show(workers_of(9, 9));
  t.loop.pass(2s);
  CHECK(client->received(ResourceType::cluster, before) == "[]");
  CHECK(client->received(ResourceType::endpoints, before).empty());
  CHECK(all->received(ResourceType::cluster, 2) == "[]");
  CHECK_FALSE(client->end);
}

TEST_CASE("A stream ends with its client's proof: at its time, when it is withdrawn, and when all clients have to authenticate again",
          "[fleet]") {
  GrantedLoop t;
  t.access->ends["a"] = t.loop.time->wall_now() + 100s;
  const AdsClientPtr dated = t.loop.dial("a");
  const AdsClientPtr withdrawn = t.loop.dial("b");
  t.loop.ask(dated, ResourceType::endpoints, {AdsLoop::name});
  t.loop.pass(150s);
  CHECK_FALSE(dated->end);  // 60 s grace period
  t.loop.pass(12s);
  REQUIRE(dated->end);
  CHECK(dated->end->first == RpcStatus::unauthenticated);
  CHECK_FALSE(withdrawn->end);
  t.access->proof->is_over = true;
  t.loop.pass(2s);
  REQUIRE(withdrawn->end);
  CHECK(withdrawn->end->first == RpcStatus::unauthenticated);
  t.access->proof = std::make_shared<fleet::LivingProof>();
  const AdsClientPtr third = t.loop.dial("b");
  CHECK_FALSE(third->end);
  t.loop.service.require_reauthentication();
  t.loop.pass(2s);
  CHECK(third->end);
}

TEST_CASE("Streams of a client are bounded, and those of all together", "[fleet]") {
  FleetBounds bounds;
  bounds.streams_a_client = 2;
  bounds.followers = 3;
  GrantedLoop t(bounds);
  const AdsClientPtr first = t.loop.dial("a");
  const AdsClientPtr second = t.loop.dial("a");
  const AdsClientPtr third = t.loop.dial("a");
  CHECK_FALSE(second->end);
  REQUIRE(third->end);
  CHECK(third->end->first == RpcStatus::resource_exhausted);
  CHECK_FALSE(t.loop.dial("b")->end);
  REQUIRE(t.loop.dial("b", "192.0.2.2")->end);
  first->has_left = true;
  first->wake();
  t.loop.poll();
  CHECK_FALSE(t.loop.dial("a")->end);
}

TEST_CASE("Garbage ends its own stream and no other", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(1, 1));
  const AdsClientPtr good = t.dial();
  t.ask(good, ResourceType::endpoints, {AdsLoop::name});
  std::vector<std::string> many;
  for (int i = 0; i < 100'000; ++i) many.push_back(fmt::format("tpu:n{},project=p,zone=z", i));
  for (const std::string& message : {std::string("\xff\xff\xff\xff\xff"), std::string("\x1a\x7f"), asked(ResourceType::endpoints, many)}) {
    const AdsClientPtr client = t.dial();
    t.send(client, message);
    REQUIRE(client->end);
    const bool is_refusal = client->end->first == RpcStatus::invalid_argument || client->end->first == RpcStatus::resource_exhausted;
    CHECK(is_refusal);
    CHECK(client->answers.empty());
  }
  CHECK(t.clouds->topics().size() == 1);
  CHECK_FALSE(good->end);
  t.topic->show(workers_of(2, 2));
  t.pass(1s);
  CHECK(good->answers.size() == 2);
}

TEST_CASE("Requests for unknown types are ignored and do no harm", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(1, 1));
  const AdsClientPtr client = t.dial();
  t.send(client, asked("type.googleapis.com/envoy.config.route.v3.RouteConfiguration", {AdsLoop::name}));
  t.send(client, asked("", {AdsLoop::name}));
  t.send(client, asked(std::string(100'000, 't'), {AdsLoop::name}));
  CHECK(client->answers.empty());
  CHECK_FALSE(client->end);
  t.ask(client, ResourceType::endpoints, {AdsLoop::name});
  CHECK(client->answers.size() == 1);
}

TEST_CASE("A client that sends without end is read at a pace", "[fleet]") {
  AdsLoop t;
  t.topic->show(workers_of(1, 1));
  const AdsClientPtr client = t.dial();
  for (int i = 0; i < 1000; ++i) client->requests.push_back(asked(ResourceType::endpoints, {AdsLoop::name}));
  client->wake();
  t.poll();
  CHECK(client->requests.size() == 950);
  t.pass(1s);
  CHECK(client->requests.size() == 900);
  CHECK(client->answers.size() == 1);
}

TEST_CASE("One target under many names is answered under some: each name has its endpoints in memory", "[fleet]") {
  AdsLoop t;
  t.clouds->named("tpu:trainer,project=abcdef,zone=z")->show(workers_of(1, 1));
  std::vector<std::string> spellings;
  for (unsigned i = 0; i < 40; ++i) {
    std::string project;
    for (unsigned letter = 0; letter < 6; ++letter) {
      const char c = static_cast<char>('a' + letter);
      project += (i >> letter & 1u) != 0 ? fmt::format("%{:02x}", c) : std::string(1, c);
    }
    spellings.push_back("tpu:trainer,project=" + project + ",zone=z");
  }
  const AdsClientPtr client = t.dial();
  t.ask(client, ResourceType::endpoints, spellings);
  REQUIRE(client->answers.size() == 1);
  CHECK(client->last().resources_size() == 16);
  // After these names are unsubscribed, others are answered.
  client->has_left = true;
  client->wake();
  t.poll();
  const AdsClientPtr next = t.dial();
  t.ask(next, ResourceType::endpoints, {spellings.back()});
  REQUIRE(next->answers.size() == 1);
  CHECK(next->last().resources_size() == 1);
}

TEST_CASE("A client that names too many new targets gets those up to its limit", "[fleet]") {
  FleetBounds bounds;
  bounds.unknown_targets_an_hour = 5;
  GrantedLoop t(bounds);
  std::vector<std::string> many;
  for (int i = 0; i < 20; ++i) many.push_back(fmt::format("tpu:trainer{},project=p,zone=z", i));
  const AdsClientPtr client = t.loop.dial("a");
  t.loop.ask(client, ResourceType::cluster, many);
  REQUIRE(client->answers.size() == 1);
  CHECK(client->last().resources_size() == 5);
  CHECK(t.loop.clouds->topics().size() == 7);
  t.loop.pass(10min);
  CHECK(t.loop.clouds->topics().size() == 7);
}
