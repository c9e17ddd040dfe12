// The contest for the lease: one leads, and another one when that one is gone.
#include <catch2/catch.hpp>

#include "lease/lease_support.hpp"

namespace rollcall::testing {

using Kind = LeaseFault::Kind;

TEST_CASE("a lone replica takes a lease that no replica has taken, after a TTL") {
  Contest contest;
  contest.add("a");
  CHECK(contest.leading().empty());
  const Duration waited = contest.until_leads("a");
  CHECK(waited >= Contest::ttl);
  CHECK(waited <= Contest::ttl + seconds(1));
  const auto& elector = *contest.all.front()->elector;
  REQUIRE(elector.leader());
  CHECK(elector.leader()->holder == "a");
  CHECK(elector.leader()->url == "http://a");
  CHECK(elector.epoch() == contest.shared->record.epoch);
  CHECK(elector.epoch() >= 24 * 3600 * 365 * 30u);  // the wall clock
  const std::uint64_t epoch = elector.epoch();
  contest.pass(std::chrono::hours(1));
  CHECK(contest.leading() == "a");
  CHECK(elector.epoch() == epoch);
  CHECK(elector.trouble().empty());
}

TEST_CASE("of two replicas one leads, and the other one within TTL and 2 s after that one is gone") {
  Contest contest;
  contest.add("a");
  contest.until_leads("a");
  contest.add("b");
  contest.pass(seconds(60));
  CHECK(contest.leading() == "a");
  CHECK(contest.all[1]->elector->leader()->holder == "a");
  const std::uint64_t epoch = contest.all[1]->elector->epoch();
  contest.all.erase(contest.all.begin());
  CHECK(contest.until_leads("b") <= Contest::ttl + seconds(2));
  CHECK(contest.all[0]->elector->epoch() > epoch);
}

TEST_CASE("a replica that releases the lease is followed at once") {
  Contest contest;
  contest.add("a");
  contest.until_leads("a");
  contest.add("b");
  contest.pass(seconds(5));
  auto released = contest.start([](std::shared_ptr<lease::Elector> elector) -> asio::awaitable<bool> {
    co_await elector->release();
    co_return true;
  }(contest.all[0]->elector));
  CHECK(contest.leading().empty());
  CHECK(contest.until_leads("b") <= seconds(2));
  CHECK(released.done());
  contest.pass(seconds(60));
  CHECK(contest.all[0]->elector->leader()->holder == "b");
  contest.all.erase(contest.all.begin() + 1);
  contest.pass(seconds(60));
  CHECK(contest.leading().empty());  // it takes the lease no more
}

TEST_CASE("a replica that is cut off from the engine leads no more before another one takes the lease") {
  Contest contest;
  contest.add("a");
  contest.until_leads("a");
  contest.add("b");
  contest.pass(seconds(5));
  contest.all[0]->engine->always = GENERATE(Kind::refused, Kind::no_answer, Kind::lost_answer);
  std::string names;
  const SteadyTime begun = contest.time->now();
  while (contest.time->now() < begun + seconds(30)) {
    contest.pass(milliseconds(50));
    const std::string leading = contest.leading();
    CHECK(leading != "a b");
    if (!leading.empty() && !names.ends_with(leading)) names += leading;
  }
  CHECK(names == "ab");
  CHECK(contest.all[0]->elector->trouble().starts_with("the lease in memory: "));
  contest.all[0]->engine->always = Kind::none;
  contest.pass(seconds(10));
  CHECK(contest.all[0]->elector->trouble().empty());
  CHECK(contest.leading() == "b");
}

}  // namespace rollcall::testing
