#include "command/terminal/exit_codes.hpp"

#include <set>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::command;

TEST_CASE("every kind of failure has exactly one exit code") {
  for (int number = static_cast<int>(Errc::invalid_argument); number <= static_cast<int>(Errc::deadline_exceeded); ++number) {
    const auto code = static_cast<Errc>(number);
    int rows = 0;
    for (const ExitCode& row : exit_codes()) rows += static_cast<int>(std::count(row.errors.begin(), row.errors.end(), code));
    INFO(to_string(code));
    REQUIRE(to_string(code) != "unknown");
    CHECK(rows == 1);
    CHECK(exit_code_for(code) != exit_answered);
    if (is_timeout(code)) CHECK(exit_code_for(code) == exit_timed_out);
  }
  // The enumerator after the last one would be missing here.
  CHECK(to_string(static_cast<Errc>(static_cast<int>(Errc::deadline_exceeded) + 1)) == "unknown");
}

TEST_CASE("the codes are those that the documentation promises") {
  std::vector<int> codes;
  for (const ExitCode& row : exit_codes()) codes.push_back(row.code);
  CHECK(codes == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 111, 112, 113, 114, 115, 118, 124, 125, 126, 127, 130});
  CHECK(exit_code_for(Errc::not_found) == 1);
  CHECK(exit_code_for(Errc::permission_denied) == 4);
  CHECK(exit_code_for(Errc::refused_by_policy) == 4);
  CHECK(exit_code_for(Errc::unavailable) == 5);
  CHECK(exit_code_for(Errc::cancelled) == 130);
}

TEST_CASE("an argument that a service found fault with is no wrong usage") {
  CHECK(exit_code_for(Failure(Errc::invalid_argument, "a variable")) == exit_usage);
  CHECK(exit_code_for(Failure(Errc::invalid_argument, "HTTP 400").with_attempts(1).with_last_status(400)) == exit_failed);
  // A CA file that is found to be unusable when it is needed: no server has answered.
  CHECK(exit_code_for(Failure(Errc::invalid_argument, "the CA file").with_attempts(1)) == exit_usage);
}

TEST_CASE("when nothing was found, what the user can mend comes first") {
  const Failure denied(Errc::permission_denied, ""), late(Errc::deadline_exceeded, ""), gone(Errc::not_found, ""),
      away(Errc::unreachable, "");
  CHECK(exit_code_for({late, away, gone, denied}) == exit_not_allowed);
  CHECK(exit_code_for({late, away, gone}) == exit_failed);
  CHECK(exit_code_for({late, away}) == exit_unreachable);
  CHECK(exit_code_for({late, late}) == exit_timed_out);
  CHECK(exit_code_for({denied, Failure(Errc::cancelled, "")}) == exit_interrupted);
}
