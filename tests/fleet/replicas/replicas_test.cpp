// Several replicas over one store: one asks, all serve, and another one takes over.
#include "fleet/replicas/replica_loop.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

using Reach = sim::MemoryStore::Reach;

// Listens to one target at each of the replicas.
class Heard {
 public:
  Heard(ReplicaLoop& loop, std::string_view name) : ears(loop.ones.size()) {
    for (std::size_t i = 0; i < ears.size(); ++i) {
      topics.push_back(loop.tpu_at(i, name));
      topics[i]->listen(ears[i]);
    }
  }
  std::deque<Ear> ears;
  std::vector<std::shared_ptr<fleet::Topic>> topics;
};

asio::awaitable<bool> has_left(std::shared_ptr<fleet::Fleet> fleet) {
  co_await fleet->leave();
  co_return true;
}

constexpr auto ready_after_a_minute = R"({"at": 0, "state": "CREATING"}, {"at": 60, "state": "READY"})";

}  // namespace

TEST_CASE("of three replicas one asks, and all tell the same") {
  ReplicaLoop t(trainer(ready_after_a_minute), 3);
  const Heard heard(t, "trainer");
  t.pass(1);
  CHECK(t.asked_for_nodes() == 1);
  t.pass(79);
  CHECK(t.owner() >= 0);
  CHECK(t.asked_for_nodes() < 80 / 2);
  for (const auto& topic : heard.topics) {
    REQUIRE(topic->known().status);
    CHECK(topic->known().status->phase == ClusterPhase::running);
    CHECK(topic->known().revision == heard.topics[0]->known().revision);
    CHECK(topic->known().generation == 1);
    CHECK(*topic->known().status == *heard.topics[0]->known().status);
    CHECK(t.age(*topic) < 17);
  }
  CHECK(t.ones[1].fleet->position() == t.ones[0].fleet->position());
  for (std::size_t i = 0; i < t.ones.size(); ++i) {
    const std::vector<fleet::SourceFacts> sources = t.ones[i].fleet->sources();
    REQUIRE(sources.size() == 1);
    CHECK(sources[0].key == "tpu/example-proj/us-central2-b");
    CHECK(sources[0].targets == 1);
    CHECK(sources[0].asked_by == (t.owner() == static_cast<int>(i) ? "" : fmt::format("http://replica-{}", t.owner())));
  }
}

TEST_CASE("an owner that is killed is followed by another one, which tells something fresh two seconds after the lease has ended") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 31, "state": "READY"})"), 2);
  const Heard heard(t, "trainer");
  t.pass(30);
  const int first = t.owner();
  REQUIRE(first >= 0);
  const std::uint64_t epoch = t.epoch();
  fleet::Topic& other = *heard.topics[1 - first];
  CHECK(other.known().status->phase == ClusterPhase::provisioning);
  t.kill(first);
  CHECK(t.pass_until([&] { return t.owner() == 1 - first; }, 30) <= 10.1);
  CHECK(t.epoch() > epoch);
  CHECK(t.pass_until([&] { return other.known().status->phase == ClusterPhase::running; }, 30) <= 2);
  CHECK(other.known().generation == 1);
  CHECK(t.age(other) < 2);
}

TEST_CASE("a replica that does not reach the store asks nothing before its lease ends, and serves what it knows, marked") {
  const Reach how = GENERATE(Reach::refused, Reach::hanging);
  ReplicaLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 50, "state": "READY"})"), 2);
  const Heard heard(t, "trainer");
  t.pass(30);
  const int first = t.owner();
  REQUIRE(first >= 0);
  const fleet::Topic& lost = *heard.topics[first];
  const fleet::Topic& other = *heard.topics[1 - first];
  t.ones[first].store->reach(how);
  const double cut_at = t.elapsed();
  CHECK(t.pass_until([&] { return !lost.known().trouble.empty(); }, 30) <= 15.1);
  CHECK_THAT(lost.known().trouble, Contains("hears nothing of the store"));
  CHECK(other.known().trouble.empty());
  t.pass(20 - (t.elapsed() - cut_at));
  CHECK(t.owner() == 1 - first);
  CHECK_FALSE(t.ones[first].fleet->fault().empty());
  CHECK(t.ones[1 - first].fleet->fault().empty());
  t.pass(20);
  CHECK(lost.known().status->phase == ClusterPhase::provisioning);
  CHECK(t.age(lost) > 35);
  CHECK(other.known().status->phase == ClusterPhase::running);
  CHECK(t.age(other) < 17);
  const std::uint64_t asked = t.asked_for_nodes();
  t.pass(30);
  CHECK(t.asked_for_nodes() - asked <= 10);  // one of them asks
  // It hears of everything as soon as it is back, and leaves the source to who has it, at least for a while.
  t.ones[first].store->reach(Reach::open);
  CHECK(t.pass_until([&] { return lost.known().status->phase == ClusterPhase::running; }, 30) <= 10.5);  // a list that hangs has 10 s
  CHECK(t.pass_until([&] { return lost.known().trouble.empty(); }, 30) <= 5);
  CHECK(lost.known().revision == other.known().revision);
  t.pass(20);
  CHECK(t.age(lost) < 17);
  CHECK(t.ones[first].fleet->fault().empty());
}

TEST_CASE("a write that comes late is refused, and whoever made it asks nothing more") {
  ReplicaLoop t(trainer(R"({"at": 0, "state": "CREATING"}, {"at": 40.5, "state": "READY"})"), 2);
  const Heard heard(t, "trainer");
  t.pass(40);
  const int first = t.owner();
  const int second = 1 - first;
  const std::uint64_t epoch = t.epoch();
  // Its leases end in the store without a word, as when it slept; another one takes the source before it hears of that.
  t.ones[first].store->silence_watches();
  t.model->end_leases();
  t.pass(1);
  const std::string id = fleet::store_id(heard.topics[0]->target());
  for (int i = 0; i < 200; ++i) {
    t.pass(0.1);
    const std::optional<sim::EtcdKey> owner = t.key(t.keys.owner(t.source));
    const fleet::HeadRecord head = value_of(fleet::parse_head(t.key(t.keys.head(id))->value, ParseLimits()));
    if (owner && owner->create_revision > epoch) CHECK((head.epoch == epoch || head.epoch >= owner->create_revision));
  }
  CHECK(t.owner() >= 0);
  CHECK(heard.topics[first]->known().status->phase == ClusterPhase::running);
  CHECK(heard.topics[second]->known().status->phase == ClusterPhase::running);
  CHECK(heard.topics[first]->known().revision == heard.topics[second]->known().revision);
}

TEST_CASE("who leaves gives its sources back, and they are asked by another one within a second") {
  ReplicaLoop t(trainer(ready_after_a_minute), 2);
  const Heard heard(t, "trainer");
  t.pass(30);
  const int first = t.owner();
  REQUIRE(first >= 0);
  auto leaving = t.start(has_left(t.ones[first].fleet));
  t.poll();
  CHECK(t.pass_until([&] { return t.owner() == 1 - first; }, 10) <= 1);
  t.pass(1);
  CHECK(leaving.done());
  CHECK_FALSE(t.ones[first].fleet->fault().empty());
  // It goes on to serve those who are still there, and takes nothing any more.
  t.pass(40);
  CHECK(t.owner() == 1 - first);
  CHECK(heard.topics[first]->known().status->phase == ClusterPhase::running);
  CHECK(t.age(*heard.topics[first]) < 17);
}

TEST_CASE("a replica that comes later knows what the others know, and takes its share after half a minute") {
  ReplicaLoop t(zone_of(3), 1);
  Heard heard(t, "n0");
  t.pass(20);
  REQUIRE(t.owner() == 0);
  t.add();
  t.add();
  t.add();
  t.pass(2);
  for (std::size_t i = 1; i < 4; ++i) {
    const auto topic = t.tpu_at(i, "n0");
    REQUIRE(topic->known().status);
    CHECK(topic->known().revision == heard.topics[0]->known().revision);
    CHECK(t.ones[i].fleet->position().instance == t.ones[0].fleet->position().instance);
  }
  t.pass(25);
  CHECK(t.owner() == 0);
  const std::uint64_t epoch = t.epoch();
  t.pass(60);
  CHECK((t.owner() == 0) == (t.epoch() == epoch));
  CHECK(t.age(*heard.topics[0]) < 17);
}

TEST_CASE("who gets a source back tells nothing of what it saw when it had it before") {
  std::string others;
  std::string zones;
  for (int i = 0; i < 6; ++i) {
    zones += fmt::format(R"({}"us-west4-{}")", i == 0 ? "" : ", ", static_cast<char>('a' + i));
    others += fmt::format(R"(, {{"name": "o{}", "accelerator_type": "v4-8", "zone": "us-west4-{}"}})", i, static_cast<char>('a' + i));
  }
  ReplicaLoop t(R"({"zones": [)" + zones + R"(], "nodes": [{"name": "trainer", "accelerator_type": "v4-16", "timeline": )" +
                R"([{"at": 0, "state": "CREATING"}, {"at": 200, "state": "READY"}]})" + others + "]}");
  std::deque<Ear> ears(7);
  std::vector<std::shared_ptr<fleet::Topic>> topics = {t.tpu_at(0, "trainer")};
  for (int i = 0; i < 6; ++i) {
    const std::string target = fmt::format("tpu:o{},project=example-proj,zone=us-west4-{}", i, static_cast<char>('a' + i));
    topics.push_back(value_of(t.ones[0].fleet->topic(value_of(Target::parse(target)))));
  }
  for (std::size_t i = 0; i < topics.size(); ++i) topics[i]->listen(ears[i]);
  t.pass(20);
  REQUIRE(t.owner() == 0);
  while (t.owner() == 0 && t.ones.size() < 5) {
    t.add();
    t.pass(40);
  }
  REQUIRE(t.owner() > 0);
  const fleet::Topic& trainer = *topics[0];
  CHECK(trainer.known().status->phase == ClusterPhase::provisioning);
  const std::vector<fleet::SourceFacts> sources = t.ones[0].fleet->sources();
  REQUIRE(std::any_of(sources.begin(), sources.end(), [](const auto& one) { return one.asked_by.empty(); }));  // it still asks others
  t.pass(260 - t.elapsed());
  REQUIRE(trainer.known().status->phase == ClusterPhase::running);
  const std::uint64_t generation = trainer.known().generation;
  bool has_gone_back = false;
  ears[0].then = [&] { has_gone_back |= trainer.known().status->phase != ClusterPhase::running; };
  for (std::size_t i = 1; i < t.ones.size(); ++i) (void)t.start(has_left(t.ones[i].fleet));
  CHECK(t.pass_until([&] { return t.owner() == 0; }, 20) < 5);
  t.pass(60);
  CHECK_FALSE(has_gone_back);
  CHECK(trainer.known().generation == generation);
  CHECK(t.age(trainer) < 17);
}

TEST_CASE("a replica that was away while the store was compacted lists anew") {
  ReplicaLoop t(trainer(ready_after_a_minute), 2);
  const Heard heard(t, "trainer");
  t.pass(30);
  const int first = t.owner();
  const int second = 1 - first;
  t.ones[second].store->reach(Reach::refused);
  t.pass(60);
  CHECK(heard.topics[second]->known().status->phase == ClusterPhase::provisioning);
  CHECK(t.model->compact(t.model->revision()).has_value());
  t.ones[second].store->reach(Reach::open);
  t.pass(10);
  CHECK(heard.topics[second]->known().status->phase == ClusterPhase::running);
  CHECK(heard.topics[second]->known().revision == heard.topics[first]->known().revision);
  CHECK_FALSE(heard.topics[second]->since(1).has_value());
}
