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

TEST_CASE("a taking whose answer is lost is taken again, with another epoch") {
  Contest contest;
  Contender& a = contest.add("a");
  contest.pass(Contest::ttl - milliseconds(300));
  a.engine->scripted = {Kind::lost_answer, Kind::lost_answer};
  contest.pass(seconds(8));
  CHECK(contest.until_leads("a") <= seconds(10));
  CHECK(contest.shared->record.epoch == a.elector->epoch());
  CHECK(a.elector->trouble().empty());
}

TEST_CASE("a holder whose machine was suspended leads no more when it goes on") {
  Contest contest;
  Contender& a = contest.add("a");
  contest.until_leads("a");
  const std::uint64_t epoch = a.elector->epoch();
  contest.pass(seconds(1));
  contest.time->advance(Contest::ttl);  // nothing of it runs meanwhile
  CHECK(!a.elector->leads());
  CHECK(contest.until_leads("a") <= Contest::ttl);  // its own record: no other replica has taken it
  CHECK(a.elector->epoch() > epoch);
}

TEST_CASE("a record that is deleted, or written by another program, is not led by") {
  Contest contest;
  Contender& a = contest.add("a");
  contest.until_leads("a");
  const std::uint64_t epoch = a.elector->epoch();
  contest.shared->remove();
  CHECK(contest.until([&] { return !a.elector->leads(); }) <= Contest::ttl / 3 + seconds(1));
  CHECK(contest.until_leads("a") >= Contest::ttl - seconds(1));
  CHECK(a.elector->epoch() > epoch);
}

TEST_CASE("an older record than is known is watched for a TTL before it is taken, even if it was released") {
  Contest contest;
  Contender& a = contest.add("a");
  contest.until_leads("a");
  lease::LeaseRecord older;
  older.epoch = 7;
  older.ttl = Contest::ttl;
  contest.shared->put(older);
  CHECK(contest.until([&] { return !a.elector->leads(); }) <= Contest::ttl / 3 + seconds(1));
  const Duration waited = contest.until_leads("a");
  CHECK(waited >= Contest::ttl - seconds(1));
  CHECK(waited <= Contest::ttl + seconds(2));
}

TEST_CASE("a larger epoch that a peer has shown ends the lead, and the next taking is larger") {
  Contest contest;
  Contender& a = contest.add("a");
  contest.until_leads("a");
  const std::uint64_t epoch = a.elector->epoch();
  a.elector->saw_epoch(epoch);
  CHECK(a.elector->leads());
  a.elector->saw_epoch(lease::max_epoch + 1);
  CHECK(a.elector->leads());  // no replica has it
  a.elector->saw_epoch(epoch + 100);
  CHECK(!a.elector->leads());
  CHECK(a.elector->epoch() == epoch + 100);
  CHECK(contest.until_leads("a") <= 2 * Contest::ttl);
  CHECK(a.elector->epoch() > epoch + 100);
}

TEST_CASE("changes are made known once, and an engine that does not answer is named") {
  Contest contest;
  Contender& a = contest.add("a");
  int changes = 0;
  const auto count = [](lease::Elector& elector, int& times) -> asio::awaitable<bool> {
    bool is_awake = true;
    while (is_awake) {
      is_awake = co_await elector.changed().wait();
      ++times;
    }
    co_return true;
  };
  auto counting = contest.start(count(*a.elector, changes));
  contest.until_leads("a");
  const int before = changes;
  contest.pass(std::chrono::minutes(2));
  CHECK(changes == before);  // renewals are no news
  a.engine->always = Kind::refused;
  contest.pass(seconds(7));
  CHECK(changes == before + 1);
  CHECK_THAT(a.elector->trouble(), Catch::StartsWith("the lease in memory: ") && Catch::Contains(" (for "));
  CHECK(a.elector->leads());
  contest.pass(seconds(20));
  CHECK(changes == before + 2);
  CHECK(!a.elector->leads());
  counting.cancel();
  contest.poll();
}

}  // namespace rollcall::testing
