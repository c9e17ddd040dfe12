// Asio's own error codes, as means() sees them.
#include <asio/error.hpp>
#include <catch2/catch.hpp>

#include "base/exceptions.hpp"
#include "support/result.hpp"

using namespace rollcall;

TEST_CASE("Asio's codes mean what the system's mean") {
  CHECK(means(asio::error::make_error_code(asio::error::operation_aborted), std::errc::operation_canceled));
  CHECK(means(std::make_error_code(std::errc::connection_reset), std::errc::connection_reset));
  CHECK_FALSE(means(asio::error::make_error_code(asio::error::connection_reset), std::errc::operation_canceled));
  CHECK_FALSE(means(asio::error::make_error_code(asio::error::eof), std::errc::no_such_file_or_directory));
}

TEST_CASE("a coroutine that was cancelled before it began says so in the library's word") {
  const std::system_error thrown(asio::error::make_error_code(asio::error::operation_aborted));
  testing::check_failure(failure_of_thrown(std::make_exception_ptr(thrown), "the request"), Errc::cancelled, "the request: cancelled");
}
