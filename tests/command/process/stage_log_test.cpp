// The log of stages, as one session of processes keeps it.
#include <catch2/catch.hpp>

#include "command/process/stage_file.hpp"

using namespace rollcall;
using namespace rollcall::command;

namespace {

using namespace std::chrono_literals;

TEST_CASE("a log of stages is read as it was written") {
  std::string log = stage_line('+', 1000, 7, 0, "set up") + stage_line('+', 1500, 8, 0, "sync");
  CHECK(log == "+ 1000 7 0 set up\n+ 1500 8 0 sync\n");
  log += stage_line('-', 1900, 8, 2, "sync");
  CHECK(read_stage_log(log, 4000) == std::vector<StageSpan>{StageSpan("set up", 3s), StageSpan("sync", 400ms, true, 2)});
  log += stage_line('-', 2000, 7, 0, "set up") + stage_line('+', 2100, 9, 0, "sync");
  const std::vector<StageSpan> three = {StageSpan("set up", 1s, true), StageSpan("sync", 400ms, true, 2), StageSpan("sync", 900ms)};
  CHECK(read_stage_log(log, 3000) == three);
}

TEST_CASE("a stage without a program ends when the next one begins") {
  const std::string log = stage_line('*', 1000, 7, 0, "data") + stage_line('*', 3000, 8, 0, "sync") + stage_line('+', 4000, 9, 0, "wait");
  const std::vector<StageSpan> stages = {StageSpan("data", 2s, true), StageSpan("sync", 1s, true), StageSpan("wait", 1s)};
  CHECK(read_stage_log(log, 5000) == stages);
}

TEST_CASE("of a log of stages the last ones count, and lines that are none are passed over") {
  std::string log =
      "nonsense\n- 1 1 0 never begun\n+ 1 x 0 a\n+ 1 1 256 a\n+ 1 1 0  blank\n? 1 1 0 a\n+ 1 1 0 \x1b[31m\n+ 99999999999999999999 1 0 a\n+ "
      "5";
  CHECK(read_stage_log(log, 10).empty());
  for (int i = 0; i < 50; ++i) log += "\n" + stage_line('+', 5, 100 + i, 0, "s" + std::to_string(i));
  const std::vector<StageSpan> stages = read_stage_log(log, 4);  // a clock that went back
  REQUIRE(stages.size() == max_stages);
  CHECK(stages.front() == StageSpan("s18", 0s));
  CHECK(stages.back().name == "s49");
}

}  // namespace
