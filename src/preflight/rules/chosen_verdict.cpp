#include "preflight/rules/chosen_verdict.hpp"

namespace rollcall::preflight {

const PreflightVerdict* chosen_verdict(const std::vector<std::optional<PreflightVerdict>>& of_gatherers) {
  const PreflightVerdict* best = nullptr;
  for (const std::optional<PreflightVerdict>& verdict : of_gatherers) {
    if (!verdict) continue;
    const bool is_better = !best || (verdict->passed == best->passed ? verdict->present > best->present : best->passed);
    if (is_better) best = &*verdict;
  }
  return best;
}

}  // namespace rollcall::preflight
