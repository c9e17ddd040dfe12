// Replicas over a store that lies, refuses, or holds what makes no sense: what they serve stays true, and the store is left in peace.
#include "fleet/replicas/replica_loop.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

constexpr auto ready = R"({"at": 0, "state": "READY"})";
constexpr auto ready_later = R"({"at": 0, "state": "CREATING"}, {"at": 60, "state": "READY"})";

bool has_lease(const store::Transaction& transaction) {
  return std::any_of(transaction.writes.begin(), transaction.writes.end(), [](const store::Write& write) { return write.lease != 0; });
}

std::string status_key(const ReplicaLoop& loop, const fleet::Topic& topic) { return loop.keys.head(fleet::store_id(topic.target())); }

}  // namespace

TEST_CASE("a lease that is worth nothing is not asked for again and again") {
  ReplicaLoop t(trainer(ready), 0);
  HostileStore& store = t.add_hostile();
  const bool is_short = GENERATE(false, true);
  if (is_short) {
    store.granted_ttl = 1s;
  } else {
    store.on_commit = [](const store::Transaction& transaction) {
      return has_lease(transaction) ? std::optional<Failure>(Failure(Errc::not_found, "requested lease not found")) : std::nullopt;
    };
  }
  t.pass(1);
  Ear ear;
  const auto topic = t.tpu_at(0, "trainer");
  topic->listen(ear);
  t.pass(20);
  CHECK(store.grants <= 45);
  CHECK(store.commits <= 100);
  // As soon as leases hold it goes on.
  store.granted_ttl.reset();
  store.on_commit = nullptr;
  t.pass(3);
  CHECK(topic->known().status);
}

TEST_CASE("a lease is not believed for longer than it was asked for") {
  ReplicaLoop t(trainer(ready), 0);
  HostileStore& store = t.add_hostile();
  store.granted_ttl = std::chrono::hours(24);
  t.pass(1);
  Ear ear;
  const auto topic = t.tpu_at(0, "trainer");
  topic->listen(ear);
  t.pass(2);
  REQUIRE(t.owner() == 0);
  store.behind->reach(sim::MemoryStore::Reach::refused);
  t.pass(11);
  const std::uint64_t asked = t.asked_for_nodes();
  t.pass(30);
  CHECK(t.asked_for_nodes() == asked);
}

TEST_CASE("what nobody can read is written over, and the count of generations goes on") {
  const auto broken = GENERATE("head", "garbage", "chunk", "other", "empty");
  CAPTURE(broken);
  ReplicaLoop t(trainer(ready_later), 2);
  Ear ears[2];
  const auto topic = t.tpu_at(0, "trainer");
  const auto other = t.tpu_at(1, "trainer");
  topic->listen(ears[0]);
  other->listen(ears[1]);
  t.pass(70);
  REQUIRE(topic->known().status);
  const std::uint64_t generation = topic->known().generation;
  const std::string key = status_key(t, *topic);
  const std::string kind = broken;
  const std::string head = t.key(key)->value;
  if (kind == "head") t.put(key, R"({"target":5})");
  if (kind == "garbage") t.put(key, std::string("\xff\x00{", 3));
  if (kind == "empty") t.put(key, "");
  if (kind == "other") t.put(key, R"({"target":"tpu:another,project=p,zone=z"})");
  if (kind == "chunk") {
    t.put(key + "/000", "no zlib");
    t.put(key, head);
  }
  const std::uint64_t before = other->known().revision;
  t.pass(90);
  for (const auto& one : {topic, other}) {
    CHECK(one->known().status->phase == ClusterPhase::running);
    CHECK(one->known().status->members.size() == 2);
    CHECK(one->known().generation >= generation);
    CHECK(one->known().revision >= before);
    CHECK(t.age(*one) < 17);
    CHECK(one->known().trouble.empty());
  }
  CHECK(fleet::parse_head(t.key(key)->value, ParseLimits()));
}

TEST_CASE("what nobody can read does not keep a target from being told that nobody has followed before") {
  ReplicaLoop t(trainer(ready), 1);
  const std::string key = t.keys.head(fleet::store_id("tpu:trainer,project=example-proj,zone=us-central2-b"));
  t.put(key, R"({"target":"tpu:trainer,project=example-proj,zone=us-central2-b","status":{}})");
  t.pass(1);
  Ear ear;
  const auto topic = t.tpu_at(0, "trainer");
  topic->listen(ear);
  t.pass(60);
  REQUIRE(topic->known().status);
  CHECK(t.age(*topic) < 17);
}

TEST_CASE("a store is not listed again and again for what a list cannot mend") {
  ReplicaLoop t(trainer(ready), 0);
  HostileStore& store = t.add_hostile();
  t.pass(1);
  {
    Ear ear;
    t.tpu_at(0, "trainer")->listen(ear);
    t.pass(2);
  }
  const auto topic = t.tpu_at(0, "trainer");
  const std::string key = status_key(t, *topic);
  t.pass(400);  // nobody wants it any more, so that nobody writes it anew
  t.put(key, R"({"target":5})");
  const int lists = store.lists;
  t.pass(3600);
  CHECK(store.lists - lists < 40);
}

TEST_CASE("a watch that makes no sense is passed by a list, and not at once each time") {
  ReplicaLoop t(trainer(ready_later), 0);
  HostileStore& store = t.add_hostile();
  t.pass(1);
  Ear ear;
  const auto topic = t.tpu_at(0, "trainer");
  topic->listen(ear);
  t.pass(5);
  store.on_watch = [](store::Watcher&) { return Failure(Errc::malformed_response, "the watch has a line that is no result"); };
  store.behind->end_watches("");
  const int lists = store.lists;
  t.pass(120);
  CHECK(store.lists - lists < 12);
  store.on_watch = nullptr;
  t.pass(200);
  CHECK(topic->known().status->phase == ClusterPhase::running);
  CHECK(topic->known().trouble.empty());
}

TEST_CASE("more members than the store takes at once are told as trouble, and what was known stays") {
  ReplicaLoop t(
      R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-4096", "timeline": [{"at": 0, "state": "READY"}, {"at": 30, "state": "REPAIRING"}]}]})",
      0);
  HostileStore& store = t.add_hostile();
  const bool is_known = GENERATE(false, true);
  store.most_writes = is_known ? 128 : 2;
  t.pass(1);
  Ear ear(true);
  const auto topic = t.tpu_at(0, "trainer");
  topic->listen(ear);
  t.pass(5);
  CHECK((topic->known().status != nullptr) == is_known);
  store.most_writes = 2;
  t.pass(45);
  CHECK_THAT(topic->known().trouble, Contains("512 members") && Contains("more than"));
  if (is_known) {
    CHECK(topic->known().status->members.size() == 512);
    CHECK(topic->known().status->phase == ClusterPhase::running);
    CHECK(t.age(*topic) > 10);
  } else {
    CHECK_FALSE(topic->known().status);
    CHECK_FALSE(topic->known().polled_at);
  }
  CHECK(store.commits < 80);  // 51 of its own key, one a second
}

TEST_CASE("a cluster that the store does not take for its size is told as trouble, and the others are written") {
  ReplicaLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-4096"}, {"name": "other", "accelerator_type": "v4-16"}]})", 0);
  HostileStore& store = t.add_hostile();
  int refused = 0;
  store.on_commit = [&refused](const store::Transaction& transaction) -> std::optional<Failure> {
    if (transaction.writes.size() < 3) return std::nullopt;
    ++refused;
    return Failure(Errc::invalid_argument, "etcd says: etcdserver: request is too large").with_hint("raise --max-request-bytes");
  };
  t.pass(1);
  Ear ear;
  Ear of_other;
  const auto topic = t.tpu_at(0, "trainer");
  const auto other = t.tpu_at(0, "other");
  topic->listen(ear);
  other->listen(of_other);
  t.pass(60);
  CHECK_THAT(topic->known().trouble, Contains("request is too large"));
  CHECK_FALSE(topic->known().status);
  CHECK(refused == 1);
  CHECK(t.age(*other) < 20);
  CHECK(other->known().trouble.empty());
}

TEST_CASE("a store that went back by less than this replica had written is noticed all the same") {
  ReplicaLoop t(trainer(ready_later), 2);
  Ear ears[2];
  const auto topic = t.tpu_at(0, "trainer");
  const auto other = t.tpu_at(1, "trainer");
  topic->listen(ears[0]);
  other->listen(ears[1]);
  t.pass(75);
  const int second = 1 - t.owner();
  const auto& its = second == 0 ? topic : other;
  REQUIRE(its->known().status->phase == ClusterPhase::running);
  // The backup has everything but the last change, of which the second has heard and which it did not write.
  sim::EtcdModel::State backup = t.model->backup();
  const fleet::Position before = t.ones[second].fleet->position();
  t.kill(t.owner());
  t.put("/elsewhere/a", "1");
  t.put(t.keys.beat(t.source), "{}");
  t.pass(0.05);
  REQUIRE(t.ones[second].fleet->position().revision > before.revision);
  t.model->restore(std::move(backup), t.time->now());
  t.pass(20);
  CHECK(t.ones[second].fleet->position().instance != before.instance);
}
