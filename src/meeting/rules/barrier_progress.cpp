#include "rollcall/barrier_progress.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/duration.hpp"

namespace rollcall {

std::string BarrierAbsence::line() const {
  if (stage.empty()) return fmt::format("{}: {}", task, why);
  const std::string beside = others > Duration::zero() ? fmt::format(" (others took {})", duration_text(others)) : std::string();
  return fmt::format("{}: `{}` for {}{}", task, stage, duration_text(time), beside);
}

BarrierProgress BarrierProgress::without_times() const {
  BarrierProgress progress = *this;
  for (BarrierAbsence& absence : progress.missing) absence.time = absence.others = Duration::zero();
  return progress;
}

std::string BarrierProgress::line() const {
  if (!trouble.empty()) return trouble;
  std::string text = fmt::format("{}/{} here", here, tasks);
  std::string_view separator = " · ";
  for (const BarrierAbsence& absence : missing) {
    text += fmt::format("{}{}", separator, absence.line());
    separator = "; ";
  }
  const int named = here + static_cast<int>(missing.size());
  if (named < tasks) text += fmt::format("; {} more", tasks - named);
  return text;
}

}  // namespace rollcall
