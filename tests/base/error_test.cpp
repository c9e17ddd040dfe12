// The text of failures, and their conversion to exceptions.
#include "rollcall/error.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace rollcall;
using namespace std::chrono_literals;

TEST_CASE("every code has its own name and a text") {
  std::set<std::string_view> names;
  for (int i = 1; i <= static_cast<int>(Errc::deadline_exceeded); ++i) {
    const auto code = static_cast<Errc>(i);
    CHECK(names.insert(to_string(code)).second);
    CHECK(to_string(code) != "unknown");
    CHECK_FALSE(make_error_code(code).message().empty());
  }
  CHECK(to_string(Errc::not_found) == "not_found");
  CHECK(to_string(static_cast<Errc>(999)) == "unknown");
  CHECK(std::string(error_category().name()) == "rollcall");
}

TEST_CASE("codes compare with the standard's conditions") {
  CHECK(make_error_code(Errc::cancelled) == std::errc::operation_canceled);
  CHECK(make_error_code(Errc::connect_timeout) == std::errc::timed_out);
  CHECK(is_timeout(Errc::deadline_exceeded));
  CHECK_FALSE(is_timeout(Errc::cancelled));
}

TEST_CASE("a message has the operation, the server, the attempts, the time, the last answer and the hint") {
  Failure failure(Errc::unavailable, "cannot read TPU 'x'");
  CHECK(failure.message() == "cannot read TPU 'x'");
  failure.with_target("https://tpu.googleapis.com/v2/x").with_attempts(4).with_elapsed(2300ms).with_last_status(503).with_hint("try later");
  CHECK(failure.message() ==
        "cannot read TPU 'x' (asked https://tpu.googleapis.com/v2/x; 4 attempts in 2.3 s; last answer HTTP 503): try later");
  failure.with_attempts(1).with_elapsed(12ms).with_phase(Phase::connect);
  CHECK_THAT(failure.message(), Catch::Contains("1 attempt in 12 ms") && Catch::Contains("phase connect"));
  failure.with_attempts(0).with_elapsed(125s);
  CHECK_THAT(failure.message(), Catch::Contains("after 2 min 5 s"));
}

TEST_CASE("a copy of a failure has its own context, and a moved one has none") {
  Failure failure(Errc::not_found, "no such thing");
  failure.with_hint("look elsewhere").with_attempts(2);
  Failure copy = failure;
  copy.with_what("another").with_hint("").with_attempts(3);
  CHECK(failure.what() == "no such thing");
  CHECK(failure.hint() == "look elsewhere");
  CHECK(failure.attempts() == 2);
  const Failure taken = std::move(copy);
  CHECK(taken.what() == "another");
  CHECK(copy.what().empty());
  CHECK(copy.attempts() == 0);
  copy = failure;
  CHECK(copy.message() == failure.message());
  const Failure& same = copy;
  copy = same;
  CHECK(copy.hint() == "look elsewhere");
  CHECK(Failure().code() == Errc::invalid_argument);
  CHECK(Failure().what().empty());
  CHECK(sizeof(Failure) <= 2 * sizeof(void*));
}

TEST_CASE("a message is one printable line for any content") {
  const Failure failure(Errc::not_found, "a\nb\x1b[2J" + std::string(10'000'000, 'x'));
  const std::string message = failure.message();
  CHECK(message.find('\n') == std::string::npos);
  CHECK(message.find('\x1b') == std::string::npos);
  CHECK(message.size() < 20'000);
  CHECK(Failure(Errc::cancelled, "").message() == "cancelled");
}

TEST_CASE("value() of a failed result throws ResolveError with the failure") {
  const Result<int> result = Failure(Errc::not_found, "no such thing").with_hint("look elsewhere");
  try {
    (void)result.value();
    FAIL("did not throw");
  } catch (const ResolveError& error) {
    CHECK(error.code() == Errc::not_found);
    CHECK(std::string(error.what()) == "no such thing: look elsewhere");
    CHECK(error.failure().hint() == "look elsewhere");
  }
}

TEST_CASE("a file target is not called asked") {
  CHECK(Failure(Errc::not_found, "there is no host of it").with_target("f").message() == "there is no host of it (file f)");
  // A service's sentence keeps its period only at the end.
  CHECK(Failure(Errc::not_ready, "the queue says: Job failed.").message() == "the queue says: Job failed.");
  CHECK(Failure(Errc::not_ready, "the queue says: Job failed.").with_hint("make it again").message() ==
        "the queue says: Job failed: make it again");
  CHECK(Failure(Errc::not_ready, "waiting ...").with_hint("look").message() == "waiting ...: look");
  CHECK(Failure(Errc::not_found, "'f' is a directory").with_target("f").message() == "'f' is a directory");
  CHECK(Failure(Errc::not_found, "there is no such file").with_target("/run/token").message() == "there is no such file (file /run/token)");
  CHECK(Failure(Errc::unavailable, "no").with_target("hosts.txt").message() == "no (file hosts.txt)");
}

TEST_CASE("an address is called asked, and not a file") {
  CHECK(Failure(Errc::unavailable, "1 of 2 workers does not answer").with_target("127.0.0.1:45741").message() ==
        "1 of 2 workers does not answer (asked 127.0.0.1:45741)");
  CHECK(Failure(Errc::unavailable, "no").with_target("worker-0.pods:8470").message() == "no (asked worker-0.pods:8470)");
  CHECK(Failure(Errc::unavailable, "no").with_target("[fd00::1]:8470").message() == "no (asked [fd00::1]:8470)");
  CHECK(Failure(Errc::unavailable, "[fd00::1]:8470: no").with_target("[fd00::1]:8470").message() == "[fd00::1]:8470: no");
}
