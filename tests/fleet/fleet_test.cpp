// A fleet that polls: its requests, their times, and its reports.
#include <fmt/format.h>

#include "fleet/fleet_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

TEST_CASE("ten thousand listeners of one target make one request") {
  FleetLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 100, "state": "READY"})"));
  std::deque<Ear> ears(10'000);
  const auto topic = t.tpu("trainer");
  for (Ear& ear : ears) topic->listen(ear);
  t.poll();
  CHECK(topic->listeners() == 10'000);
  t.pass(1);
  CHECK(t.asked_for_nodes() == 1);
  REQUIRE(topic->known().status);
  CHECK(topic->known().status->phase == ClusterPhase::provisioning);
  CHECK(topic->known().generation == 0);
  CHECK(ears.front().sent == 1);
  CHECK(ears.back().sent == 1);
  t.pass(59);
  CHECK(t.asked_for_nodes() <= 12);
  t.pass(51);
  CHECK(topic->known().generation == 1);
  CHECK(topic->known().status->spec().num_tasks("worker").value() == 2);
  REQUIRE(topic->history().size() == 2);
  CHECK(topic->history().front().state == topic->known().status->state.text);
  CHECK(topic->history().front().ready == 0);
  CHECK(topic->history().back().phase == ClusterPhase::running);
  CHECK(topic->history().back().ready == 2);
  CHECK(topic->history().back().total == 2);
  CHECK(t.age(*topic) <= 12.1);
}

TEST_CASE("a thousand targets of a zone that come in one turn share a list, and at most thirty requests a minute", "[long]") {
  FleetLoop t(zone_of(1000));
  std::deque<Ear> ears(1000);
  std::vector<std::shared_ptr<fleet::Topic>> topics;
  for (int i = 0; i < 1000; ++i) topics.push_back(t.tpu(fmt::format("n{}", i)));
  for (int i = 0; i < 1000; ++i) topics[i]->listen(ears[i]);
  t.pass(1);
  CHECK(t.asked("nodes.list") == 1);
  CHECK(t.asked("nodes.get") == 0);
  CHECK(topics[0]->known().generation == 1);
  CHECK(topics[999]->known().generation == 1);
  t.pass(59);
  CHECK(t.asked("nodes.list") <= 12);
  t.pass(120);
  CHECK(t.asked("nodes.list") <= 12 + 2 * 8);
  CHECK(t.asked("nodes.get") == 0);
  CHECK(t.fleet->position().revision == 1000);
}

TEST_CASE("targets that come one by one are asked for at once, and then more and more together", "[long]") {
  FleetLoop t(zone_of(1000));
  std::deque<Ear> ears(1000);
  double max = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto topic = t.tpu(fmt::format("n{}", i));
    topic->listen(ears[i]);
    const double before = t.elapsed();
    if (i < 5) max = std::max(max, t.pass_until([&topic] { return topic->known().status != nullptr; }, 5));
    t.pass(0.06 - (t.elapsed() - before) > 0 ? 0.06 - (t.elapsed() - before) : 0);
  }
  CHECK(max < 0.06);
  CHECK(t.elapsed() <= 61);
  CHECK(t.asked_for_nodes() <= 8 + 37);  // at most a poll each 1.6 s, and eight at once
  t.pass(3);
  for (const auto& topic : t.fleet->topics()) CHECK(topic->known().status);
}

TEST_CASE("what does not exist is looked for again, no more often than every ten seconds, until it is there") {
  FleetLoop t(trainer(R"({"at": 0, "state": "DELETED"}, {"at": 95, "state": "CREATING"}, {"at": 125, "state": "READY"})"));
  Ear ear;
  const auto topic = t.tpu("trainer");
  topic->listen(ear);
  t.pass(1);
  REQUIRE(topic->known().failure);
  CHECK(topic->known().failure->code() == Errc::not_found);
  CHECK(topic->known().polled_at.has_value());
  const std::uint64_t sent = topic->known().revision;
  for (int i = 0; i < 60; ++i) {
    topic->refresh_soon();
    t.pass(1);
  }
  CHECK(t.asked_for_nodes() >= 5);
  CHECK(t.asked_for_nodes() <= 7);
  CHECK(topic->known().revision == sent);
  t.pass(46);
  CHECK(!topic->known().failure);
  REQUIRE(topic->known().status);
  CHECK(topic->known().status->phase == ClusterPhase::provisioning);
  t.pass(30);
  CHECK(topic->known().generation == 1);
}

TEST_CASE("an outage is reported as trouble, the status stays and ages, and recovery ends it") {
  FleetLoop t(zone_of(20, R"(, "faults": [{"match": {"path": "*/nodes*"}, "status": 503, "from": "10s", "until": "300s"}])"));
  std::deque<Ear> ears(20);
  std::vector<std::shared_ptr<fleet::Topic>> topics;
  for (int i = 0; i < 20; ++i) topics.push_back(t.tpu(fmt::format("n{}", i)));
  for (int i = 0; i < 20; ++i) topics[i]->listen(ears[i]);
  t.pass(60);
  const std::uint64_t before = t.asked_for_nodes();
  CHECK_THAT(topics[7]->known().trouble, Contains("503"));
  CHECK(topics[7]->known().status);
  CHECK(!topics[7]->known().failure);
  CHECK(t.age(*topics[7]) > 45);
  t.pass(180);
  CHECK(t.asked_for_nodes() - before <= 3 * 12);
  CHECK(topics[7]->known().generation == 1);
  t.pass(75);
  CHECK(topics[7]->known().trouble.empty());
  CHECK(t.age(*topics[7]) < 13);
  CHECK(topics[7]->known().generation == 1);
}

TEST_CASE("too many requests are trouble, and slow the source down at once") {
  FleetLoop t(
      trainer(R"({"at": 0, "state": "READY"})", R"(, "faults": [{"match": {"route": "nodes.get"}, "status": 429, "until": "60s"}])"));
  Ear ear;
  const auto topic = t.tpu("trainer");
  topic->listen(ear);
  t.pass(59);
  CHECK(!topic->known().trouble.empty());
  CHECK(!topic->known().failure);
  CHECK(!topic->known().polled_at);
  CHECK(t.asked_for_nodes() <= 6);
  t.pass(20);
  CHECK(topic->known().trouble.empty());
  CHECK(topic->known().status);
}

TEST_CASE("a refusal is a failure that is looked at slowly, and a later answer clears it") {
  FleetLoop t(trainer(R"({"at": 0, "state": "READY"})",
                      R"(, "faults": [{"match": {"route": "nodes.get"}, "status": 403, "from": "5s", "until": "200s"}])"));
  Ear ear;
  const auto topic = t.tpu("trainer");
  topic->listen(ear);
  t.pass(30);
  const std::uint64_t asked = t.asked_for_nodes();
  REQUIRE(topic->known().failure);
  CHECK(topic->known().failure->code() == Errc::permission_denied);
  CHECK(topic->known().status);
  t.pass(150);
  CHECK(t.asked_for_nodes() - asked <= 5);
  CHECK(t.asked_for_nodes() - asked >= 4);
  t.pass(60);
  CHECK(!topic->known().failure);
  CHECK(t.age(*topic) < 40);
}

TEST_CASE("answers without sense are trouble four times, and then a failure") {
  FleetLoop t(
      trainer(R"({"at": 0, "state": "READY"})", R"(, "faults": [{"match": {"route": "nodes.get"}, "status": 200, "body": "<html>"}])"));
  Ear ear;
  const auto topic = t.tpu("trainer");
  topic->listen(ear);
  t.pass_until([&t] { return t.asked_for_nodes() == 4; }, 100);
  t.pass(0.5);
  CHECK(!topic->known().failure);
  CHECK(!topic->known().trouble.empty());
  t.pass_until([&t] { return t.asked_for_nodes() == 5; }, 100);
  t.pass(0.5);
  REQUIRE(topic->known().failure);
  CHECK(topic->known().failure->code() == Errc::malformed_response);
  CHECK(topic->known().trouble.empty());
  t.pass(100);
  CHECK(topic->known().failure);
  CHECK(topic->known().trouble.empty());
}

TEST_CASE("answers without sense now and then are never a failure") {
  FleetLoop t(trainer(R"({"at": 0, "state": "READY"})",
                      R"(, "faults": [{"match": {"route": "nodes.get"}, "every": 2, "status": 200, "body": "<html>"}])"));
  Ear ear;
  const auto topic = t.tpu("trainer");
  topic->listen(ear);
  for (int i = 0; i < 200; ++i) {
    t.pass(1);
    CHECK(!topic->known().failure);
  }
  CHECK(t.asked_for_nodes() > 12);
}

TEST_CASE("a preemption is reported by the first poll that shows it, and another machine makes another generation") {
  FleetLoop t(trainer(R"({"at": 0, "state": "READY"}, {"at": 50, "state": "PREEMPTED"}, {"at": 100, "state": "READY", "id": "77"})"));
  Ear ear;
  const auto topic = t.tpu("trainer");
  topic->listen(ear);
  t.pass(1);
  CHECK(topic->known().generation == 1);
  t.pass(49);
  const double late = t.pass_until([&topic] { return topic->known().generation == 2; }, 20);
  CHECK(late < 12.1);
  CHECK(topic->known().status->members.front().state.level == MemberState::lost);
  CHECK(topic->history().back().ready == 0);
  const SteadyTime seen = *topic->known().polled_at;
  t.pass(2.5);
  CHECK(*topic->known().polled_at > seen);  // a target that changes is polled sooner
  t.pass(70);
  CHECK(topic->known().generation == 3);
}

TEST_CASE("a member that one look forgets is still there, and gone when the next one agrees") {
  FleetLoop t(trainer(R"({"at": 0, "state": "READY", "endpoints": ["10.0.0.1", "10.0.0.2"]},
                         {"at": 40, "endpoints": ["10.0.0.1"]}, {"at": 100, "endpoints": ["10.0.0.1", "10.0.0.2"]})"));
  Ear ear;
  const auto topic = t.tpu("trainer");
  topic->listen(ear);
  t.pass(40);
  const std::uint64_t asked = t.asked_for_nodes();
  const SteadyTime polled = *topic->known().polled_at;
  t.pass_until([&] { return t.asked_for_nodes() == asked + 1; }, 20);
  t.pass(0.5);
  CHECK(topic->known().generation == 1);
  CHECK(topic->known().polled_at == polled);  // a poll that is not believed makes nothing fresh
  t.pass(2.5);
  CHECK(t.asked_for_nodes() == asked + 2);
  CHECK(topic->known().generation == 2);
  CHECK(topic->known().status->members[1].address.empty());
}

TEST_CASE("one look that finds nothing where something was is not believed") {
  FleetLoop t(trainer(R"({"at": 0, "state": "READY"})",
                      R"(, "faults": [{"match": {"route": "nodes.get"}, "status": 404, "after": 2, "times": 1}])"));
  Ear ear;
  const auto topic = t.tpu("trainer");
  topic->listen(ear);
  t.pass(60);
  CHECK(t.asked_for_nodes() > 4);
  CHECK(topic->known().revision == 1);
  FleetLoop gone(trainer(R"({"at": 0, "state": "READY"}, {"at": 40, "state": "DELETED"})"));
  Ear other;
  const auto deleted = gone.tpu("trainer");
  deleted->listen(other);
  gone.pass(56);
  REQUIRE(deleted->known().failure);
  CHECK(deleted->known().failure->code() == Errc::not_found);
}

TEST_CASE("A spec that could not be had is asked for again, though the status does not change", "[fleet]") {
  FleetLoop t(trainer(R"({"at": 0, "state": "READY"})",
                      R"(, "faults": [{"match": {"route": "nodes.get"}, "status": 403, "after": 1, "times": 1}])"));
  const auto topic = t.tpu("trainer");
  Ear ear(true);
  topic->listen(ear);
  t.pass(1);
  REQUIRE(topic->known().spec);
  REQUIRE(topic->known().spec->has_error());
  const std::uint64_t revision = topic->known().revision;
  CHECK(t.pass_until([&] { return topic->known().spec->has_value(); }, 60) < 45);
  CHECK(topic->known().spec->has_value());
  CHECK(topic->known().revision == revision);
}
