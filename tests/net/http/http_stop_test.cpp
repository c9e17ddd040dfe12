#include "net/http/http_exchange.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;
using namespace std::chrono_literals;

TEST_CASE("why an exchange stops, in words") {
  struct Row {
    Stop why;
    Phase phase;
    bool has_begun;
    Errc code;
    const char* what;
  };
  for (const Row& row : {
           Row{Stop::silence, Phase::response, false, Errc::response_timeout, "the server did not answer for 1.5 s"},
           Row{Stop::silence, Phase::response, true, Errc::response_timeout, "the server stopped answering for 1.5 s"},
           Row{Stop::deadline, Phase::response, true, Errc::deadline_exceeded, "the deadline passed before the answer was whole"},
           Row{Stop::deadline, Phase::overall, false, Errc::deadline_exceeded, "the deadline passed while waiting for a free connection"},
           Row{Stop::deadline, Phase::connect, false, Errc::deadline_exceeded, "the deadline passed while waiting for a free connection"},
           Row{Stop::cancelled, Phase::response, true, Errc::cancelled, "the request was cancelled"},
           Row{Stop::closed, Phase::overall, false, Errc::cancelled, "the transport was closed"},
       }) {
    const Failure failure = failure_of_stop(row.why, row.phase, row.has_begun, 1500ms);
    CHECK(failure.code() == row.code);
    CHECK(failure.what() == row.what);
  }
}

TEST_CASE("the stronger reason for a stop compares greater") {
  CHECK(Stop::none < Stop::silence);
  CHECK(Stop::silence < Stop::deadline);
  CHECK(Stop::deadline < Stop::cancelled);
  CHECK(Stop::cancelled < Stop::closed);
}
