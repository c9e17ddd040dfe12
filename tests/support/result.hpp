// Result<T> in tests: its value, its failure, and how Catch prints it (the failure's message, or "value"). Include it where a Result is
// used in a CHECK.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "rollcall/error.hpp"

template <class T>
struct Catch::StringMaker<boost::system::result<T, rollcall::Failure>> {
  static std::string convert(const boost::system::result<T, rollcall::Failure>& result) {
    if (result) return "value";
    return "failure " + std::string(to_string(result.error().code())) + ": " + result.error().message();
  }
};

namespace rollcall::testing {

/// The test ends here if there is none.
template <class T>
T value_of(Result<T> result) {
  if (!result) FAIL(result.error().what());
  return std::move(*result);
}

/// A failure with this code whose message contains each of `parts`.
template <class... Parts>
void check_failure(const Failure& failure, Errc code, const Parts&... parts) {
  CHECK(to_string(failure.code()) == to_string(code));
  for (const std::string& part : {std::string(parts)...}) CHECK_THAT(failure.what(), Catch::Contains(part));
}
template <class T, class... Parts>
void check_failure(const Result<T>& result, Errc code, const Parts&... parts) {
  REQUIRE(result.has_error());
  check_failure(result.error(), code, parts...);
}

}  // namespace rollcall::testing
