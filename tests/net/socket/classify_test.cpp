// Cancelled, timed out and failed are three different things.
#include "net/socket/classify.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("how an operation ended, as a table") {
  struct Row {
    std::error_code ec;
    bool is_cancelled, is_late, is_phase_over;
    Phase phase;
    Errc expected;
  };
  const auto code = [](std::errc e) { return std::make_error_code(e); };
  const std::error_code aborted = code(std::errc::operation_canceled);
  for (const Row& row : {
           Row{aborted, true, false, false, Phase::connect, Errc::cancelled},
           Row{aborted, true, true, true, Phase::connect, Errc::cancelled},
           Row{aborted, false, true, false, Phase::connect, Errc::deadline_exceeded},
           Row{aborted, false, true, true, Phase::connect, Errc::deadline_exceeded},
           Row{aborted, false, false, true, Phase::resolve, Errc::resolve_timeout},
           Row{aborted, false, false, true, Phase::connect, Errc::connect_timeout},
           Row{aborted, false, false, true, Phase::handshake, Errc::handshake_timeout},
           Row{aborted, false, false, true, Phase::response, Errc::response_timeout},
           Row{aborted, false, false, true, Phase::overall, Errc::deadline_exceeded},
           Row{aborted, false, false, false, Phase::response, Errc::cancelled},
           Row{code(std::errc::timed_out), false, false, false, Phase::connect, Errc::connect_timeout},
           Row{code(std::errc::timed_out), false, false, false, Phase::response, Errc::response_timeout},
           Row{code(std::errc::connection_refused), false, false, false, Phase::connect, Errc::unreachable},
           Row{code(std::errc::connection_refused), false, true, false, Phase::connect, Errc::deadline_exceeded},
           Row{code(std::errc::connection_reset), false, false, false, Phase::handshake, Errc::unreachable},
           Row{code(std::errc::broken_pipe), false, false, false, Phase::response, Errc::unreachable},
           Row{code(std::errc::network_unreachable), false, false, false, Phase::connect, Errc::unreachable},
           Row{{111, std::system_category()}, false, false, false, Phase::handshake, Errc::unreachable},  // ECONNREFUSED
           Row{{12345, std::generic_category()}, false, false, false, Phase::handshake, Errc::tls_failed},
           Row{{12345, std::generic_category()}, false, false, false, Phase::resolve, Errc::unknown_host},
           Row{make_error_code(Errc::tls_failed), false, false, false, Phase::response, Errc::tls_failed},
           Row{make_error_code(Errc::limit_exceeded), true, false, false, Phase::response, Errc::cancelled},
       }) {
    CAPTURE(row.ec, row.is_cancelled, row.is_late, row.is_phase_over, to_string(row.phase));
    CHECK(classify_end(row.ec, row.is_cancelled, row.is_late, row.phase, row.is_phase_over) == row.expected);
  }
}
