// Several replicas of one lease: one polls, all show the same, and another one goes on.
#include "fleet/replicas/replica_loop.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

asio::awaitable<bool> has_left(std::shared_ptr<fleet::Fleet> fleet) {
  co_await fleet->leave();
  co_return true;
}

constexpr auto ready_after_a_minute = R"({"at": 0, "state": "CREATING"}, {"at": 60, "state": "READY"})";

}  // namespace

TEST_CASE("of three replicas one polls, and all show the same") {
  ReplicaLoop t(trainer(ready_after_a_minute), 3);
  REQUIRE(t.leader() >= 0);
  const Heard heard(t, "trainer");
  const std::uint64_t before = t.asked_for_nodes();
  t.pass(2);
  for (const auto& topic : heard.topics) REQUIRE(topic->known().status);
  CHECK(t.asked_for_nodes() - before <= 2);
  t.pass(80);
  CHECK(t.asked_for_nodes() < 80 / 2);
  const fleet::Known& first = heard.topics[0]->known();
  for (std::size_t i = 0; i < t.ones.size(); ++i) {
    const fleet::Known& known = heard.topics[i]->known();
    CHECK(known.status->phase == ClusterPhase::running);
    CHECK((known.epoch == first.epoch && known.revision == first.revision && known.generation == 1));
    CHECK(*known.status == *first.status);
    CHECK(heard.topics[i]->history().size() == heard.topics[0]->history().size());
    CHECK(t.age(*heard.topics[i]) < 13);
    CHECK(known.trouble.empty());
    CHECK(t.ones[i].fleet->fault().empty());
    const std::vector<fleet::SourceFacts> sources = t.ones[i].fleet->sources();
    REQUIRE(sources.size() == 1);
    CHECK(sources[0].key == "tpu/example-proj/us-central2-b");
    CHECK(sources[0].targets == 1);
    const bool leads = t.leader() == static_cast<int>(i);
    CHECK(sources[0].asked_by == (leads ? "" : fmt::format("http://127.0.0.1:{}", ReplicaLoop::port_of(t.leader()))));
  }
}

TEST_CASE("a leader that is killed is followed by another one, which shows a fresh status two seconds after the lease has ended") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 71, "state": "READY"})"), 3);
  const Heard heard(t, "trainer");
  t.pass(70 - t.elapsed());
  const int first = t.leader();
  REQUIRE(first >= 0);
  const std::uint64_t epoch = t.ones[first].elector->epoch();
  t.kill(first);
  CHECK(t.pass_until([&] { return t.leader() >= 0; }, 60) <= 17.1);
  CHECK(t.ones[t.leader()].elector->epoch() > epoch);
  const auto is_shown = [&] {
    return std::all_of(heard.topics.begin(), heard.topics.end(), [&](const auto& topic) {
      return topic == heard.topics[first] || topic->known().status->phase == ClusterPhase::running;
    });
  };
  CHECK(t.pass_until(is_shown, 30) <= 2);
  for (const auto& topic : heard.topics) {
    if (topic == heard.topics[first]) continue;
    CHECK(topic->known().epoch > epoch);
    CHECK(topic->known().generation == 1);
    CHECK(t.age(*topic) < 2);
    CHECK(topic->history().size() == 2);
  }
  t.pass(10);
  CHECK(heard.topics[(first + 1) % 3]->known().trouble.empty());
}

TEST_CASE("a leader that leaves is followed at once, and goes on to serve") {
  ReplicaLoop t(trainer(ready_after_a_minute), 2);
  const Heard heard(t, "trainer");
  t.pass(30 - t.elapsed());
  const int first = t.leader();
  REQUIRE(first >= 0);
  const auto leaving = t.start(has_left(t.ones[first].fleet));
  CHECK(t.pass_until([&] { return t.leader() == 1 - first; }, 10) <= 3);
  t.pass(80 - t.elapsed());
  for (const auto& topic : heard.topics) CHECK(topic->known().status->phase == ClusterPhase::running);
  CHECK(heard.topics[0]->known().revision == heard.topics[1]->known().revision);
  CHECK_THAT(t.ones[first].fleet->fault(), Contains("it stops"));
}

TEST_CASE("a leader that does not reach the lease polls nothing more, and shows what it knows, with trouble") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 60, "state": "READY"})"), 2);
  const Heard heard(t, "trainer");
  t.pass(40 - t.elapsed());
  const int first = t.leader();
  REQUIRE(first >= 0);
  t.ones[first].engine->always = LeaseFault::Kind::no_answer;
  CHECK(t.pass_until([&] { return t.leader() != first; }, 60) <= 13.1);
  CHECK(t.pass_until([&] { return t.leader() == 1 - first; }, 60) <= 17.1);
  t.pass(80 - t.elapsed());
  CHECK(heard.topics[1 - first]->known().status->phase == ClusterPhase::running);
  CHECK(heard.topics[first]->known().status->phase == ClusterPhase::provisioning);
  CHECK_THAT(heard.topics[first]->known().trouble, Contains("lease"));
  CHECK(t.age(*heard.topics[first]) > 20);
  t.ones[first].engine->always = LeaseFault::Kind::none;
  CHECK(t.pass_until([&] { return heard.topics[first]->known().status->phase == ClusterPhase::running; }, 30) <= 5);
  t.pass(5);
  CHECK(heard.topics[first]->known().trouble.empty());
  CHECK(heard.topics[first]->known().revision == heard.topics[1 - first]->known().revision);
}

TEST_CASE("a replica that is cut off from the leader shows its trouble, and what it has missed afterwards") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 60, "state": "READY"})"), 2);
  const Heard heard(t, "trainer");
  t.pass(50 - t.elapsed());
  const int leader = t.leader();
  REQUIRE(leader >= 0);
  const int other = 1 - leader;
  t.cut(other, leader);
  t.pass(30);
  CHECK(t.leader() == leader);
  CHECK_THAT(heard.topics[other]->known().trouble, Contains("cannot be followed"));
  CHECK(heard.topics[other]->known().status->phase == ClusterPhase::provisioning);
  t.join(other, leader);
  t.pass(3);
  CHECK(heard.topics[other]->known().trouble.empty());
  CHECK(heard.topics[other]->known().status->phase == ClusterPhase::running);
}

TEST_CASE("what only a replica that follows is asked for is polled by the leader, until its followers have gone") {
  ReplicaLoop t(zone_of(3), 2);
  REQUIRE(t.leader() >= 0);
  const int other = 1 - t.leader();
  const auto topic = t.tpu_at(other, "n1");
  auto ear = std::make_unique<Ear>(true);
  topic->listen(*ear);
  t.pass(3);
  REQUIRE(topic->known().status);
  REQUIRE(topic->known().spec);
  CHECK(topic->known().spec->value().job_list().size() == 1);
  const std::uint64_t asked = t.asked_for_nodes();
  topic->refresh_soon();
  t.pass(3);
  CHECK(t.asked_for_nodes() > asked);
  ear.reset();
  t.pass(330);
  const std::uint64_t before = t.asked_for_nodes();
  t.pass(100);
  CHECK(t.asked_for_nodes() == before);
}

TEST_CASE("wants of a replica that is gone end with its stream") {
  ReplicaLoop t(zone_of(3), 2);
  REQUIRE(t.leader() >= 0);
  const int other = 1 - t.leader();
  const auto topic = t.tpu_at(other, "n1");
  Ear ear;
  topic->listen(ear);
  t.pass(3);
  CHECK(t.tpu_at(t.leader(), "n1")->is_followed());
  t.kill(other);
  t.pass(10);
  CHECK_FALSE(t.tpu_at(t.leader(), "n1")->is_followed());
}
