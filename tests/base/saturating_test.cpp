// Times at the ends of their range.
#include "base/saturating.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;
using namespace std::chrono_literals;

TEST_CASE("sums and differences of times stop at the ends of the range") {
  CHECK(saturating_sum(2s, 3s) == 5s);
  CHECK(saturating_sum(Duration::max(), 1ns) == Duration::max());
  CHECK(saturating_sum(Duration::min(), -1ns) == Duration::min());
  CHECK(saturating_sum(Duration::max(), Duration::min()) == -1ns);
  CHECK(saturating_sum(SteadyTime(1s), Duration::max()) == SteadyTime::max());
  CHECK(saturating_sum(SteadyTime(-1s), Duration::min()) == SteadyTime::min());
  CHECK(saturating_sum(SteadyTime::max(), Duration(-1h)) == SteadyTime::max());  // never stays never
  CHECK(saturating_sum(WallTime(1s), Duration(-2s)) == WallTime(-1s));
  CHECK(saturating_difference(SteadyTime(3s), SteadyTime(1s)) == 2s);
  CHECK(saturating_difference(SteadyTime::max(), SteadyTime(-1s)) == Duration::max());
  CHECK(saturating_difference(SteadyTime::min(), SteadyTime(1s)) == Duration::min());
}
