// The lines of a log of stages, see stage_file.hpp. Pure.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "command/process/stage_file.hpp"

namespace rollcall::command {
namespace {

constexpr std::int64_t max_log_number = std::numeric_limits<std::int64_t>::max() / 2'000'000;  // milliseconds fit into nanoseconds

class StageLine {
 public:
  StageLine() {}
  char what = 0;
  std::int64_t at_ms = 0;
  std::int64_t process = 0;
  int exit_status = 0;
  std::string_view name;
};

std::optional<StageLine> parse_stage_line(std::string_view line) {
  const std::vector<std::string_view> words = split(line, ' ');
  if (words.size() < 5 || words[0].size() != 1 || std::string_view("+-*").find(words[0]) == std::string_view::npos) return std::nullopt;
  const auto at = parse_decimal<std::int64_t>(words[1], 0, max_log_number);
  const auto process = parse_decimal<std::int64_t>(words[2], 0, max_log_number);
  const auto status = parse_decimal<int>(words[3], 0, 255);
  StageLine read;
  read.name = line.substr(static_cast<std::size_t>(words[4].data() - line.data()));
  if (!at || !process || !status || !check_stage_name(read.name)) return std::nullopt;
  read.what = words[0][0];
  read.at_ms = *at;
  read.process = *process;
  read.exit_status = *status;
  return read;
}

Duration between_ms(std::int64_t from, std::int64_t to) { return std::chrono::milliseconds(std::max<std::int64_t>(to - from, 0)); }

}  // namespace

std::string stage_line(char what, std::int64_t at_ms, std::int64_t process, int exit_status, std::string_view name) {
  return fmt::format("{} {} {} {} {}\n", what, at_ms, process, exit_status, name);
}

std::vector<StageSpan> read_stage_log(std::string_view text, std::int64_t now_ms) {
  class Begun {
   public:
    std::int64_t at_ms;
    std::int64_t process;
    bool has_program;
  };
  std::vector<Begun> begun;  // of the stage at the same place
  std::vector<StageSpan> stages;
  const auto finish = [&](std::size_t i, std::int64_t at_ms, int status) {
    stages[i].time = between_ms(begun[i].at_ms, at_ms);
    stages[i].is_over = true;
    stages[i].exit_status = status;
  };
  for (const std::string_view line : split(text, '\n')) {
    const std::optional<StageLine> read = parse_stage_line(line);
    if (!read) continue;
    if (read->what == '-') {
      for (std::size_t i = stages.size(); i-- > 0;) {
        if (stages[i].is_over || begun[i].process != read->process || stages[i].name != read->name) continue;
        finish(i, read->at_ms, read->exit_status);
        break;
      }
      continue;
    }
    for (std::size_t i = 0; i < stages.size(); ++i) {
      if (!stages[i].is_over && !begun[i].has_program) finish(i, read->at_ms, 0);
    }
    stages.emplace_back(std::string(read->name), Duration::zero());
    begun.push_back({read->at_ms, read->process, read->what == '+'});
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (!stages[i].is_over) stages[i].time = between_ms(begun[i].at_ms, now_ms);
  }
  stages.erase(stages.begin(), stages.end() - static_cast<std::ptrdiff_t>(std::min(stages.size(), max_stages)));
  return stages;
}

}  // namespace rollcall::command
