// The clock includes the time in which a machine is suspended, for answers that contain ages.
#include <catch2/catch.hpp>

#include "net/system/counted_sleep.hpp"
#include "rollcall/sleepless_time.hpp"

using namespace rollcall;
using namespace std::chrono_literals;

TEST_CASE("observations before a suspension age by its duration", "[net]") {
  const SteadyTime seen = SteadyTime(100s);
  const CountedSleep clock(seen, 5000s);
  CHECK(clock.now(5000s) == seen);
  CHECK(clock.now(5003s) - seen == 3s);
  // An hour of suspension, in which the steady clock stood still.
  CHECK(clock.now(5003s + 1h) - seen == 1h + 3s);
}

TEST_CASE("before a suspension it is the steady clock's time", "[net]") {
  const std::shared_ptr<TimeSource> time = sleepless_time();
  const SteadyTime before = std::chrono::steady_clock::now();
  const SteadyTime now = time->now();
  const SteadyTime after = std::chrono::steady_clock::now();
  CHECK(now >= before);
  CHECK(now < after + 100ms);
  CHECK(time->now() >= now);
}
