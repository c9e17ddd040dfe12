// Polls besides the usual ones: of queued targets, refresh requests, and calls for specs.
#include "fleet/fleet_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("a queued resource is looked at every half minute, and others of its zone at their pace") {
  FleetLoop t(
      R"({"nodes": [{"name": "trainer"}], "queued_resources": [{"name": "later", "node_id": "later", "provisioning_after": 1000, "node": {"accelerator_type": "v4-8"}}]})");
  Ear ear;
  Ear other;
  const auto queued = t.tpu("qr/later");
  const auto node = t.tpu("trainer");
  queued->listen(ear);
  node->listen(other);
  t.pass(300);
  REQUIRE(queued->known().status);
  CHECK(queued->known().status->phase == ClusterPhase::queued);
  CHECK(ear.sent >= 8);
  CHECK(ear.sent <= 14);
  CHECK(other.sent >= 28);
}

TEST_CASE("a refresh request has the source polled soon, but no more often than every two seconds") {
  FleetLoop t(trainer(R"({"at": 0, "state": "READY"})"));
  Ear ear;
  const auto topic = t.tpu("trainer");
  topic->listen(ear);
  t.pass(60);
  const std::uint64_t asked = t.asked_for_nodes();
  for (int i = 0; i < 200; ++i) {
    topic->refresh_soon();
    t.pass(0.1);
  }
  CHECK(t.asked_for_nodes() - asked >= 9);
  CHECK(t.asked_for_nodes() - asked <= 12);
  CHECK(t.age(*topic) < 2.2);
}

TEST_CASE("the spec comes with the status, of the same answer, and again when that has changed") {
  FleetLoop t(zone_of(8));
  std::deque<Ear> ears;
  for (int i = 0; i < 8; ++i) ears.emplace_back(true);
  std::vector<std::shared_ptr<fleet::Topic>> topics;
  for (int i = 0; i < 8; ++i) topics.push_back(t.tpu(fmt::format("n{}", i)));
  for (int i = 0; i < 8; ++i) topics[i]->listen(ears[i]);
  t.pass(1);
  CHECK(t.asked_for_nodes() == 1);
  REQUIRE(topics[3]->known().spec);
  CHECK((*topics[3]->known().spec)->num_tasks("worker").value() == 1);
  CHECK(topics[3]->known().spec_revision > topics[3]->known().revision);

  FleetLoop alone(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 20, "state": "READY"}, {"at": 80, "state": "PREEMPTED"})"));
  Ear first;
  const auto topic = alone.tpu("trainer");
  topic->listen(first);
  alone.pass(10);
  CHECK(!topic->known().spec);
  {
    Ear wanting(true);
    topic->listen(wanting);
    alone.pass(1);
    REQUIRE(topic->known().spec);
    CHECK(topic->known().spec->has_error());
    const std::uint64_t asked = alone.asked_for_nodes();
    alone.pass(20);
    REQUIRE(topic->known().spec->has_value());
    CHECK((*topic->known().spec)->num_tasks("worker").value() == 2);
    CHECK(alone.asked_for_nodes() - asked <= 8);
  }
  alone.pass(30);
  CHECK(topic->known().spec);
  alone.pass(60);
  CHECK(!topic->known().spec);  // it would belong to another status
}

TEST_CASE("a target whose service does not answer delays no other target of its zone, new ones neither") {
  FleetLoop t(zone_of(8, R"(, "faults": [{"match": {"path": "*/nodes/n0"}, "fault": "stall", "bytes": 0}])"));
  std::deque<Ear> ears(4);
  const auto slow = t.tpu("n0");
  const auto sound = t.tpu("n1");
  slow->listen(ears[0]);
  sound->listen(ears[1]);
  double oldest = 0;
  for (int i = 0; i < 120; ++i) {
    t.pass(1);
    oldest = std::max(oldest, t.age(*sound));
    if (i == 40) {
      const auto added = t.tpu("n2");
      added->listen(ears[2]);
      CHECK(t.pass_until([&added] { return added->known().status != nullptr; }, 5) < 0.1);
    }
  }
  CHECK(oldest < 12.1);
  CHECK(!slow->known().trouble.empty());
  CHECK(!slow->known().polled_at);
  CHECK(t.asked_for_nodes() <= 45);
}

TEST_CASE("targets that come with one turn of the loop, each in a handler of its own, share a list") {
  FleetLoop t(zone_of(200));
  std::deque<Ear> ears(200);
  for (int i = 0; i < 200; ++i) asio::post(t.io, [&t, &ears, i] { t.tpu(fmt::format("n{}", i))->listen(ears[i]); });
  t.pass(1);
  CHECK(t.asked("nodes.list") == 1);
  CHECK(t.asked("nodes.get") == 0);
}

TEST_CASE("groups that take many requests are looked at as often as the quota has it, wishes or not") {
  std::string groups;
  for (int i = 0; i < 100; ++i) groups += fmt::format(R"({}{{"name": "g{}", "instances": ["vm{}"]}})", i == 0 ? "" : ", ", i, i);
  FleetLoop t(R"({"compute": {"instances": [{"name": "vm{i}", "count": 100}], "groups": [)" + groups + "]}}");
  std::deque<Ear> ears(100);
  std::vector<std::shared_ptr<fleet::Topic>> topics;
  for (int i = 0; i < 100; ++i) topics.push_back(t.topic(fmt::format("gce:g{},project=example-proj,zone=us-central2-b,port=1", i)));
  for (int i = 0; i < 100; ++i) topics[i]->listen(ears[i]);
  t.pass(1);
  CHECK(topics[99]->known().generation == 1);
  const auto asked = [&t] { return t.asked("instanceGroups.listInstances") + t.asked("instances.get") + t.asked("instances.list"); };
  const std::uint64_t first = asked();
  CHECK(first <= 200);
  for (int i = 0; i < 600; ++i) {
    topics[i % 100]->refresh_soon();
    t.pass(1);
  }
  CHECK(asked() - first <= 11 * 300);
  CHECK(asked() - first >= 5 * 300);
}

TEST_CASE("the zones of a project keep to its quota together, by the looks a minute that are set for it") {
  std::string groups;
  for (int i = 0; i < 80; ++i) {
    const char* const zone = i % 2 == 0 ? "us-central2-b" : "us-west4-a";
    groups += fmt::format(R"({}{{"name": "g{}", "zone": "{}", "instances": []}})", i == 0 ? "" : ", ", i, zone);
  }
  fleet::FleetOptions options = fleet_options();
  options.polls_per_minute_of = {{"example-proj", 100}};
  FleetLoop t(R"({"zones": ["us-west4-a"], "compute": {"groups": [)" + groups + "]}}", options);
  std::deque<Ear> ears(80);
  std::vector<std::shared_ptr<fleet::Topic>> topics;
  for (int i = 0; i < 80; ++i) {
    topics.push_back(t.topic(fmt::format("gce:g{},project=example-proj,zone={},port=1", i, i % 2 == 0 ? "us-central2-b" : "us-west4-a")));
    topics.back()->listen(ears[i]);
  }
  t.pass(1);
  const auto asked = [&t] { return t.asked("instanceGroups.listInstances") + t.asked("instances.get") + t.asked("instances.list"); };
  const std::uint64_t first = asked();
  CHECK(first >= 80);
  t.pass(1200);
  CHECK(asked() - first <= 22 * 100);
  CHECK(asked() - first >= 5 * 100);
}

TEST_CASE("a cloud that falls silent is reported before its polls time out, and one that always takes long is not") {
  FleetLoop t(zone_of(1, R"(, "faults": [{"from": "20s", "until": "60s", "fault": "stall", "bytes": 0}])"));
  const auto topic = t.tpu("n0");
  Ear ear;
  topic->listen(ear);
  t.pass(20);
  REQUIRE(topic->known().status);
  CHECK(topic->known().trouble.empty());
  // A poll begins at most twelve seconds after the one before.
  const double silent = t.pass_until([&topic] { return !topic->known().trouble.empty(); }, 60);
  CAPTURE(silent, topic->known().trouble);
  CHECK(silent < 18);
  CHECK(topic->known().trouble.find("no answer for 5 s") != std::string::npos);
  CHECK(topic->known().status);
  t.pass(60);
  CHECK(topic->known().trouble.empty());

  FleetLoop slow(zone_of(1, R"(, "faults": [{"from": "0s", "until": "20s", "delay": 4}, {"from": "20s", "delay": 9}])"));
  const auto other = slow.tpu("n0");
  Ear other_ear;
  other->listen(other_ear);
  bool had_trouble = false;
  other_ear.then = [&] { had_trouble = had_trouble || !other->known().trouble.empty(); };
  slow.pass(120);
  CHECK(other->known().status);
  CHECK_FALSE(had_trouble);
}

TEST_CASE("a queued resource whose poll meets the quota is not polled again on request until its pause is over") {
  FleetLoop t(R"({"nodes": [], "queued_resources": [{"name": "later", "node_id": "later", "provisioning_after": 1000,
                  "node": {"accelerator_type": "v4-8"}}],
                  "faults": [{"match": {"path": "*/queuedResources*"}, "status": 429, "from": "60s"}]})");
  Ear ear;
  const auto queued = t.tpu("qr/later");
  queued->listen(ear);
  t.pass(59);
  REQUIRE(queued->known().status);
  CHECK(queued->known().status->phase == ClusterPhase::queued);
  const auto asked = [&t] { return t.asked("queuedResources.get") + t.asked("queuedResources.list"); };
  t.pass_until([&queued] { return !queued->known().trouble.empty(); }, 60);
  REQUIRE(!queued->known().trouble.empty());
  const std::uint64_t before = asked();
  for (int i = 0; i < 200; ++i) {
    queued->refresh_soon();
    t.pass(0.1);
  }
  CHECK(asked() == before);
  t.pass(100);
  CHECK(asked() >= before + 2);
  CHECK(asked() <= before + 6);
}

TEST_CASE("a refusal for too many requests does not count as the usual time of an answer") {
  FleetLoop t(zone_of(1, R"(, "faults": [{"until": "60s", "delay": 4}, {"from": "60s", "until": "75s", "status": 429},
                             {"from": "75s", "delay": 9}])"));
  const auto topic = t.tpu("n0");
  Ear ear;
  topic->listen(ear);
  std::set<std::string> troubles;
  ear.then = [&] { troubles.insert(topic->known().trouble); };
  t.pass(150);
  std::string all;
  for (const std::string& one : troubles) all += one + "\n";
  CAPTURE(all);
  CHECK(troubles.size() == 2);  // none, and too many requests
  CHECK(all.find("no answer for") == std::string::npos);
  CHECK(topic->known().trouble.empty());
}
