// The retry decision, as arithmetic.
#include "rollcall/retry_policy.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <limits>

using namespace rollcall;
using namespace std::chrono_literals;

namespace {

const SteadyTime start{100s};
const SteadyTime never = SteadyTime::max();

std::function<double()> fixed(double value) {
  return [value] { return value; };
}

Duration delay(const RetryPolicy& policy, int retries, double u, std::optional<Duration> hint = {}, SteadyTime deadline = never) {
  const RetryDecision d = policy.next(AttemptClass::transient, retries, hint, start, deadline, fixed(u));
  REQUIRE(d.retry);
  return d.delay;
}

}  // namespace

TEST_CASE("full jitter lies between the floor and the growing bound") {
  const RetryPolicy policy;  // 200 ms, doubled, at most 10 s, floor 10 ms
  for (int n = 0; n < 10; ++n) {
    const Duration bound = std::min<Duration>(10s, 200ms * (1 << n));
    CHECK(delay(policy, n, 0.0) == 10ms);
    CHECK(delay(policy, n, 0.5) == 10ms + (bound - Duration(10ms)) / 2);
    CHECK(delay(policy, n, 0.999999) < bound);
  }
}

TEST_CASE("the floor gives way to a smaller base") {
  CHECK(delay(RetryPolicy().base_delay(1ms), 0, 0.0) == 1ms);
  CHECK(delay(RetryPolicy().base_delay(0ms), 3, 0.9) == 0ms);
  CHECK(delay(RetryPolicy().max_delay(5ms), 3, 0.9) == 5ms);
}

TEST_CASE("huge numbers do not overflow") {
  RetryPolicy policy;
  policy.max_retries(std::numeric_limits<int>::max()).multiplier(1e300);
  CHECK(delay(policy, std::numeric_limits<int>::max() - 1, 0.5) <= 10s);
  policy.max_delay(Duration::max()).base_delay(Duration::max());
  CHECK(delay(policy, 5, 0.25) > 0s);
  policy.multiplier(std::numeric_limits<double>::quiet_NaN());
  CHECK(delay(RetryPolicy(policy).max_delay(1s), 5, 0.5) <= 1s);
  CHECK(delay(RetryPolicy(), 0, std::numeric_limits<double>::quiet_NaN()) == 10ms);
  CHECK(delay(RetryPolicy(), 0, 7.0) <= 200ms);
  RetryPolicy patient;
  patient.max_hint(Duration::max());
  CHECK_FALSE(patient.next(AttemptClass::transient, 0, Duration::max(), start, never, fixed(0.9)).retry);
}

TEST_CASE("a delay is never below the hint, at most a tenth above it, and capped") {
  const RetryPolicy policy;
  CHECK(delay(policy, 0, 0.0, 5s) == 5s);
  CHECK(delay(policy, 0, 0.5, 5s) == 5250ms);
  CHECK(delay(policy, 0, 0.999999, 5s) <= 5500ms);
  CHECK(delay(policy, 9, 0.9, 1s) > 8s);  // the jittered delay is longer
  CHECK(delay(policy, 0, 0.0, 1h) == 5min);
  CHECK(delay(policy, 0, 0.0, 0s) == 10ms);
  CHECK(delay(policy, 0, 0.0, -5s) == 10ms);
}

TEST_CASE("no delay reaches the deadline") {
  const RetryPolicy policy;
  const auto next = [&](std::optional<Duration> hint, Duration left, double u) {
    return policy.next(AttemptClass::rate_limited, 0, hint, start, start + left, fixed(u));
  };
  CHECK(next({}, 10ms + 1ns, 0.0).retry);
  CHECK_FALSE(next({}, 10ms, 0.0).retry);
  CHECK(next(5s, 5s + 1ns, 0.0).retry);
  const RetryDecision refused = next(5s, 5s, 0.0);
  CHECK_FALSE(refused.retry);
  CHECK_FALSE(refused.reason.empty());
  CHECK_FALSE(next({}, 0s, 0.0).retry);
  CHECK_FALSE(next({}, -1s, 0.0).retry);
}

TEST_CASE("N retries are at most N+1 requests") {
  RetryPolicy policy;
  policy.max_retries(2);
  CHECK(policy.next(AttemptClass::transient, 1, {}, start, never, fixed(0)).retry);
  CHECK_FALSE(policy.next(AttemptClass::transient, 2, {}, start, never, fixed(0)).retry);
  CHECK_FALSE(RetryPolicy().max_retries(0).next(AttemptClass::transient, 0, {}, start, never, fixed(0)).retry);
  CHECK_FALSE(RetryPolicy().max_retries(-1).next(AttemptClass::transient, 0, {}, start, never, fixed(0)).retry);
}

TEST_CASE("another token is no retry: it is sent once, even without retries, but not past the deadline") {
  for (const int allowed : {-1, 0, 1, 10}) {
    const RetryPolicy policy = RetryPolicy().max_retries(allowed);
    const RetryDecision first = policy.next(AttemptClass::refresh_token, 0, {}, start, never, fixed(0.5));
    CHECK(first.retry);
    CHECK(first.delay == 0s);
    CHECK_FALSE(policy.next(AttemptClass::refresh_token, 1, {}, start, never, fixed(0.5)).retry);
    CHECK_FALSE(policy.next(AttemptClass::refresh_token, 0, {}, start, start, fixed(0.5)).retry);
  }
}

TEST_CASE("outcomes") {
  const RetryPolicy policy;
  for (const AttemptClass outcome : {AttemptClass::success, AttemptClass::permanent}) {
    const RetryDecision d = policy.next(outcome, 0, 1s, start, never, fixed(0));
    CHECK_FALSE(d.retry);
    CHECK_FALSE(d.reason.empty());
  }
  const RetryDecision refresh = policy.next(AttemptClass::refresh_token, 0, 9s, start, never, fixed(0.5));
  CHECK(refresh.retry);
  CHECK(refresh.delay == 0s);
  CHECK_FALSE(policy.next(AttemptClass::refresh_token, 1, {}, start, never, fixed(0)).retry);
}

TEST_CASE("a budget refuses retries once half of it is spent") {
  RetryBudget budget(10, 0.5);
  for (int i = 0; i < 4; ++i) CHECK(budget.on_failure());
  CHECK_FALSE(budget.on_failure());
  budget.on_success();
  budget.on_success();
  budget.on_success();
  CHECK(budget.on_failure());
}

TEST_CASE("a long random delay near the deadline is shortened, not refused") {
  const RetryPolicy policy;
  const auto next = [&](std::optional<Duration> hint, Duration left) {
    return policy.next(AttemptClass::transient, 9, hint, start, start + left, fixed(0.999999));
  };
  const RetryDecision late = next({}, 2s);  // the bound is 10 s
  REQUIRE(late.retry);
  CHECK(late.delay <= 1900ms);
  CHECK(late.delay > 1800ms);
  const RetryDecision asked = next(1900ms, 2s);
  REQUIRE(asked.retry);
  CHECK(asked.delay == 1900ms);
  CHECK_FALSE(next({}, 50ms).retry);
  CHECK_FALSE(next({}, 10ms).retry);
}

TEST_CASE("the last moments before the deadline are not filled with attempts") {
  std::uint32_t state = 1;
  const auto uniform = [&state] {
    state = state * 1664525u + 1013904223u;
    return state / 4294967296.0;
  };
  const RetryPolicy policy = RetryPolicy().max_retries(1000);
  int max = 0;
  for (int run = 0; run < 200; ++run) {
    SteadyTime now = start;
    int attempts = 1;
    for (;; ++attempts) {
      const RetryDecision decision = policy.next(AttemptClass::transient, attempts - 1, {}, now, start + 3s, uniform);
      if (!decision.retry) break;
      now += decision.delay;
    }
    max = std::max(max, attempts);
  }
  CHECK(max <= 14);
}

TEST_CASE("a delay that the server requested and the deadline does not allow is reported") {
  const RetryDecision refused = RetryPolicy().next(AttemptClass::rate_limited, 0, 1h, start, start + 30s, fixed(0));
  CHECK_FALSE(refused.retry);
  CHECK(refused.refused_hint == Duration(1h));
  CHECK_FALSE(RetryPolicy().next(AttemptClass::permanent, 0, 1h, start, start + 30s, fixed(0)).refused_hint.has_value());
}
