#include "base/backoff.hpp"

#include <catch2/catch.hpp>
#include <limits>

using namespace rollcall;
using namespace std::chrono_literals;

TEST_CASE("pauses grow by the factor up to the longest, and can start again or slow down") {
  ExponentialBackoff backoff(1s, 10s);
  for (const Duration wanted : {Duration(1s), Duration(2s), Duration(4s), Duration(8s), Duration(10s), Duration(10s)}) {
    CHECK(backoff.next() == wanted);
  }
  backoff.reset();
  CHECK(backoff.next() == 1s);
  CHECK(backoff.next() == 2s);
  backoff.slow_down();
  CHECK(backoff.next() == 10s);
  CHECK(backoff.next() == 10s);
  CHECK(ExponentialBackoff(2s, 30s, 1.5).nth(2) == 4500ms);
}

TEST_CASE("no pause is outside its bounds, for all numbers") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(ExponentialBackoff(1s, 10s).nth(-1) == 1s);
  CHECK(ExponentialBackoff(1s, Duration::max()).nth(std::numeric_limits<int>::max()) == Duration::max());
  CHECK(ExponentialBackoff(1s, 10s, infinity).nth(1) == 10s);
  CHECK(ExponentialBackoff(1s, 10s, nan).nth(5) == 1s);
  CHECK(ExponentialBackoff(1s, 10s, -3).nth(5) == 1s);
  CHECK(ExponentialBackoff(20s, 10s).nth(0) == 10s);
  CHECK(ExponentialBackoff(0s, 10s).nth(3) == 0s);
  CHECK(ExponentialBackoff(-1s, 10s).nth(3) == 0s);
  CHECK(ExponentialBackoff(1s, 0s).nth(3) == 0s);
}

TEST_CASE("jitter is uniform between its ends") {
  CHECK(with_jitter(10s, 0.5, 0.5, 0) == 5s);
  CHECK(with_jitter(10s, 0.5, 0.5, 0.5) == 7500ms);
  CHECK(with_jitter(10s, 1, 1, 0.999) < 20s);
}
