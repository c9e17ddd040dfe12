// A project's quota holds with any targets, and existing targets are polled as before.
#include "fleet/fleet_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// The most requests to the cloud in one minute, over so many seconds; `oldest`: the greatest age of `topic` in that time.
class BusiestMinute {
 public:
  BusiestMinute(FleetLoop& t, const fleet::Topic& topic, int for_seconds) {
    std::deque<std::uint64_t> asked = {count(t)};
    for (int i = 0; i < for_seconds; ++i) {
      t.pass(1);
      oldest = std::max(oldest, t.age(topic));
      asked.push_back(count(t));
      if (asked.size() > 61) asked.pop_front();
      requests = std::max(requests, asked.back() - asked.front());
    }
  }
  std::uint64_t requests = 0;
  double oldest = 0;

 private:
  static std::uint64_t count(const FleetLoop& t) {
    return t.asked_for_nodes() + t.asked("queuedResources.get") + t.asked("instanceGroups.listInstances") + t.asked("instances.get") +
           t.asked("instances.list");
  }
};

fleet::FleetOptions with_quota(int polls) {
  fleet::FleetOptions options = fleet_options();
  options.polls_per_minute_of = {{"example-proj", polls}};
  return options;
}

}  // namespace

TEST_CASE("fifty names in zones that there are not take no more than the quota, and age nothing") {
  FleetLoop t(zone_of(1), with_quota(30));
  const auto topic = t.tpu("n0");
  Ear ear;
  topic->listen(ear);
  t.pass(20);
  std::deque<Ear> ears(50);
  std::vector<std::shared_ptr<fleet::Topic>> others;
  for (int i = 0; i < 50; ++i) {
    others.push_back(t.topic(fmt::format("tpu:x{},project=example-proj,zone=zz{}-a", i, i)));
    others.back()->listen(ears[i]);
  }
  const BusiestMinute minute(t, *topic, 300);
  CHECK(minute.requests <= 30);
  CHECK(minute.oldest < 15);
  for (const auto& other : others) CHECK(other->known().polled_at);
  // They are polled again in turn.
  double oldest = 0;
  for (const auto& other : others) oldest = std::max(oldest, t.age(*other));
  CHECK(oldest < 180);
  std::size_t requests = 0;
  for (const fleet::SourceFacts& source : t.fleet->sources()) requests += source.requests_a_minute;
  CHECK(requests <= 30);
}

TEST_CASE("a hundred names, of groups and queued resources that there are not, leave the others of the project their pace") {
  std::string nodes;
  for (int zone = 0; zone < 5; ++zone) nodes += fmt::format(R"({}{{"name": "n0", "zone": "z{}"}})", zone > 0 ? ", " : "", zone);
  FleetLoop t(R"({"nodes": [)" + nodes + "]}");
  std::deque<Ear> ears(105);
  std::vector<std::shared_ptr<fleet::Topic>> there;
  for (int zone = 0; zone < 5; ++zone) {
    there.push_back(t.topic(fmt::format("tpu:n0,project=example-proj,zone=z{}", zone)));
    there.back()->listen(ears[zone]);
  }
  t.pass(20);
  for (int i = 0; i < 100; ++i)
    t.topic(fmt::format("tpu:{}x{},project=example-proj,zone=z{}", i % 3 == 0 ? "qr/" : "", i, i % 7))->listen(ears[5 + i]);
  const BusiestMinute minute(t, *there.front(), 240);
  CHECK(minute.requests <= 300);
  for (const auto& topic : there) CHECK(t.age(*topic) < 13);
  CHECK(minute.oldest < 15);
}

TEST_CASE("a name that is new is looked at before those that were not there are looked for again") {
  FleetLoop t(R"({"nodes": [{"name": "n0"}, {"name": "late", "zone": "z1"}]})", with_quota(30));
  const auto topic = t.tpu("n0");
  std::deque<Ear> ears(52);
  topic->listen(ears[50]);
  t.pass(20);
  for (int i = 0; i < 50; ++i) t.topic(fmt::format("tpu:x{},project=example-proj,zone=zz{}-a", i, i))->listen(ears[i]);
  t.pass(240);
  const auto late = t.topic("tpu:late,project=example-proj,zone=z1");
  late->listen(ears[51]);
  CHECK(t.pass_until([&late] { return late->known().status != nullptr; }, 60) < 20);
}

TEST_CASE("what is missing is looked for ever more slowly, and what begins to be there at its pace") {
  FleetLoop t(trainer(R"({"at": 0, "state": "DELETED"}, {"at": 2000, "state": "CREATING"}, {"at": 2100, "state": "READY"})"));
  Ear ear;
  const auto topic = t.tpu("trainer");
  topic->listen(ear);
  t.pass(1000);
  const std::uint64_t asked = t.asked_for_nodes();
  t.pass(600);
  CHECK(t.asked_for_nodes() - asked <= 20);
  CHECK(t.asked_for_nodes() - asked >= 15);
  t.pass(440);
  REQUIRE(topic->known().status);
  CHECK(topic->known().status->phase == ClusterPhase::provisioning);
  t.pass(75);
  CHECK(topic->known().generation == 1);
}
