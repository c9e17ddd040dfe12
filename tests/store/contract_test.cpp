// What every store owes its users, whatever its engine is.
#include <catch2/catch.hpp>

#include "store/worlds.hpp"

namespace rollcall::testing {
namespace {

using store::Change;
using store::Compare;
using store::Entry;
using store::Lease;
using store::Listing;
using store::Outcome;
using store::Transaction;
using store::WatchEnd;
using store::Write;

template <class World>
class Bench : public World {
 public:
  std::string key(std::string_view name) const { return this->prefix() + std::string(name); }
  Result<Outcome> try_commit(std::vector<Compare> compares, std::vector<Write> writes) {
    Transaction transaction;
    transaction.compares = std::move(compares);
    transaction.writes = std::move(writes);
    return this->template run<Outcome>([this, transaction](Call& call) { return this->store().commit(call, transaction); });
  }
  Outcome commit(std::vector<Compare> compares, std::vector<Write> writes) {
    return value_of(try_commit(std::move(compares), std::move(writes)));
  }
  std::uint64_t put(std::string_view name, std::string value, std::int64_t lease = 0) {
    const Outcome outcome = commit({}, {Write::put(key(name), std::move(value), lease)});
    CHECK(outcome.is_written);
    return outcome.revision;
  }
  Listing list(std::string_view below = {}, bool may_be_old = false) {
    return value_of(this->template run<Listing>(
        [this, prefix = key(below), may_be_old](Call& call) { return this->store().list(call, prefix, may_be_old); }));
  }
  /// `a=1 b=2`, without the prefix.
  std::string shown() {
    std::string text;
    for (const Entry& entry : list().entries) {
      if (!text.empty()) text += ' ';
      text += entry.key.substr(this->prefix().size()) + "=" + entry.value;
    }
    return text;
  }
  auto watch(Seen& seen, std::uint64_t revision, std::string_view below = {}) {
    return this->template begin<WatchEnd>(
        [this, prefix = key(below), revision, &seen](Call& call) { return this->store().watch(call, prefix, revision, seen); });
  }
  Lease grant(Duration ttl) {
    return value_of(this->template run<Lease>([this, ttl](Call& call) { return this->store().grant(call, ttl); }));
  }
  Result<Lease> keep_alive(std::int64_t lease) {
    return this->template run<Lease>([this, lease](Call& call) { return this->store().keep_alive(call, lease); });
  }
  Result<void> revoke(std::int64_t lease) {
    return this->template run<void>([this, lease](Call& call) { return this->store().revoke(call, lease); });
  }
};

}  // namespace

#define CONTRACT(name) TEMPLATE_TEST_CASE(name, "[contract]", MemoryWorld, EtcdWorld)
#define WORLD(world)                 \
  if (!TestType::is_there()) return; \
  Bench<TestType> world

CONTRACT("a store lists what begins with a prefix, by key, with revisions") {
  WORLD(world);
  const std::uint64_t empty = world.list().revision;
  CHECK(world.list().entries.empty());
  CHECK(empty >= 1);
  const std::uint64_t first = world.put("b", "1");
  const std::uint64_t second = world.put("a", std::string("\0\xff\n", 3));
  const std::uint64_t third = world.put("b", "2");
  CHECK(first > empty);
  CHECK(second == first + 1);
  CHECK(third == second + 1);
  const Listing listing = world.list();
  REQUIRE(listing.entries.size() == 2);
  CHECK(listing.revision == third);
  CHECK(listing.entries[0].key == world.key("a"));
  CHECK(listing.entries[0].value == std::string("\0\xff\n", 3));
  CHECK(listing.entries[0].create_revision == second);
  CHECK(listing.entries[1].value == "2");
  CHECK(listing.entries[1].create_revision == first);
  CHECK(listing.entries[1].modify_revision == third);
  CHECK(listing.entries[1].lease == 0);
  CHECK(world.list("b").entries.size() == 1);
  CHECK(world.list("c").entries.empty());
  CHECK(world.list("", true).entries.size() == 2);
}

CONTRACT("writes happen all at once, or not at all") {
  WORLD(world);
  const Outcome made = world.commit({Compare::is_absent(world.key("owner"))}, {Write::put(world.key("owner"), "r1")});
  CHECK(made.is_written);
  CHECK(made.compared.empty());
  const Outcome late = world.commit({Compare::is_absent(world.key("owner")), Compare::is_absent(world.key("x"))},
                                    {Write::put(world.key("owner"), "r2"), Write::put(world.key("x"), "1")});
  CHECK(!late.is_written);
  CHECK(late.revision == made.revision);
  REQUIRE(late.compared.size() == 1);
  CHECK(late.compared[0].value == "r1");
  CHECK(late.compared[0].create_revision == made.revision);
  CHECK(world.shown() == "owner=r1");

  const Outcome fenced = world.commit({Compare::was_created_at(world.key("owner"), made.revision)},
                                      {Write::put(world.key("s1"), "a"), Write::put(world.key("s2"), "b")});
  CHECK(fenced.is_written);
  CHECK(fenced.revision == made.revision + 1);
  const Outcome changed = world.commit({Compare::was_modified_at(world.key("s1"), fenced.revision)},
                                       {Write::put(world.key("s1"), "c"), Write::remove(world.key("s2"))});
  CHECK(changed.is_written);
  CHECK(world.shown() == "owner=r1 s1=c");
  CHECK(!world.commit({Compare::was_modified_at(world.key("s1"), fenced.revision)}, {Write::put(world.key("s1"), "d")}).is_written);
  CHECK(!world.commit({Compare::was_modified_at(world.key("s2"), fenced.revision)}, {Write::put(world.key("s1"), "d")}).is_written);
  CHECK(world.shown() == "owner=r1 s1=c");
  // What is made anew is not what it was.
  world.commit({}, {Write::remove(world.key("owner"))});
  world.put("owner", "r1");
  CHECK(!world.commit({Compare::was_created_at(world.key("owner"), made.revision)}, {Write::put(world.key("s1"), "late")}).is_written);
}

CONTRACT("a transaction that cannot be is refused as a mistake of who asks") {
  WORLD(world);
  check_failure(world.try_commit({}, {Write::put(world.key("a"), "1"), Write::put(world.key("a"), "2")}), Errc::invalid_argument, "twice");
  std::vector<Write> writes;
  for (std::size_t i = 0; i <= world.store().max_writes(); ++i) writes.push_back(Write::put(world.key(fmt::format("k{}", i)), "v"));
  check_failure(world.try_commit({}, writes), Errc::invalid_argument, "129");
  writes.pop_back();
  CHECK(world.commit({}, writes).is_written);
  CHECK(world.list().entries.size() == world.store().max_writes());
  check_failure(world.try_commit({}, {Write::put(world.key("a"), "1", 12345)}), Errc::not_found, "lease");
}

CONTRACT("a watch tells each revision once, in order, from where it was asked for") {
  WORLD(world);
  const std::uint64_t before = world.put("a", "1");
  world.put("a", "2");
  Seen seen;
  auto watching = world.watch(seen, before);
  CHECK(world.until([&] { return seen.lines.size() == 1 && seen.standing; }));
  world.commit({}, {Write::put(world.key("b"), "1"), Write::put(world.key("c"), "1"), Write::remove(world.key("a"))});
  CHECK(world.until([&] { return seen.lines.size() == 2; }));
  const std::uint64_t last = world.put("c", "2");
  CHECK(world.until([&] { return seen.lines.size() == 3; }));
  CHECK(seen.lines[0] == world.key("a") + "=2");
  CHECK(seen.lines[1] == world.key("b") + "=1 " + world.key("c") + "=1 -" + world.key("a"));
  CHECK(seen.lines[2] == world.key("c") + "=2");
  CHECK(seen.revisions == std::vector<std::uint64_t>{before + 1, before + 2, last});
  CHECK(!watching.done());
  watching.cancel();
  CHECK(world.until([&] { return watching.done(); }));
  check_failure(watching.value(), Errc::cancelled, "");
}

CONTRACT("a watch of what is not there any more says from where on it is") {
  WORLD(world);
  const std::uint64_t first = world.put("a", "1");
  world.put("a", "2");
  const std::uint64_t last = world.put("a", "3");
  world.compact(last);
  Seen seen;
  auto watching = world.watch(seen, first);
  CHECK(world.until([&] { return watching.done(); }));
  REQUIRE(watching.done());
  const WatchEnd end = value_of(watching.value());
  CHECK(end.is_compacted);
  CHECK(end.compact_revision == last);
  CHECK(seen.lines.empty());
  CHECK(world.list().revision >= last);
  Seen fresh;
  auto again = world.watch(fresh, last);
  CHECK(world.until([&] { return fresh.standing.has_value(); }));
  world.put("a", "4");
  CHECK(world.until([&] { return fresh.lines.size() == 1; }));
  again.cancel();
  CHECK(world.until([&] { return again.done(); }));
}

CONTRACT("a lease ends when nobody keeps it alive, and takes its keys along") {
  WORLD(world);
  const Lease lease = world.grant(std::chrono::seconds(2));
  CHECK(lease.id != 0);
  CHECK(lease.ttl >= std::chrono::seconds(2));
  const std::uint64_t written = world.put("replica/1", "here", lease.id);
  world.put("replica/2", "there");
  CHECK(world.list("replica/1").entries.at(0).lease == lease.id);
  world.pass(std::chrono::milliseconds(1200));
  CHECK(value_of(world.keep_alive(lease.id)).ttl >= std::chrono::seconds(2));
  world.pass(std::chrono::milliseconds(1200));
  CHECK(world.list("replica/").entries.size() == 2);
  Seen seen;
  auto watching = world.watch(seen, written + 1);
  CHECK(world.until([&] { return !seen.lines.empty(); }));
  CHECK(seen.lines.at(0) == "-" + world.key("replica/1"));
  CHECK(world.shown() == "replica/2=there");
  check_failure(world.keep_alive(lease.id), Errc::not_found, "lease");
  CHECK(world.revoke(lease.id));
  watching.cancel();
  CHECK(world.until([&] { return watching.done(); }));
}

CONTRACT("a lease that is given back takes its keys along at once") {
  WORLD(world);
  const Lease lease = world.grant(std::chrono::seconds(60));
  world.commit({}, {Write::put(world.key("a"), "1", lease.id), Write::put(world.key("b"), "1", lease.id), Write::put(world.key("c"), "1")});
  CHECK(world.revoke(lease.id));
  CHECK(world.shown() == "c=1");
  check_failure(world.try_commit({}, {Write::put(world.key("a"), "1", lease.id)}), Errc::not_found, "lease");
}

}  // namespace rollcall::testing
