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
}  // namespace

TEST_CASE("a token is fresh until 225 s before its end, usable until its end") {
  TokenCache cache;
  CHECK(cache.verdict(start) == TokenUse::fetch);
  cache.store(token("a", start + 1h), start);
  CHECK(cache.verdict(start) == TokenUse::use);
  CHECK(cache.verdict(start + 1h - 225s - 1ns) == TokenUse::use);
  CHECK(cache.verdict(start + 1h - 225s) == TokenUse::use_and_refresh);
  CHECK(cache.verdict(start + 1h - 1ns) == TokenUse::use_and_refresh);
  CHECK(cache.verdict(start + 1h) == TokenUse::fetch);
}

TEST_CASE("the slack is at most half of a short life") {
  TokenCache cache;
  cache.store(token("a", start + 100s), start);
  CHECK(cache.verdict(start + 49s) == TokenUse::use);
  CHECK(cache.verdict(start + 50s) == TokenUse::use_and_refresh);
}

TEST_CASE("only the token that was refused is forgotten") {
  TokenCache cache;
  cache.store(token("new", start + 1h), start);
  cache.invalidate(token("old", start));
  CHECK(cache.has_token());
  cache.invalidate(token("new", start));
  CHECK(cache.verdict(start) == TokenUse::fetch);
}

TEST_CASE("after a failed refresh the old token serves a second before the next try") {
  TokenCache cache;
  cache.store(token("a", start + 100s), start);
  cache.refresh_failed(start + 60s);
  CHECK(cache.verdict(start + 60s) == TokenUse::use);
  CHECK(cache.verdict(start + 61s) == TokenUse::use_and_refresh);
}

TEST_CASE("a token without life is for one request") {
  TokenCache cache;
  cache.store(token("a", start), start);
  CHECK(cache.verdict(start) == TokenUse::fetch);
}
