// Clocks: each member's, less the error of the clock that it was compared with.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "base/order.hpp"
#include "preflight/rules/judgement.hpp"
#include "render/render_preflight.hpp"

namespace rollcall::preflight {
namespace {

constexpr std::string_view clock_hint = "let it synchronise its clock: chrony, systemd-timesyncd or the cloud's own time service";
constexpr std::size_t max_groups = 8;

std::int64_t median_of(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// No more digits than a busy host's answer is good for.
std::string seconds_text(std::int64_t microseconds) {
  const double seconds = static_cast<double>(std::abs(microseconds)) / 1e6;
  return fmt::format("{:.{}f} s", seconds, seconds >= 1 ? 1 : 2);
}

FindingSeverity severity_of_clock(std::int64_t ahead_us) {
  return std::abs(ahead_us) >= 1'000'000 ? FindingSeverity::failure : FindingSeverity::warning;
}

std::int64_t clock_bound(const ClockReading& reading) { return std::max<std::int64_t>(100'000, 2 * reading.round_trip_us); }

// Of two clocks neither is known to be right.
void judge_two_clocks(Judgement& judgement) {
  std::optional<ClockReading> best;
  for (std::size_t i = 0; i < 2; ++i) {
    for (const ClockReading& clock : judgement.member(i).clocks) {
      if (!best || clock.round_trip_us < best->round_trip_us) best = clock;
    }
  }
  if (!best || std::abs(best->ahead_us) <= clock_bound(*best)) return;
  Finding& finding = judgement.add("clock", FindingScope::pair, {0, 1});
  finding.severity = severity_of_clock(best->ahead_us);
  finding.action = FindingAction::set_clock;
  finding.measured = seconds_text(best->ahead_us);
  finding.text = fmt::format("{}: their clocks are {} apart", member_list(finding.members), finding.measured);
  finding.hint = std::string(clock_hint);
}

// How a member's clock stands to the median of all.
class KnownClock {
 public:
  KnownClock(std::size_t at, std::int64_t microseconds, std::int64_t least) : place(at), ahead_us(microseconds), bound_us(least) {}
  std::size_t place;
  std::int64_t ahead_us;
  std::int64_t bound_us;  // less is no difference
  bool is_odd() const { return std::abs(ahead_us) > bound_us; }
};

std::vector<KnownClock> known_clocks(const Judgement& judgement) {
  std::map<int, std::vector<std::int64_t>> by_other;  // what was read against each
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    for (const ClockReading& clock : judgement.member(i).clocks) by_other[clock.against].push_back(clock.ahead_us);
  }
  std::map<int, std::int64_t> medians;  // the error of the other's own clock
  for (const auto& [other, readings] : by_other) {
    // The other itself is as far ahead of itself as nothing.
    std::vector<std::int64_t> with_itself = readings;
    with_itself.push_back(0);
    if (with_itself.size() >= 3) medians[other] = median_of(with_itself);
  }
  std::vector<KnownClock> known;
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    std::optional<ClockReading> best;
    for (const ClockReading& clock : judgement.member(i).clocks) {
      if (medians.contains(clock.against) && (!best || clock.round_trip_us < best->round_trip_us)) best = clock;
    }
    if (best) {
      known.emplace_back(i, best->ahead_us - medians.at(best->against), clock_bound(*best));
    } else if (medians.contains(static_cast<int>(i))) {
      known.emplace_back(i, -medians.at(static_cast<int>(i)), clock_bound(ClockReading()));
    }
  }
  return known;
}

void add_odd_clock(Judgement& judgement, const KnownClock& clock) {
  Finding& finding = judgement.add("clock", FindingScope::host, {clock.place});
  finding.severity = severity_of_clock(clock.ahead_us);
  finding.action = FindingAction::set_clock;
  finding.measured = fmt::format("{}{}", clock.ahead_us < 0 ? "-" : "", seconds_text(clock.ahead_us));
  finding.text = fmt::format("{}: its clock is {} {}", judgement.named(clock.place).to_text(), seconds_text(clock.ahead_us),
                             clock.ahead_us > 0 ? "ahead" : "behind");
  finding.hint = std::string(clock_hint);
}

// Which ones are right is not known where not more than half agree.
void add_groups(Judgement& judgement, std::vector<KnownClock> clocks) {
  sort_stably(clocks, [](const KnownClock& a, const KnownClock& b) { return a.ahead_us < b.ahead_us; });
  std::vector<std::vector<KnownClock>> groups;
  for (const KnownClock& clock : clocks) {
    const bool is_near = !groups.empty() && clock.ahead_us - groups.back().front().ahead_us <= clock.bound_us;
    if (!is_near) groups.emplace_back();
    groups.back().push_back(clock);
  }
  std::string text;
  std::vector<std::size_t> all;
  for (const std::vector<KnownClock>& group : groups) {
    std::vector<std::size_t> places;
    for (const KnownClock& clock : group) places.push_back(clock.place);
    std::sort(places.begin(), places.end());
    all.insert(all.end(), places.begin(), places.end());
    const std::int64_t ahead = group.front().ahead_us - clocks.front().ahead_us;
    const auto number = static_cast<std::size_t>(&group - groups.data());
    if (number < max_groups) text += fmt::format("{}{}", number == 0 ? "" : "; ", member_list(judgement.named(places)));
    if (number > 0 && number < max_groups) text += fmt::format(", {} ahead of the first", seconds_text(ahead));
  }
  if (groups.size() > max_groups) text += fmt::format("; {} more", groups.size() - max_groups);
  std::sort(all.begin(), all.end());
  const std::int64_t spread = clocks.back().ahead_us - clocks.front().ahead_us;
  Finding& finding = judgement.add("clock", FindingScope::cluster, all);
  finding.severity = severity_of_clock(spread);
  finding.action = FindingAction::set_clock;
  finding.measured = seconds_text(spread);
  finding.text = fmt::format("clocks differ, and no time is that of most: {}", text);
  finding.hint = "let all synchronise their clocks: chrony, systemd-timesyncd or the cloud's own time service";
}

}  // namespace

void judge_clocks(Judgement& judgement) {
  if (judgement.size() == 2) return judge_two_clocks(judgement);
  const std::vector<KnownClock> clocks = known_clocks(judgement);
  const auto odd = std::count_if(clocks.begin(), clocks.end(), [](const KnownClock& clock) { return clock.is_odd(); });
  if (odd * 2 >= static_cast<std::ptrdiff_t>(clocks.size()) && odd > 0) return add_groups(judgement, clocks);
  for (const KnownClock& clock : clocks) {
    if (clock.is_odd()) add_odd_clock(judgement, clock);
  }
}

}  // namespace rollcall::preflight
