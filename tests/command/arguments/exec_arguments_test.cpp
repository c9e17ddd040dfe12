// What stands behind -- belongs to the program; signals by name and number.
#include <csignal>

#include "command/arguments/parse_arguments.hpp"
#include "command/terminal/signals.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::tools;

TEST_CASE("what stands behind -- is the program's") {
  const auto line =
      parse_arguments({"exec", "tpu:a", "--task", "worker:3", "--on-preempt=TERM", "tpu:b", "--", "cmd", "--help", "--", "-x=1"});
  REQUIRE(line);
  CHECK(line->request == Request::run);
  CHECK(line->arguments.positionals == std::vector<std::string>{"tpu:a", "tpu:b"});
  CHECK(line->arguments.program == std::vector<std::string>{"cmd", "--help", "--", "-x=1"});
  CHECK(line->arguments.launch.task == LaunchedTask("worker", 3));
  CHECK(line->arguments.on_preempt == SIGTERM);
  CHECK(line->arguments.timeout == std::chrono::minutes(30));
  CHECK(parse_arguments({"exec", "--help", "--", "cmd"})->request == Request::help);
  CHECK(parse_arguments({"exec", "tpu:a", "--"}).error().message() ==
        "no program to start: it stands behind --: rollcall exec tpu:a -- CMD");
  for (const char* task : {"worker", "worker:", ":1", "worker:-1", "worker:x"})
    CHECK_THAT(parse_arguments({"exec", "tpu:a", "--task", task, "--", "x"}).error().message(),
               Catch::Contains("is no task; write it as worker:3"));
}

TEST_CASE("signals have names and numbers") {
  for (const char* text : {"TERM", "SIGTERM", "15"}) CHECK(parse_signal(text).value() == SIGTERM);
  for (const char* text : {"", "SIG", "0", "-1", "term", "TERMX", "999", "SIG15 "}) CHECK_FALSE(parse_signal(text));
  CHECK((signal_name(SIGUSR1) == "USR1" && signal_name(SIGRTMIN + 1) == std::to_string(SIGRTMIN + 1)));
}
