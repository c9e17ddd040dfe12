// Who owns a source, how long a lease is taken for alive, and how fresh a watch is.
#include "fleet/replicas/rules/ownership.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace rollcall::fleet;
using namespace std::chrono_literals;

namespace {

const SteadyTime start_of_ownership{1000s};

std::vector<Peer> peers_named(const std::vector<std::string>& ids) {
  std::vector<Peer> peers;
  for (const std::string& id : ids) peers.emplace_back().id = id;
  return peers;
}

std::string key_of(const std::string& target) { return ownership_key(value_of(Target::parse(target))); }

}  // namespace

TEST_CASE("What is asked as a whole has one name") {
  CHECK(key_of("tpu:a,project=p,zone=z") == "tpu/p/z");
  CHECK(key_of("tpu:b,project=p,zone=z") == "tpu/p/z");
  CHECK(key_of("kubernetes:train,job.worker=a=b") == "kubernetes//train");
  CHECK(key_of("kubernetes:train,context=c,job.worker=a=c") == "kubernetes/c/train");
  CHECK(key_of("dns:workers.example") == "dns:workers.example");
}

TEST_CASE("Sources are spread over replicas, and only those of one that goes change hands") {
  const std::vector<Peer> three = peers_named({"a1", "b2", "c3"});
  const std::vector<Peer> two = peers_named({"a1", "c3"});
  std::map<std::string, int> owned;
  for (int i = 0; i < 3000; ++i) {
    const std::string source = fmt::format("tpu/p/zone-{}", i);
    const std::string owner = claimants(source, three).front();
    ++owned[owner];
    const std::string later = claimants(source, two).front();
    if (owner != "b2") CHECK(later == owner);
  }
  for (const auto& [id, count] : owned) CHECK((count > 850 && count < 1150));
  CHECK(owned.size() == 3);
}

TEST_CASE("Who leaves has nothing, the lower schema owns, and who is unable comes last") {
  std::vector<Peer> peers = peers_named({"a1", "b2", "c3"});
  const std::vector<std::string> ranks = claimants("s", peers);
  REQUIRE(ranks.size() == 3);
  for (Peer& peer : peers) {
    if (peer.id == ranks[0]) peer.unable = {"s"};
  }
  CHECK(claimants("s", peers) == std::vector<std::string>{ranks[1], ranks[2], ranks[0]});
  for (Peer& peer : peers) {
    if (peer.id == ranks[1]) peer.is_leaving = true;
  }
  CHECK(claimants("s", peers) == std::vector<std::string>{ranks[2], ranks[0]});
  for (Peer& peer : peers) {
    if (peer.id == ranks[2]) peer.schema = 2;
  }
  CHECK(claimants("s", peers) == std::vector<std::string>{ranks[0]});
  CHECK(claimants("s", {}).empty());
}

TEST_CASE("The first in rank claims what is free at once, the next one when it does not") {
  const std::vector<std::string> ranks = {"a", "b"};
  SourceOwnership first;
  CHECK(first.next("a", "", ranks, false, start_of_ownership) == OwnershipMove::none);
  CHECK(first.next("a", "", ranks, true, start_of_ownership) == OwnershipMove::claim);
  SourceOwnership second;
  CHECK(second.next("b", "", ranks, true, start_of_ownership) == OwnershipMove::none);
  CHECK(second.again_at() == start_of_ownership + 15s);
  CHECK(second.next("b", "", ranks, true, start_of_ownership + 15s - 1ns) == OwnershipMove::none);
  CHECK(second.next("b", "", ranks, true, start_of_ownership + 15s) == OwnershipMove::claim);
  // Nobody takes what somebody has, however the ranks are.
  CHECK(first.next("a", "b", ranks, true, start_of_ownership + 100s) == OwnershipMove::none);
  SourceOwnership stranger;
  CHECK(stranger.next("x", "", ranks, true, start_of_ownership + 100s) == OwnershipMove::none);
}

TEST_CASE("An owner yields to a better one that has been there for half a minute, and gives back what nobody wants") {
  SourceOwnership owner;
  const std::vector<std::string> better = {"a", "b"};
  CHECK(owner.next("b", "b", {"b"}, true, start_of_ownership) == OwnershipMove::none);
  CHECK(owner.next("b", "b", better, true, start_of_ownership + 1s) == OwnershipMove::none);
  CHECK(owner.again_at() == start_of_ownership + 31s);
  CHECK(owner.next("b", "b", {"b"}, true, start_of_ownership + 20s) == OwnershipMove::none);  // it was gone again
  CHECK(owner.next("b", "b", better, true, start_of_ownership + 21s) == OwnershipMove::none);
  CHECK(owner.next("b", "b", better, true, start_of_ownership + 51s - 1ns) == OwnershipMove::none);
  CHECK(owner.next("b", "b", better, true, start_of_ownership + 51s) == OwnershipMove::yield);
  CHECK(owner.next("b", "b", {"b"}, false, start_of_ownership + 52s) == OwnershipMove::yield);
}

TEST_CASE("After three failed looks another one is let try, and not twice in five minutes") {
  FailedLooks failed;
  CHECK_FALSE(failed.note("s", 2, true, start_of_ownership));
  CHECK_FALSE(failed.note("s", 3, false, start_of_ownership));
  CHECK(failed.note("s", 3, true, start_of_ownership));
  CHECK(failed.unable(start_of_ownership + 299s) == std::vector<std::string>{"s"});
  CHECK_FALSE(failed.note("s", 9, true, start_of_ownership + 299s));
  CHECK(failed.unable(start_of_ownership + 300s).empty());
  CHECK(failed.note("s", 3, true, start_of_ownership + 300s));
}

TEST_CASE("A lease is over two seconds before the store may end it") {
  LeaseLife life;
  CHECK_FALSE(life.is_alive(start_of_ownership));
  life.renew(start_of_ownership, 10s);
  CHECK(life.is_alive(start_of_ownership + 8s - 1ns));
  CHECK_FALSE(life.is_alive(start_of_ownership + 8s));
  life.renew(start_of_ownership + 3s, 10s);
  CHECK(life.until() == start_of_ownership + 11s);
  life.lose();
  CHECK_FALSE(life.is_alive(start_of_ownership + 4s));
}

TEST_CASE("A watch that does not tell of an own write for five seconds is silent", "[fleet]") {
  WatchPulse pulse;
  const SteadyTime t = start_of_ownership;
  CHECK(pulse.silent_at() == SteadyTime::max());
  pulse.sent(1, t + 5s);
  pulse.sent(2, t + 6s);
  CHECK_FALSE(pulse.is_silent(t + 10s));
  CHECK(pulse.is_silent(t + 10s + 1ns));
  CHECK(pulse.silent_at() == t + 10s);
  pulse.seen(1);
  CHECK(pulse.silent_at() == t + 11s);
  pulse.seen(2);
  CHECK(pulse.silent_at() == SteadyTime::max());
  pulse.sent(3, t + 13s);
  pulse.restart();
  CHECK_FALSE(pulse.is_silent(t + 30s));
}
