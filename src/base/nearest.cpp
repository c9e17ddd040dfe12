// "Did you mean …?": edit distance with transpositions (optimal string alignment).
#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max = 64;  // longer texts are not a misspelled option name

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (to_lower(a[i - 1]) == to_lower(b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      const bool is_swap = i > 1 && j > 1 && to_lower(a[i - 1]) == to_lower(b[j - 2]) && to_lower(a[i - 2]) == to_lower(b[j - 1]);
      if (is_swap) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view text, std::span<const std::string_view> candidates) {
  if (text.empty() || text.size() > max) return std::nullopt;
  std::optional<std::string_view> best;
  std::size_t best_distance = 0;
  for (const std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > max) continue;
    const std::size_t d = distance(text, candidate);
    const std::size_t tolerated = (std::max(text.size(), candidate.size()) + 2) / 3;
    if (d <= tolerated && d < candidate.size() && (!best || d < best_distance)) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

}  // namespace rollcall
