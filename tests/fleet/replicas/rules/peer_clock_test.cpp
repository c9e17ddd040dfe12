// How long events of a peer were under way.
#include "fleet/replicas/rules/peer_clock.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;
using namespace std::chrono_literals;

namespace {

SteadyTime at(std::chrono::milliseconds time) { return SteadyTime(time); }

}  // namespace

TEST_CASE("an event that took longer than the quickest one is older than it says") {
  fleet::PeerClock clock;
  CHECK(clock.delay_of(500'000ms, at(1000ms)) == 0s);
  CHECK(clock.delay_of(501'000ms, at(2000ms)) == 0s);
  CHECK(clock.delay_of(502'000ms, at(13'000ms)) > 9900ms);  // it lay in a buffer while the line was cut
  CHECK(clock.delay_of(502'000ms, at(13'000ms)) <= 10s);
  CHECK(clock.delay_of(513'000ms, at(14'000ms)) < 5ms);
  CHECK(clock.delay_of(514'200ms, at(14'990ms)) == 0s);  // quicker than all before
  CHECK(clock.delay_of(515'200ms, at(16'190ms)) > 190ms);
}

TEST_CASE("clocks that drift apart delay nothing") {
  for (const double rate : {0.9999, 1.0, 1.0001}) {
    fleet::PeerClock clock;
    Duration most{0};
    for (int second = 1; second < 100'000; ++second) {
      const auto sent = std::chrono::milliseconds(static_cast<std::int64_t>(second * 1000 * rate));
      most = std::max(most, clock.delay_of(sent, at(std::chrono::milliseconds(second * 1000))));
    }
    CHECK(most < 2ms);
  }
}
