// Work that callers share: its deadline, and when it ends; in virtual time.
#include "call/single_flight.hpp"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <catch2/catch.hpp>
#include <vector>

#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// Callers of one piece of work of this duration; `runs` of it were started, `ended` were cancelled.
class Shared : public TestRuntime {
 public:
  using Asked = Started<Result<int>>;

  Asked ask(Duration timeout, int retries = 10) {
    auto script = [this](Call& call) -> asio::awaitable<Result<int>> {
      auto work = [this](Call& inner) { return make(inner); };
      co_return co_await flight.run(call, "shared work", std::move(work), when_left);
    };
    return start(run_call<int>(shared_impl_of(runtime), CallOptions().timeout(timeout).retry(RetryPolicy().max_retries(retries)), "asked",
                               std::move(script)));
  }
  void pass(Duration span) {
    const SteadyTime end = time->now() + span;
    for (poll(); time->next_alarm() && *time->next_alarm() <= end; poll()) time->advance_to(*time->next_alarm());
    time->advance_to(end);
    poll();
  }

  SingleFlight<int> flight;
  Duration takes = 2s;
  WhenLeft when_left = WhenLeft::goes_on;
  std::vector<Failure> failures;  // of the runs, in order; later runs succeed
  int runs = 0;
  int ended = 0;

 private:
  asio::awaitable<Result<int>> make(Call& call) {
    const int run = ++runs;
    const Result<void> slept = co_await call.sleep_until(impl_of(runtime).time->now() + takes);
    if (!slept) {
      ++ended;
      co_return slept.error();
    }
    if (static_cast<std::size_t>(run) <= failures.size()) co_return failures[static_cast<std::size_t>(run - 1)];
    co_return run;
  }
};

}  // namespace

TEST_CASE("a caller with time gets the result of work that one with little time started, and vice versa") {
  for (const bool is_short_first : {true, false}) {
    Shared t;
    auto first = t.ask(is_short_first ? 1s : 20s);
    t.pass(50ms);
    auto second = t.ask(is_short_first ? 20s : 1s);
    const auto& patient = is_short_first ? second : first;
    const auto& hasty = is_short_first ? first : second;
    t.pass(1s);
    REQUIRE(hasty.done());
    check_failure(hasty.value(), Errc::deadline_exceeded, "shared work: no answer within the deadline of 0.95 s");
    REQUIRE_FALSE(patient.done());
    t.pass(950ms);
    REQUIRE(patient.done());
    CHECK(patient.value().value() == 1);
    CHECK(t.runs == 1);
  }
}

TEST_CASE("repeated callers with little time get the result in the end, by one run") {
  Shared t;
  t.takes = 4500ms;
  int answered = 0;
  for (int second = 0; second < 6; ++second) {
    const auto asked = t.ask(1s);
    t.pass(1s);
    REQUIRE(asked.done());
    answered += asked.value().has_value();
  }
  CHECK(answered >= 1);
  CHECK(t.runs <= 2);
  CHECK(t.ended == 0);
}

TEST_CASE("a cancelled caller leaves the work to the others; the last one ends it") {
  Shared t;
  auto first = t.ask(20s);
  auto second = t.ask(20s);
  first.cancel();
  t.pass(1s);
  REQUIRE(first.done());
  CHECK(first.value().error().code() == Errc::cancelled);
  CHECK(t.ended == 0);
  SECTION("the other one gets the result") {
    t.pass(1s);
    REQUIRE(second.done());
    CHECK(second.value().has_value());
  }
  SECTION("and when that one is cancelled, too, nothing goes on") {
    second.cancel();
    t.poll();
    CHECK(t.ended == 1);
    CHECK(t.time->alarms() == 0);
  }
}

TEST_CASE("work that no caller waits for any more has an end") {
  Shared t;
  t.takes = std::chrono::hours(1);
  SECTION("5 s after the time of the last one was over") {
    (void)t.ask(1s);
    t.pass(3s);
    (void)t.ask(1s);  // which comes before
    t.pass(5s);
    CHECK(t.runs == 1);
    CHECK(t.ended == 0);
    t.pass(2s);
    CHECK(t.ended == 1);
    CHECK(t.time->alarms() == 0);
  }
  SECTION("when the Runtime is closed") {
    (void)t.ask(1s);
    t.pass(2s);
    CHECK(t.ended == 0);
    t.io.restart();
    asio::co_spawn(t.io, t.runtime.close(), asio::detached);
    t.poll();
    CHECK(t.ended == 1);
    CHECK(t.time->alarms() == 0);
  }
  SECTION("with its last caller, where no other one can come") {
    t.when_left = WhenLeft::ends;
    (void)t.ask(1s);
    t.pass(1s);
    CHECK(t.ended == 1);
    CHECK(t.time->alarms() == 0);
  }
}

TEST_CASE("work that ended with another caller's time is started again by a caller with more") {
  Shared t;
  SECTION("time") {
    t.takes = 40s;
    (void)t.ask(1s);
    auto patient = t.ask(120s);
    t.pass(35s);
    CHECK_FALSE(patient.done());
    CHECK(t.runs == 2);
    t.pass(40s);
    REQUIRE(patient.done());
    CHECK(patient.value().value() == 2);
  }
  SECTION("retries, once for all who have them") {
    t.failures = {Failure(Errc::unavailable, "HTTP 503")};
    auto without = t.ask(20s, 0);
    std::vector<Shared::Asked> with;
    for (int i = 0; i < 100; ++i) with.push_back(t.ask(20s));
    t.pass(5s);
    check_failure(without.value(), Errc::unavailable, "503");
    for (const auto& one : with) CHECK(one.value().value() == 2);
    CHECK(t.runs == 2);
  }
  SECTION("but not what failed for good, or for one who has no more") {
    t.failures = {Failure(Errc::unauthenticated, "refused"), Failure(Errc::unavailable, "HTTP 503")};
    auto without = t.ask(20s, 0);
    auto with = t.ask(20s);
    t.pass(3s);
    check_failure(with.value(), Errc::unauthenticated, "refused");
    auto one = t.ask(20s);
    auto other = t.ask(20s);
    t.pass(3s);
    check_failure(other.value(), Errc::unavailable, "503");
    CHECK(t.runs == 2);
  }
}
