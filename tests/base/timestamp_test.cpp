// RFC 3339 and HTTP dates, Retry-After, and protobuf durations.
#include "base/timestamp.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>

#include "call/rules/google_error.hpp"
#include "support/parse_result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

std::int64_t unix_ns(std::optional<WallTime> time) {
  REQUIRE(time.has_value());
  return time->time_since_epoch().count();
}

const WallTime now = *parse_rfc3339("2026-10-05T00:00:00Z");

}  // namespace

TEST_CASE("RFC 3339 with every kind of fraction and offset") {
  CHECK(unix_ns(parse_rfc3339("1970-01-01T00:00:00Z")) == 0);
  CHECK(unix_ns(parse_rfc3339("2026-10-05T01:02:03Z")) == 1791162123'000000000);
  CHECK(unix_ns(parse_rfc3339("2026-10-05T01:12:30.250Z")) == 1791162750'250000000);
  CHECK(unix_ns(parse_rfc3339("2026-10-05T01:12:59.123456789Z")) == 1791162779'123456789);
  CHECK(unix_ns(parse_rfc3339("2026-10-05T06:32:03+05:30")) == 1791162123'000000000);
  CHECK(unix_ns(parse_rfc3339("2026-10-04t20:02:03.5-05:00")) == 1791162123'500000000);
  CHECK(unix_ns(parse_rfc3339("1969-12-31T23:59:59.9z")) == -100'000'000);
  CHECK(unix_ns(parse_rfc3339("2016-12-31T23:59:60Z")) == 1483228800'000000000);
  CHECK(unix_ns(parse_rfc3339("2024-02-29T00:00:00Z")) == 1709164800'000000000);
}

TEST_CASE("invalid RFC 3339 times are refused") {
  for (const std::string bad :
       {"", "2026-10-05", "2026-10-05T01:02:03", "2026-10-05 01:02:03Z", "2026-10-05T01:02:03.Z", "2026-10-05T01:02:03.1234567890Z",
        "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-10-05T24:00:00Z", "2026-10-05T01:60:00Z", "2026-10-05T01:02:61Z",
        "2026-10-05T01:02:03Zx", "2026-10-05T01:02:03+0530", "2026-10-05T01:02:03+24:00", "+026-10-05T01:02:03Z", "2026-1-05T01:02:03Z",
        "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-10-05T01:02:-3Z"}) {
    INFO(bad);
    CHECK_FALSE(parse_rfc3339(bad).has_value());
  }
  for_each_prefix("2026-10-05T01:12:59.123456789Z",
                  [](std::string_view part) { CHECK(parse_rfc3339(part).has_value() == (part.size() == 30)); });
}

TEST_CASE("written times read back") {
  for (const std::string text :
       {"2026-10-05T01:02:03Z", "2026-10-05T01:02:03.250Z", "2026-10-05T01:02:03.000250Z", "2026-10-05T01:02:03.000000250Z",
        "1678-01-01T00:00:00Z", "1969-12-31T23:59:59.999999999Z", "2261-12-31T23:59:59Z"}) {
    CHECK(format_rfc3339(*parse_rfc3339(text)) == text);
  }
}

TEST_CASE("the three formats of an HTTP date") {
  const std::int64_t expected = 784111777'000000000;
  CHECK(unix_ns(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT", now)) == expected);
  CHECK(unix_ns(parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", now)) == expected);
  CHECK(unix_ns(parse_http_date("Sun Nov  6 08:49:37 1994", now)) == expected);
  CHECK(unix_ns(parse_http_date("Wed Nov 16 08:49:37 1994", now)) == expected + 864000'000000000);
  CHECK(format_http_date(*parse_http_date("Sunday, 06-Nov-94 08:49:37 GMT", now)) == "Sun, 06 Nov 1994 08:49:37 GMT");
  CHECK(format_http_date(*parse_http_date("Friday, 06-Nov-76 08:49:37 GMT", now)).substr(12, 4) == "2076");
  CHECK(format_http_date(*parse_http_date("Sunday, 06-Nov-77 08:49:37 GMT", now)).substr(12, 4) == "1977");
  for (const std::string bad : {"", "Sun", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 6 Nov 1994 08:49:37 GMT",
                                "Xyz, 06 Nov 1994 08:49:37 GMT", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
                                "Sunday, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"}) {
    INFO(bad);
    CHECK_FALSE(parse_http_date(bad, now).has_value());
  }
  for (const std::string text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"}) {
    for_each_prefix(text, [&](std::string_view part) { CHECK(parse_http_date(part, now).has_value() == (part.size() == text.size())); });
  }
}

TEST_CASE("neither time zone nor locale matters") {
  const char* before = std::getenv("TZ");
  const std::string saved = before ? before : "";
  setenv("TZ", "Pacific/Kiritimati", 1);
  tzset();
  CHECK(unix_ns(parse_rfc3339("2026-10-05T01:02:03Z")) == 1791162123'000000000);
  CHECK(format_http_date(now) == "Mon, 05 Oct 2026 00:00:00 GMT");
  if (before) {
    setenv("TZ", saved.c_str(), 1);
  } else {
    unsetenv("TZ");
  }
  tzset();
}

TEST_CASE("Retry-After is seconds or a date") {
  CHECK(parse_retry_after("0", now) == 0s);
  CHECK(parse_retry_after(" 120 ", now) == 120s);
  CHECK(parse_retry_after("1000000000", now) == max_server_delay);
  CHECK(parse_retry_after("99999999999999999999999", now) == max_server_delay);
  CHECK(parse_retry_after("Mon, 05 Oct 2026 00:00:30 GMT", now) == 30s);
  CHECK(parse_retry_after("Sun, 04 Oct 2026 00:00:30 GMT", now) == 0s);
  CHECK(parse_retry_after("Fri, 31 Dec 2260 23:59:59 GMT", now) == max_server_delay);
  CHECK(parse_retry_after("Fri, 31 Dec 2260 23:59:59 GMT", *parse_rfc3339("1678-01-01T00:00:00Z")) == max_server_delay);
  // Outside the range of a time: clamped to very long, or long past.
  for (const std::string late : {"Mon, 31 Dec 2262 23:59:59 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "Fri Dec 31 23:59:59 9999"}) {
    CHECK(parse_retry_after(late, now) == max_server_delay);
  }
  CHECK(parse_retry_after("Sat, 01 Jan 1600 00:00:00 GMT", now) == 0s);
  for (const std::string bad : {"Fri, 31 Feb 9999 23:59:59 GMT", "Fri, 31 Dec 9999 24:00:00 GMT"}) {
    CHECK_FALSE(parse_retry_after(bad, now).has_value());
  }
  for (const std::string bad : {"", "-1", "+1", "1.5", "1s", "soon", "0x10", "1 2"}) CHECK_FALSE(parse_retry_after(bad, now).has_value());
}

TEST_CASE("protobuf durations") {
  CHECK(parse_proto_duration("12.013647075s") == 12s + 13647075ns);
  CHECK(parse_proto_duration("0.5s") == 500ms);
  CHECK(parse_proto_duration("1.000340012s") == 1s + 340012ns);
  CHECK(parse_proto_duration("1.0000000009s") == 1s);
  CHECK(parse_proto_duration("30s") == 30s);
  CHECK(parse_proto_duration("99999999999999999999s") == max_server_delay);
  CHECK(parse_proto_duration("31536000.5s") == max_server_delay);
  for (const std::string bad : {"", "s", "-3s", "1", "1.s", ".5s", "1,5s", "1.5", "1.-5s", " 1s", "1e3s", "infs"}) {
    INFO(bad);
    CHECK_FALSE(parse_proto_duration(bad).has_value());
  }
}
