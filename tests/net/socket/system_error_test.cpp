// Asio's own error codes, as the classification sees them.
#include <asio/error.hpp>
#include <catch2/catch.hpp>

#include "base/exceptions.hpp"
#include "net/socket/classify.hpp"

using namespace rollcall;

TEST_CASE("Asio's codes mean what the system's mean") {
  CHECK(means(asio::error::make_error_code(asio::error::operation_aborted), std::errc::operation_canceled));
  CHECK(means(std::make_error_code(std::errc::connection_reset), std::errc::connection_reset));
  CHECK_FALSE(means(asio::error::make_error_code(asio::error::connection_reset), std::errc::operation_canceled));
  CHECK_FALSE(means(asio::error::make_error_code(asio::error::eof), std::errc::no_such_file_or_directory));
  const auto verdict = [](asio::error::basic_errors error, Phase phase) {
    return classify_end(asio::error::make_error_code(error), false, false, phase, false);
  };
  CHECK(verdict(asio::error::operation_aborted, Phase::response) == Errc::cancelled);
  CHECK(verdict(asio::error::timed_out, Phase::connect) == Errc::connect_timeout);
  CHECK(verdict(asio::error::connection_reset, Phase::handshake) == Errc::unreachable);
}
