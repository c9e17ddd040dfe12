#include "command/show/doctor_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "command/terminal/safe_text.hpp"
#include "command/terminal/text_layout.hpp"

namespace rollcall::command {
namespace {

struct OutcomeStyle {
  std::string_view word;
  std::string_view style;  ///< on a terminal
};

OutcomeStyle style_of(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::pass: return {"pass", plain_style};
    case CheckOutcome::warning: return {"warning", bold_style};
    case CheckOutcome::fail: return {"FAIL", error_style};
    case CheckOutcome::skipped: return {"skipped", dim_style};
  }
  return {"?", plain_style};
}

long long milliseconds_of(Duration took) { return std::chrono::duration_cast<std::chrono::milliseconds>(took).count(); }

std::string time_text(const DoctorCheck& check) {
  return check.outcome == CheckOutcome::skipped ? "-" : fmt::format("{} ms", milliseconds_of(check.took));
}

}  // namespace

std::string doctor_text(const DoctorReport& report, std::size_t width, bool with_colour) {
  std::size_t names = 0;
  std::size_t times = 0;
  for (const DoctorCheck& check : report.checks) {
    names = std::max(names, check.name.size());
    times = std::max(times, time_text(check).size());
  }
  constexpr std::size_t narrowest = 20;
  constexpr std::size_t hint_column = 12;
  const std::size_t found_column = 7 + 2 + names + 2 + times + 2;
  const auto in_lines = [width](const std::string& text, std::size_t column) {
    return wrapped(printable(text, 2000), column, std::max(width, column + narrowest));
  };
  std::string out;
  for (const DoctorCheck& check : report.checks) {
    const OutcomeStyle style = style_of(check.outcome);
    const std::string word = fmt::format("{:<7}", style.word);
    out += with_colour ? fmt::format("{}{}{}", style.style, word, plain_style) : word;
    out += fmt::format("  {:<{}}  {:>{}}  {}\n", check.name, names, time_text(check), times, in_lines(check.found, found_column));
    const bool wants_hint = check.outcome == CheckOutcome::fail || check.outcome == CheckOutcome::warning;
    if (wants_hint && !check.hint.empty()) out += fmt::format("{:9}-> {}\n", "", in_lines(check.hint, hint_column));
  }
  out += fmt::format("{} of {} checks passed", report.count(CheckOutcome::pass), report.checks.size());
  for (const auto& [outcome, word] : {std::pair(CheckOutcome::fail, "failed"), std::pair(CheckOutcome::warning, "to look at"),
                                      std::pair(CheckOutcome::skipped, "skipped")}) {
    if (const std::size_t count = report.count(outcome)) out += fmt::format(", {} {}", count, word);
  }
  return out + "\n";
}

}  // namespace rollcall::command
