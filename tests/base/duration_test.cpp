#include "base/duration.hpp"

#include "support/result.hpp"

using namespace rollcall;
using namespace std::chrono_literals;

TEST_CASE("typed durations") {
  const auto ns = [](std::string_view text) { return parse_duration(text).value().count(); };
  CHECK(ns("30s") == Duration(30s).count());
  CHECK(ns("500ms") == Duration(500ms).count());
  CHECK(ns("2m") == Duration(2min).count());
  CHECK(ns("1m30s") == Duration(90s).count());
  CHECK(ns("1h2m3s4ms") == Duration(1h + 2min + 3s + 4ms).count());
  CHECK(ns("30") == Duration(30s).count());
  CHECK(ns("0.5") == Duration(500ms).count());
  CHECK(ns("1.25s") == Duration(1250ms).count());
  CHECK(ns("0.000000001") == 1);
  CHECK(ns("8784h") == Duration(366 * 24h).count());
}

TEST_CASE("an invalid duration is refused with the accepted forms") {
  // clang-format off
  for (const std::string_view text : {"", "0", "0s", "-1", "abc", "s", "1x", "1s2m", "1s1s", "1m30", "1.", ".5", "1.2.3", "1e3", " 1s", "1 s", "8785h", "99999999999999999999s",
                                      "0.0000000001", "1m1m", "1ms1s", "+1", "1S"}) {
  // clang-format on
    const Result<Duration> parsed = parse_duration(text);
    INFO(text);
    testing::check_failure(parsed, Errc::invalid_argument, "500ms");
  }
  CHECK(parse_duration("\x1b[2J").error().what().find('\x1b') == std::string::npos);
}

TEST_CASE("printed durations") {
  CHECK(duration_text(1200us) == "1.2 ms");
  CHECK(duration_text(340ms) == "340 ms");
  CHECK(duration_text(1200ms) == "1.2 s");
  CHECK(duration_text(125s) == "2 min 5 s");
}
