// What replicas say of each other: which one leads, since when, how old what each of them knows is; and how replicas of two versions, and
// of two epochs, speak with each other.
#include "fleet/replicas/replica_loop.hpp"
#include "fleet/wire/cluster_summary.hpp"
#include "render/render_fleet.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

FleetReplicas replicas_at(ReplicaLoop& loop, int i) { return loop.ones[static_cast<std::size_t>(i)].fleet->replica_desk()->replicas(); }

std::optional<std::chrono::milliseconds> view_age_of(const FleetReplicas& all, const std::string& replica) {
  for (const FleetReplica& one : all.replicas) {
    if (one.replica == replica) return one.view_age;
  }
  return std::nullopt;
}

// The process ends, and one of another version takes its place.
void upgrade(ReplicaLoop& loop, std::size_t i, int schema) {
  loop.kill(i);
  loop.pass(1);
  loop.schemas[i] = schema;
  loop.begin(i);
  for (std::size_t k = 0; k < loop.ones.size(); ++k) {
    if (k != i) loop.join(k, i);
  }
}

}  // namespace

TEST_CASE("each replica says which one leads, since when, and how old what each of them knows is") {
  ReplicaLoop t(zone_of(3), 3);
  const int leader = t.leader();
  REQUIRE(leader >= 0);
  t.pass(20);
  const std::string id = replicas_at(t, leader).replica;
  for (int i = 0; i < 3; ++i) {
    const FleetReplicas all = replicas_at(t, i);
    CHECK_THAT(all.replica, Catch::StartsWith(fmt::format("replica-{}-", i)));
    CHECK(
        (all.leader == id && all.leader_url == fmt::format("http://127.0.0.1:{}", ReplicaLoop::port_of(static_cast<std::size_t>(leader)))));
    CHECK((all.epoch == t.ones[static_cast<std::size_t>(leader)].elector->epoch() && all.trouble.empty()));
    REQUIRE(all.leads_since);
    CHECK(*all.leads_since == replicas_at(t, leader).leads_since);
    REQUIRE(all.replicas.size() == 3);
    for (const FleetReplica& one : all.replicas) CHECK((one.view_age && *one.view_age <= 9s));
    CHECK(value_of(fleet::parse_replicas(render_fleet_replicas(all), {})).replicas == all.replicas);
  }
}

TEST_CASE("the view of a replica that is cut off grows old, at each of them") {
  ReplicaLoop t(zone_of(3), 3);
  const int leader = t.leader();
  REQUIRE(leader >= 0);
  const int lonely = (leader + 1) % 3, near = (leader + 2) % 3;
  t.pass(20);
  const std::string id = replicas_at(t, lonely).replica;
  t.cut(static_cast<std::size_t>(lonely), static_cast<std::size_t>(leader));
  t.pass(60);
  const FleetReplicas own = replicas_at(t, lonely);
  CHECK(view_age_of(own, id) >= 58s);
  CHECK_THAT(own.trouble, Contains("cannot be followed"));
  CHECK_FALSE(view_age_of(own, own.leader));
  // The leader has closed its stream, and does not know it any more.
  for (const int i : {leader, near}) {
    CHECK_FALSE(view_age_of(replicas_at(t, i), id));
    CHECK(replicas_at(t, i).replicas.size() == 2);
  }
  t.join(static_cast<std::size_t>(lonely), static_cast<std::size_t>(leader));
  t.pass(15);
  CHECK(view_age_of(replicas_at(t, near), id) <= 9s);
}

TEST_CASE("after a change of leader another one leads since then") {
  ReplicaLoop t(zone_of(3), 3);
  const int first = t.leader();
  REQUIRE(first >= 0);
  t.pass(20);
  const FleetReplicas before = replicas_at(t, (first + 1) % 3);
  t.kill(static_cast<std::size_t>(first));
  t.pass(10);
  CHECK_THAT(replicas_at(t, (first + 1) % 3).trouble, Contains("leads"));
  t.pass(20);
  const FleetReplicas after = replicas_at(t, (first + 1) % 3);
  CHECK((after.leader != before.leader && after.epoch > before.epoch && after.leads_since > before.leads_since));
  CHECK(after.replicas.size() == 2);
}

TEST_CASE("replicas of two schemas follow each other while they are upgraded, one after the other, and back") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 60, "state": "READY"}, {"at": 120, "state": "REPAIRING"})"), 3);
  Ear ear;
  std::uint64_t epoch = 0;
  for (const int schema : {fleet::replica_schema + 1, fleet::replica_schema}) {
    for (std::size_t i = 0; i < 3; ++i) {
      upgrade(t, i, schema);
      t.pass(25);
      REQUIRE(t.leader() >= 0);
      CHECK(t.ones[static_cast<std::size_t>(t.leader())].elector->epoch() >= epoch);
      epoch = t.ones[static_cast<std::size_t>(t.leader())].elector->epoch();
      for (std::size_t k = 0; k < 3; ++k) {
        INFO("replica " << k << " after the upgrade of " << i << " to " << schema);
        const std::shared_ptr<fleet::Topic> topic = t.tpu_at(k, "trainer");
        auto listener = std::make_unique<Ear>();
        topic->listen(*listener);
        t.pass(3);
        CHECK((topic->known().status && topic->known().epoch == epoch && topic->known().trouble.empty()));
        CHECK(t.age(*topic) < 13);
      }
    }
  }
}

TEST_CASE("a leader of an earlier epoch is not followed, whatever the lease says") {
  ReplicaLoop t(zone_of(1), 2);
  const int leader = t.leader();
  REQUIRE(leader >= 0);
  t.pass(5);
  auto& follower = dynamic_cast<fleet::SharedFleet&>(*t.ones[static_cast<std::size_t>(1 - leader)].fleet);
  const std::uint64_t epoch = t.ones[static_cast<std::size_t>(leader)].elector->epoch();
  check_failure(follower.on_hello(epoch - 1), Errc::failed_precondition, fmt::format("in epoch {}", epoch - 1),
                fmt::format("{} was seen", epoch));
  CHECK(follower.on_hello(epoch));
  // A replica of a later epoch: the leader leads no more, also while the lease has its name.
  CHECK(follower.on_hello(epoch + 5));
  check_failure(follower.on_hello(epoch), Errc::failed_precondition, "was seen already");
}

TEST_CASE("a leader that stood still for half a minute is late with all that it says, and follows the next one") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 50, "state": "READY"})"), 3);
  const Heard heard(t, "trainer");
  const auto& topics = heard.topics;
  t.pass(40 - t.elapsed());
  REQUIRE(t.leader() >= 0);
  const auto first = static_cast<std::size_t>(t.leader());
  const std::uint64_t epoch = topics[first]->known().epoch;
  t.ones[first].executor->pause();
  t.pass(30);
  REQUIRE(t.leader() >= 0);
  const auto next = static_cast<std::size_t>(t.leader());
  CHECK(next != first);
  CHECK((topics[first]->known().epoch == epoch && topics[first]->known().status->phase == ClusterPhase::provisioning));
  t.ones[first].executor->go_on();
  for (int i = 0; i < 100; ++i) {
    t.pass(0.05);
    for (std::size_t k = 0; k < 3; ++k) CHECK((k == first || topics[k]->known().epoch > epoch));
    CHECK(t.leader() == static_cast<int>(next));
  }
  CHECK((topics[first]->known().epoch > epoch && topics[first]->known().status->phase == ClusterPhase::running));
  CHECK(replicas_at(t, static_cast<int>(first)).leader == replicas_at(t, static_cast<int>(next)).replica);
  CHECK(replicas_at(t, static_cast<int>(first)).trouble.empty());
}
