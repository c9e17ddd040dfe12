// What can befall a store in memory, for tests of those who use one.
#include <catch2/catch.hpp>

#include "store/worlds.hpp"

namespace rollcall::testing {
namespace {

using Reach = sim::MemoryStore::Reach;

Result<store::Outcome> put(MemoryWorld& world, std::size_t replica, std::string value) {
  store::Transaction transaction;
  transaction.compares.push_back(store::Compare::is_absent("/none"));
  transaction.writes.push_back(store::Write::put("/t/a", std::move(value)));
  return world.run<store::Outcome>([&world, replica, transaction](Call& call) { return world.store(replica).commit(call, transaction); });
}

std::string value(MemoryWorld& world) {
  const sim::EtcdModel::State state = world.model->backup();
  const auto found = state.keys.find("/t/a");
  return found == state.keys.end() ? "" : found->second.value;
}

auto watch(MemoryWorld& world, std::size_t replica, Seen& seen) {
  return world.begin<store::WatchEnd>([&world, replica, &seen](Call& call) { return world.store(replica).watch(call, "/t/", 1, seen); });
}

}  // namespace

TEST_CASE("one replica is cut off, the other is not") {
  MemoryWorld world;
  Seen first;
  Seen second;
  auto watching_first = watch(world, 0, first);
  auto watching_second = watch(world, 1, second);
  world.memory(0).reach(Reach::refused);
  world.poll();
  CHECK(watching_first.done());
  check_failure(put(world, 0, "x"), Errc::unreachable, "store");
  CHECK(value_of(put(world, 1, "y")).is_written);
  CHECK(second.lines.size() == 1);
  CHECK(first.lines.empty());
  CHECK(world.memory(0).watches() == 0);
  CHECK(world.memory(1).watches() == 1);
  world.memory(0).reach(Reach::open);
  CHECK(value_of(put(world, 0, "z")).is_written);
  watching_second.cancel();
  world.poll();
}

TEST_CASE("a store that hangs lets its callers wait as the real one does, and its watch is silent for good") {
  MemoryWorld world;
  Seen seen;
  auto watching = watch(world, 0, seen);
  world.memory(0).reach(Reach::hanging);
  const double before = world.seconds();
  check_failure(put(world, 0, "x"), Errc::response_timeout, "does not answer");
  CHECK(world.seconds() - before == Approx(3));
  CHECK(value(world).empty());
  world.memory(0).reach(Reach::open);
  CHECK(value_of(put(world, 0, "y")).is_written);
  world.pass(std::chrono::minutes(1));
  CHECK(seen.lines.empty());
  CHECK(!watching.done());
  watching.cancel();
  world.poll();
}

TEST_CASE("an answer that is lost belongs to a write that happened") {
  MemoryWorld world;
  world.memory().lose_answers(1);
  check_failure(put(world, 0, "x"), Errc::response_timeout, "does not answer");
  CHECK(value(world) == "x");
  world.memory().delay_answers(std::chrono::milliseconds(500));
  const double before = world.seconds();
  CHECK(value_of(put(world, 0, "y")).is_written);
  CHECK(world.seconds() - before == Approx(0.5));
}

TEST_CASE("leases can be killed, and the past can be put back") {
  MemoryWorld world;
  const store::Lease lease =
      value_of(world.run<store::Lease>([&world](Call& call) { return world.store().grant(call, std::chrono::seconds(10)); }));
  const sim::EtcdModel::State backup = world.model->backup();
  store::Transaction transaction;
  transaction.writes.push_back(store::Write::put("/t/r", "1", lease.id));
  Seen seen;
  auto watching = watch(world, 0, seen);
  CHECK(value_of(world.run<store::Outcome>([&](Call& call) { return world.store().commit(call, transaction); })).is_written);
  world.model->end_leases();
  world.poll();
  CHECK(seen.lines == std::vector<std::string>{"/t/r=1", "-/t/r"});
  world.model->restore(backup, world.time->now());
  world.poll();
  REQUIRE(watching.done());
  check_failure(watching.value(), Errc::unreachable, "broke");
  CHECK(world.model->revision() == 1);
}

TEST_CASE("without a leader nothing is written, watches end, and what is old can be read") {
  MemoryWorld world;
  CHECK(value_of(put(world, 0, "x")).is_written);
  Seen seen;
  auto watching = watch(world, 0, seen);
  world.model->set_leader(false, world.time->now());
  world.poll();
  REQUIRE(watching.done());
  CHECK(value_of(watching.value()).reason == "etcdserver: no leader");
  check_failure(put(world, 0, "y"), Errc::unavailable, "leader");
  const auto listed = [&world](bool may_be_old) {
    return world.run<store::Listing>([&world, may_be_old](Call& call) { return world.store().list(call, "/t/", may_be_old); });
  };
  check_failure(listed(false), Errc::unavailable, "leader");
  CHECK(value_of(listed(true)).entries.size() == 1);
}

}  // namespace rollcall::testing
