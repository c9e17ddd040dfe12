// One replica over a store in memory: what it serves went through the store.
#include "fleet/replicas/replica_loop.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

TEST_CASE("a replica serves what it wrote into the store and heard of it") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 30, "state": "READY"})"));
  Ear ear(true);
  const auto topic = t.tpu_at(0, "trainer");
  CHECK(t.owner() == -1);
  CHECK_FALSE(topic->is_followed());
  topic->listen(ear);
  t.pass(1);
  CHECK(t.owner() == 0);
  CHECK(t.asked_for_nodes() == 2);  // the status and the spec
  REQUIRE(topic->known().status);
  CHECK(topic->known().status->phase == ClusterPhase::provisioning);
  CHECK(topic->known().generation == 0);
  CHECK(t.ones[0].fleet->fault().empty());
  t.pass(49);
  CHECK(topic->known().generation == 1);
  CHECK(topic->known().status->phase == ClusterPhase::running);
  CHECK(topic->known().status->spec().num_tasks("worker").value() == 2);
  REQUIRE(topic->known().spec);
  CHECK(value_of(*topic->known().spec).num_tasks("worker").value() == 2);
  CHECK(topic->history().size() == 2);
  CHECK(topic->known().revision <= t.ones[0].fleet->position().revision);
  const sim::EtcdKey head = t.key(t.keys.head(fleet::store_id(topic->target()))).value();
  CHECK(topic->known().revision == value_of(fleet::parse_head(head.value, ParseLimits())).revision);
  // Beats tell every five seconds of looks that changed nothing, at most ten seconds after another.
  CHECK(t.age(*topic) <= 17);
  CHECK(topic->known().trouble.empty());
  const fleet::ReplicaNumbers numbers = t.ones[0].fleet->replica_numbers().value();
  CHECK((numbers.replicas == 1 && numbers.sources == 1));
  CHECK(numbers.ownership_changes.at("claimed") == 1);
  CHECK(numbers.commits.at("written") > 2);
}

TEST_CASE("what nobody wants any more is not asked for, and its source is given back") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "READY"})"));
  const auto topic = t.tpu_at(0, "trainer");
  {
    Ear ear;
    topic->listen(ear);
    t.pass(1);
  }
  CHECK(t.owner() == 0);
  t.pass(340);
  CHECK(t.owner() == -1);
  CHECK_FALSE(topic->is_followed());
  const std::uint64_t asked = t.asked_for_nodes();
  t.pass(60);
  CHECK(t.asked_for_nodes() == asked);
  REQUIRE(topic->known().status);
  CHECK(t.age(*topic) > 60);
  Ear again;
  topic->listen(again);
  t.pass(1);
  CHECK(t.owner() == 0);
  CHECK(t.age(*topic) < 2);
}

TEST_CASE("what nobody wants any more grows old, though its zone is looked at for others") {
  ReplicaLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16"}, {"name": "other", "accelerator_type": "v4-16"}]})");
  Ear stays;
  const auto other = t.tpu_at(0, "other");
  other->listen(stays);
  const auto topic = t.tpu_at(0, "trainer");
  {
    Ear leaves;
    topic->listen(leaves);
    t.pass(20);
    CHECK(t.age(*topic) < 20);
  }
  t.pass(400);
  CHECK(t.owner() == 0);
  CHECK_FALSE(topic->is_followed());
  CHECK(t.age(*other) < 20);
  CHECK(t.age(*topic) > 60);
  Ear again;
  topic->listen(again);
  t.pass(3);
  CHECK(t.age(*topic) < 4);
}

TEST_CASE("one who waits has a source looked at soon, through the store") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "READY"})"));
  Ear ear;
  const auto topic = t.tpu_at(0, "trainer");
  topic->listen(ear);
  t.pass(26);
  const double before = t.age(*topic);
  t.pass_until([&] { return t.age(*topic) > 4; }, 20);
  REQUIRE(t.age(*topic) > 4);
  topic->refresh_soon();
  CHECK(t.pass_until([&] { return t.age(*topic) < 1; }, 20) < 2.1);
  CHECK(before < 20);
}

TEST_CASE("a store that is full is told of, and what is known stays") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 20, "state": "READY"})"), 2);
  Ear ear;
  Ear other_ear;
  const auto topic = t.tpu_at(0, "trainer");
  const auto other = t.tpu_at(1, "trainer");
  topic->listen(ear);
  other->listen(other_ear);
  t.pass(5);
  t.model->set_full(true);
  t.pass(40);
  CHECK(topic->known().status->phase == ClusterPhase::provisioning);
  CHECK_THAT(topic->known().trouble, Contains("out of space"));
  // Of a replica that asks nobody, too.
  CHECK_THAT(other->known().trouble, Contains("out of space"));
  CHECK(topic->known().own_troubles > 0);
  CHECK(t.age(*topic) > 35);
  t.model->set_full(false);
  t.pass(15);
  CHECK(topic->known().status->phase == ClusterPhase::running);
  CHECK(topic->known().trouble.empty());
}

TEST_CASE("a store that was restored from a backup begins another history") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "READY"})"));
  Ear ear;
  const auto topic = t.tpu_at(0, "trainer");
  topic->listen(ear);
  const sim::EtcdModel::State backup = t.model->backup();
  t.pass(60);
  const fleet::Position before = t.ones[0].fleet->position();
  t.model->restore(backup, t.time->now());
  t.pass(30);
  const fleet::Position after = t.ones[0].fleet->position();
  CHECK(after.instance != before.instance);
  CHECK(after.revision < before.revision);
  Ear anew;
  const auto other = t.tpu_at(0, "trainer");
  CHECK(other != topic);
  other->listen(anew);
  t.pass(15);
  REQUIRE(other->known().status);
  CHECK(t.age(*other) < 15);
}
