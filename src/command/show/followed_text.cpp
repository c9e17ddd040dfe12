#include "command/show/followed_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "launch/job_environment.hpp"
#include "render/render_status.hpp"

namespace rollcall::tools {

std::string cut_line(std::string line, std::size_t width) {
  if (line.size() <= width) return line;
  while (width > 0 && (static_cast<unsigned char>(line[width]) & 0xC0) == 0x80) --width;
  line.resize(width);
  return line;
}

ShownProgress::ShownProgress(const WaitProgress& progress) {
  head.started = progress.started;
  head.ready = progress.ready;
  head.total = progress.total;
  head.status.state = progress.status.state;
  head.trouble = progress.trouble;
  constexpr std::size_t most_rows = 500;  // no terminal is higher
  std::vector<const MissingMember*> missing;
  missing.reserve(progress.missing.size());
  for (const MissingMember& one : progress.missing) {
    missing.push_back(&one);
    count += one.count;
  }
  const auto shown = static_cast<std::ptrdiff_t>(std::min(missing.size(), most_rows));
  std::partial_sort(missing.begin(), missing.begin() + shown, missing.end(), [](const MissingMember* a, const MissingMember* b) {
    if (a->begun() != b->begun()) return a->begun() < b->begun();
    return std::tie(a->member.job, a->member.index) < std::tie(b->member.job, b->member.index);
  });
  for (auto one = missing.begin(); one != missing.begin() + shown; ++one) head.missing.push_back(**one);
}

std::vector<std::string> wait_table(const ShownProgress& progress, SteadyTime now, std::size_t width, std::size_t height) {
  const std::vector<MissingMember>& missing = progress.head.missing;
  WaitProgress whole = progress.head;
  whole.missing.clear();
  std::vector<std::string> lines;
  lines.push_back(cut_line(fmt::format("{} · {}", whole.line(), coarse_duration_text(now - whole.started)), width));
  const std::size_t rows = std::min(missing.size(), height > 0 ? height - 1 : 0);
  std::size_t label_width = 0;
  std::size_t why_width = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    label_width = std::max(label_width, missing[i].label().size());
    why_width = std::max(why_width, printable_line(missing[i].why).size());
  }
  std::int64_t left = progress.count;
  for (std::size_t i = 0; i < rows; ++i) {
    if (lines.size() + 1 == height && left > missing[i].count) {
      lines.push_back(fmt::format("  and {} more", left));
      break;
    }
    lines.push_back(cut_line(fmt::format("  {:<{}}  {:<{}}  {}", missing[i].label(), label_width, printable_line(missing[i].why), why_width,
                                         coarse_duration_text(now - missing[i].begun())),
                             width));
    left -= missing[i].count;
  }
  return lines;
}

namespace {

// What a program would take for an option, or a line for two, is left out.
std::string word_for_program(const std::string& text) { return is_word_for_program(text) ? text : std::string(); }

}  // namespace

std::string change_line(const ClusterChange& change, WallTime when) {
  return fmt::format("{} {} {}", format_rfc3339(std::chrono::floor<std::chrono::seconds>(when)), to_string(change.kind),
                     printable_line(change.text));
}

HookVariables change_variables(const ClusterChange& change, const ClusterStatus& status) {
  HookVariables variables = {{"ROLLCALL_CHANGE", std::string(to_string(change.kind))},
                             {"ROLLCALL_TEXT", printable_line(change.text)},
                             {"ROLLCALL_CLUSTER", status.spec().to_json()}};
  if (is_about_member(change.kind)) {
    variables.emplace_back("ROLLCALL_JOB", word_for_program(change.member.job));
    variables.emplace_back("ROLLCALL_INDEX", std::to_string(change.member.index));
    variables.emplace_back("ROLLCALL_ADDRESS", word_for_program(change.member.address));
    variables.emplace_back("ROLLCALL_MEMBER", word_for_program(change.member.name));
  }
  return variables;
}

}  // namespace rollcall::tools
