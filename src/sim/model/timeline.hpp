// Which entry of a timeline holds at a time, and when the next one begins.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall::sim {

/// The last entry with `at` not after `now` (both counted from the start); null before the first.
template <class Moment>
const Moment* moment_at(const std::vector<Moment>& timeline, Duration now) {
  const auto after = std::upper_bound(timeline.begin(), timeline.end(), now, [](Duration t, const Moment& m) { return t < m.at; });
  return after == timeline.begin() ? nullptr : &*std::prev(after);
}

/// When the next entry begins; none when there is no later one.
template <class Moment>
std::optional<Duration> next_moment(const std::vector<Moment>& timeline, Duration now) {
  const auto after = std::upper_bound(timeline.begin(), timeline.end(), now, [](Duration t, const Moment& m) { return t < m.at; });
  if (after == timeline.end()) return std::nullopt;
  return after->at;
}

}  // namespace rollcall::sim
