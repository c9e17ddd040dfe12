#include "command/ask/question_options.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/saturating.hpp"

namespace rollcall::command {

QuestionOptions::QuestionOptions(CallOptions of_all)
    : of_all_(std::move(of_all)), end_(saturating_sum(SteadyTime(std::chrono::steady_clock::now()), of_all_.timeout())) {}

// In whole milliseconds, as messages show it.
CallOptions QuestionOptions::next() const {
  constexpr Duration step = std::chrono::milliseconds(1);
  const Duration left = std::max(saturating_difference(end_, SteadyTime(std::chrono::steady_clock::now())), Duration(0));
  CallOptions options = of_all_;
  options.timeout(std::min(of_all_.timeout(), saturating_sum(left, step - left % step)));
  return options;
}

}  // namespace rollcall::command
