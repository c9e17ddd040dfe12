// Invariants of a service, and of three replicas over one lease, in stories of random faults. `test_fleet "[seeds]"` runs a thousand of
// each, `test_fleet "[crowds]"` a thousand with a hundred followers, and `test_fleet "[herds]"` ten with ten thousand.
#include <catch2/catch.hpp>

#include "fleet/invariants/random_story.hpp"
#include "fleet/invariants/replica_story.hpp"

using namespace rollcall::testing;

namespace {

template <class Story>
void tell_stories(unsigned from, unsigned until) {
  for (unsigned seed = from; seed < until; ++seed) {
    for (const std::string& fault : Story::run(seed)) FAIL_CHECK("seed " << seed << ": " << fault);
  }
}

}  // namespace

TEST_CASE("What must hold holds in a hundred stories of faults", "[long][fleet]") { tell_stories<RandomStory>(1, 101); }

TEST_CASE("What must hold of three replicas holds in twenty stories of faults", "[long][fleet]") { tell_stories<ReplicaStory>(1, 21); }

TEST_CASE("and in a thousand", "[.][seeds]") { tell_stories<RandomStory>(1, 1001); }

TEST_CASE("and in a thousand of three replicas", "[.][seeds]") { tell_stories<ReplicaStory>(1, 1001); }

TEST_CASE("and with a hundred followers each", "[.][crowds]") {
  for (unsigned seed = 1; seed <= 1000; ++seed) {
    for (const std::string& fault : ReplicaStory::run(seed, 100)) FAIL_CHECK("seed " << seed << ": " << fault);
  }
}

TEST_CASE("and with ten thousand followers", "[.][herds]") {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    for (const std::string& fault : ReplicaStory::run(seed, 10'000)) FAIL_CHECK("seed " << seed << ": " << fault);
  }
}

TEST_CASE("The check of what must hold finds what does not", "[fleet]") {
  Truth truth;
  truth.spans = {{0, 100, Standing::waiting}, {100, 200, Standing::ready}};
  const auto entry = [](double at, std::string event, std::string id, double age, std::optional<Standing> standing) {
    FollowerEntry made;
    made.at = at;
    made.event = std::move(event);
    made.id = std::move(id);
    made.age = age;
    made.standing = standing;
    return made;
  };
  FollowerLog good;
  good.name = "f";
  good.lines = {{90, 120}};
  good.entries = {entry(90, "progress", "10.1", 0, Standing::waiting), entry(101, "beat", "10.1", 0.5, {}),
                  entry(101, "ready", "10.2", 0.5, Standing::ready), entry(110, "beat", "10.2", 9, {}), entry(120, "beat", "10.2", 1, {})};
  CHECK(FollowerCheck(good, truth).run(120).empty());
  const auto faults_of = [&](auto change) {
    FollowerLog log = good;
    change(log);
    std::string all;
    for (const std::string& fault : FollowerCheck(log, truth).run(120)) all += fault.substr(fault.find(": ") + 2, 2);
    return all;
  };
  CHECK(faults_of([](FollowerLog& log) { log.entries[3].id = "10.1"; }) == "I1");
  CHECK(faults_of([](FollowerLog& log) {
          log.entries[1].at = 105;
          log.entries[2].at = 105;
        }) == "I2");
  CHECK(faults_of([](FollowerLog& log) { log.entries.resize(3), log.lines[0].second = 119; }) == "I5");
  CHECK(faults_of([](FollowerLog& log) { log.entries.resize(2), log.lines[0].second = 105; }) == "I4");
  CHECK(faults_of([](FollowerLog& log) { log.entries[3].event = "final"; }) == "I6");
  CHECK(faults_of([](FollowerLog& log) { log.withdrawn = {{109, 111}}; }) == "I8");
}
