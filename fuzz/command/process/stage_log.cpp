// Fuzz target: the log of stages, which other processes of the user may have written. What is read has valid names and is bounded.
#include <string>

#include "check.hpp"
#include "command/process/stage_file.hpp"

using namespace rollcall;
using namespace rollcall::command;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<StageSpan> stages = read_stage_log(text, 1'000'000);
  require(stages.size() <= max_stages);
  std::string log;
  for (const StageSpan& stage : stages) {
    require(check_stage_name(stage.name).has_value() && stage.time >= Duration::zero() && stage.exit_status >= 0);
    log += stage_line('+', 0, 1, 0, stage.name) + stage_line('-', 1, 1, stage.exit_status, stage.name);
  }
  require(read_stage_log(log, 2).size() == stages.size());
  return 0;
}
