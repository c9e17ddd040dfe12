#include "auth/token_cache.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;
using namespace std::chrono_literals;

namespace {
AccessToken token(std::string value, WallTime expires) {
  AccessToken t{Secret<std::string>(std::move(value))};
  t.expires_at = expires;
  return t;
}
constexpr WallTime start{};
// Both clocks advance equally, from different start times.
Instant at(WallTime wall) { return Instant(wall, SteadyTime(wall.time_since_epoch())); }
}  // namespace

TEST_CASE("a token is fresh until 225 s before its end, usable until its end") {
  TokenCache cache;
  CHECK(cache.verdict(at(start)) == TokenUse::fetch);
  cache.store(token("a", start + 1h), at(start), 0s);
  CHECK(cache.verdict(at(start)) == TokenUse::use);
  CHECK(cache.verdict(at(start + 1h - 225s - 1ns)) == TokenUse::use);
  CHECK(cache.verdict(at(start + 1h - 225s)) == TokenUse::use_and_refresh);
  CHECK(cache.verdict(at(start + 1h - 1ns)) == TokenUse::use_and_refresh);
  CHECK(cache.verdict(at(start + 1h)) == TokenUse::fetch);
}

TEST_CASE("the slack is at most half of a short life") {
  TokenCache cache;
  cache.store(token("a", start + 100s), at(start), 0s);
  CHECK(cache.verdict(at(start + 49s)) == TokenUse::use);
  CHECK(cache.verdict(at(start + 50s)) == TokenUse::use_and_refresh);
}

TEST_CASE("only the token that was refused is forgotten") {
  TokenCache cache;
  cache.store(token("new", start + 1h), at(start), 0s);
  cache.invalidate(token("old", start));
  CHECK(cache.verdict(at(start)) == TokenUse::use);
  cache.invalidate(token("new", start));
  CHECK(cache.verdict(at(start)) == TokenUse::fetch);
}

TEST_CASE("after a failed refresh the old token is used for a second before the next try") {
  TokenCache cache;
  cache.store(token("a", start + 100s), at(start), 0s);
  cache.refresh_failed(at(start + 60s).steady);
  CHECK(cache.verdict(at(start + 60s)) == TokenUse::use);
  CHECK(cache.verdict(at(start + 61s)) == TokenUse::use_and_refresh);
}

TEST_CASE("the pauses between failed refreshes grow, until one succeeds") {
  TokenCache cache;
  cache.store(token("a", start + 2h), at(start), 0s);
  WallTime now = start + 2h - 220s;
  for (const auto pause : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
    cache.refresh_failed(at(now).steady);
    CHECK(cache.verdict(at(now + pause - 1ns)) == TokenUse::use);
    CHECK(cache.verdict(at(now + pause)) == TokenUse::use_and_refresh);
  }
  cache.store(token("b", now + 1h), at(now), 0s);
  cache.refresh_failed(at(now + 1h - 200s).steady);
  CHECK(cache.verdict(at(now + 1h - 199s)) == TokenUse::use_and_refresh);
}

TEST_CASE("jitter makes a token stale earlier") {
  TokenCache cache;
  cache.store(token("a", start + 1h), at(start), 60s);
  CHECK(cache.verdict(at(start + 1h - 286s)) == TokenUse::use);
  CHECK(cache.verdict(at(start + 1h - 285s)) == TokenUse::use_and_refresh);
}

TEST_CASE("a wall clock that is set back does not make a token live longer, nor one that runs ahead") {
  TokenCache cache;
  cache.store(token("a", start + 1h), at(start), 0s);
  const SteadyTime later = at(start + 1h).steady;
  CHECK(cache.verdict(Instant(start - 10h, later)) == TokenUse::fetch);
  CHECK(cache.verdict(Instant(start + 10h, at(start).steady)) == TokenUse::fetch);
  CHECK(cache.verdict(Instant(start - 10h, later - 100s)) == TokenUse::use_and_refresh);
}

TEST_CASE("a token without a lifetime is for one request") {
  TokenCache cache;
  cache.store(token("a", start), at(start), 0s);
  CHECK(cache.verdict(at(start)) == TokenUse::fetch);
}
