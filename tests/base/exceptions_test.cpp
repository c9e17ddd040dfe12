// Asio's own error codes, as means() sees them.
#include <asio/error.hpp>
#include <catch2/catch.hpp>

#include "base/exceptions.hpp"

using namespace rollcall;

TEST_CASE("Asio's codes mean what the system's mean") {
  CHECK(means(asio::error::make_error_code(asio::error::operation_aborted), std::errc::operation_canceled));
  CHECK(means(std::make_error_code(std::errc::connection_reset), std::errc::connection_reset));
  CHECK_FALSE(means(asio::error::make_error_code(asio::error::connection_reset), std::errc::operation_canceled));
  CHECK_FALSE(means(asio::error::make_error_code(asio::error::eof), std::errc::no_such_file_or_directory));
}
