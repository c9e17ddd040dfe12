// The words behind -- belong to the program; signals by name and number.
#include <csignal>

#include "command/arguments/parse_arguments.hpp"
#include "command/terminal/signals.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::command;

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
        "no program to start: write it behind --: rollcall exec tpu:a -- CMD");
  for (const char* task : {"worker", "worker:", ":1", "worker:-1", "worker:x"})
    CHECK_THAT(parse_arguments({"exec", "tpu:a", "--task", task, "--", "x"}).error().message(),
               Catch::Contains("is no task; write it as worker:3"));
}

TEST_CASE("signals have names and numbers") {
  for (const char* text : {"TERM", "SIGTERM", "15"}) CHECK(parse_signal(text).value() == SIGTERM);
  for (const char* text : {"", "SIG", "0", "-1", "term", "TERMX", "999", "SIG15 "}) CHECK_FALSE(parse_signal(text));
  CHECK((signal_name(SIGUSR1) == "USR1" && signal_name(SIGRTMIN + 1) == std::to_string(SIGRTMIN + 1)));
}

TEST_CASE("what keeps a program running") {
  const auto parse = [](std::vector<std::string> options) {
    options.insert(options.begin(), {"exec", "tpu:a"});
    options.insert(options.end(), {"--", "x"});
    return parse_arguments(options);
  };
  const auto line =
      parse({"--restart-on", "lost,failed", "--max-restarts=5", "--grace", "1m30s", "--min-members", "3", "--last-call", "5s"});
  REQUIRE(line);
  CHECK((line->arguments.restarts_on_lost && line->arguments.restarts_on_failed && line->arguments.restarts()));
  CHECK((line->arguments.max_restarts == 5 && line->arguments.grace == std::chrono::seconds(90)));
  CHECK((line->arguments.min_members == 3 && line->arguments.last_call == std::chrono::seconds(5)));
  CHECK_FALSE(parse({})->arguments.restarts());
  CHECK_FALSE(parse({"--restart-on", "failed"})->arguments.restarts_on_lost);
  CHECK_FALSE(parse({"--restart-on", "lost,failed", "--restart-on", "lost"})->arguments.restarts_on_failed);  // the last one counts
  for (const char* const why : {"", "always", "lost,", "LOST"})
    CHECK_THAT(parse({"--restart-on", why}).error().message(), Catch::Contains("is no reason to restart; accepted are lost, failed"));
  for (const char* const count : {"-1", "x", "", "1000001"})
    CHECK_THAT(parse({"--restart-on", "lost", "--max-restarts", count}).error().message(), Catch::Contains("--max-restarts"));
  CHECK_THAT(parse({"--max-restarts", "3"}).error().message(), Catch::Contains("--max-restarts needs --restart-on"));
  CHECK_THAT(parse({"--grace", "3s"}).error().message(), Catch::Contains("--grace needs --restart-on"));
  CHECK_THAT(parse({"--restart-on", "failed", "--min-members", "3"}).error().message(),
             Catch::Contains("--min-members needs --restart-on lost"));
  CHECK_THAT(parse({"--restart-on", "lost", "--last-call", "3s"}).error().message(), Catch::Contains("--last-call needs --min-members"));
  CHECK_THAT(parse({"--restart-on", "lost", "--min-members", "3", "--members", "2"}).error().message(),
             Catch::Contains("--min-members is more than --members"));
}
