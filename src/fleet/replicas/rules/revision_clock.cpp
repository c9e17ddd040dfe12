#include "fleet/replicas/rules/revision_clock.hpp"

#include <algorithm>
#include <iterator>

#include "base/saturating.hpp"

namespace rollcall::fleet {

// Answers may overtake each other. One that says little more than another is not kept.
void RevisionClock::answered(SteadyTime asked_at, std::uint64_t revision) {
  const auto above = marks_.upper_bound(revision);
  if (above != marks_.begin() && asked_at - std::prev(above)->second < between_marks) return;
  const auto at = marks_.insert_or_assign(revision, asked_at).first;
  auto last = std::next(at);
  while (last != marks_.end() && last->second <= asked_at) ++last;
  marks_.erase(std::next(at), last);
  if (marks_.size() > most_marks) marks_.erase(marks_.begin());
}

std::optional<SteadyTime> RevisionClock::written_at(std::uint64_t revision, SteadyTime now) const {
  const auto from = marks_.lower_bound(revision);
  if (from == marks_.begin()) return std::nullopt;
  return std::min(now, saturating_sum(std::prev(from)->second, error));
}

}  // namespace rollcall::fleet
