// Header fields of a request, and the limits of peers.
#include "fleet/entry/rules/request_rules.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/ip.hpp"
#include "fleet/entry/rules/peer_limits.hpp"

using namespace rollcall;
using namespace rollcall::fleet;

TEST_CASE("Which events and encodings a client takes", "[fleet]") {
  CHECK(takes_events("text/event-stream"));
  CHECK(takes_events("application/json, Text/Event-Stream;q=0.9"));
  CHECK_FALSE(takes_events("text/event-stream;q=0"));
  CHECK_FALSE(takes_events("text/event-stream; Q=0.000"));
  CHECK_FALSE(takes_events("*/*"));
  CHECK_FALSE(takes_events("text/event-streams, text/event-stream2"));
  CHECK_FALSE(takes_events("\"text/event-stream"));
  CHECK_FALSE(takes_events(""));
  CHECK(takes_gzip("deflate, gzip"));
  CHECK(takes_gzip("*"));
  CHECK(takes_gzip("gzip;q=1.0, *;q=0"));
  CHECK_FALSE(takes_gzip("gzip;q=0"));
  CHECK_FALSE(takes_gzip("identity, *;q=0"));
  CHECK_FALSE(takes_gzip(""));
}

TEST_CASE("Which versions a client has", "[fleet]") {
  CHECK(matches_etag("\"a.1\"", "\"a.1\""));
  CHECK(matches_etag("\"x,y\", W/\"a.1\"", "\"a.1\""));
  CHECK_FALSE(matches_etag("\"x, \"a.1\"\"", "\"a.1\""));
  CHECK_FALSE(matches_etag("\"x,\"a.1\"", "\"a.1\""));
  CHECK_FALSE(matches_etag("a.1, w/\"a.1\"", "\"a.1\""));
  HeaderList headers;
  headers.add("If-None-Match", "\"a.0\"");
  headers.add("if-none-match", "\"a.1\"");
  CHECK(matches_etag(joined_field(headers, "If-None-Match"), "\"a.1\""));
}

TEST_CASE("Bounds of peers are bounded themselves", "[fleet]") {
  CHECK(network_of("192.0.2.1") == network_of("::ffff:192.0.2.1"));
  CHECK(network_of("192.0.2.1") != network_of("192.0.2.2"));
  CHECK(network_of("2001:db8::1") == network_of("2001:db8::ffff:2"));
  CHECK(network_of("2001:db8:0:1::1") != network_of("2001:db8:0:2::1"));
  FleetBounds bounds;
  bounds.streams_a_client = 2;
  bounds.unknown_targets_an_hour = 3;
  PeerLimits limits(bounds);
  const SteadyTime start{std::chrono::hours(5)};
  for (int i = 0; i < 60'000; ++i) CHECK(limits.take_target(fmt::format("peer {}", i), start) == (i < 40'003));
  CHECK(limits.size() == PeerLimits::max_peers);
  CHECK(limits.enter("peer 77"));
  CHECK(limits.enter("late"));
  CHECK(limits.enter("late"));
  CHECK_FALSE(limits.enter("late"));
  limits.leave("late");
  CHECK(limits.enter("late"));
  CHECK(limits.take_target("another", start + std::chrono::hours(2)));
  CHECK(limits.size() == 3);  // peers with waiting answers, and the last one
  limits.leave("late");
  limits.leave("late");
  CHECK(limits.size() == 2);
}
