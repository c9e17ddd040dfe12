// Facts that are speeds: compared with the median of hosts, and not by majority.
#include <fmt/format.h>

#include <algorithm>

#include "base/speed_text.hpp"
#include "preflight/rules/judgement.hpp"
#include "render/render_preflight.hpp"

namespace rollcall::preflight {

bool is_speed(std::string_view fact) { return fact == "memory_speed" || fact.starts_with("disk_write:") || fact.starts_with("disk_read:"); }

void judge_speed(Judgement& judgement, const std::string& fact, const std::vector<std::size_t>& compared,
                 const std::vector<std::size_t>& judged) {
  constexpr std::size_t min_compared = 3;
  std::vector<std::int64_t> speeds;
  for (const std::size_t i : compared) {
    if (const auto speed = read_speed(fact_value(judgement.member(i), fact))) speeds.push_back(*speed);
  }
  if (speeds.size() < min_compared) return;
  const auto middle = speeds.begin() + static_cast<std::ptrdiff_t>(speeds.size() / 2);
  std::nth_element(speeds.begin(), middle, speeds.end());
  for (const std::size_t i : judged) {
    const auto speed = read_speed(fact_value(judgement.member(i), fact));
    if (!speed || *speed * 2 >= *middle) continue;
    Finding& finding = judgement.add(fact, FindingScope::host, {i});
    finding.severity = FindingSeverity::warning;
    finding.measured = fmt::format("{}{}", *speed, speed_unit);
    finding.others = fmt::format("{}{}", *middle, speed_unit);
    finding.text = fmt::format("{}: {} is {}, less than half of {}, the median of {} hosts", member_list(finding.members), fact,
                               finding.measured, finding.others, speeds.size());
    finding.hint =
        fact == "memory_speed" ? "look at its memory modules, and at what else runs there" : "look at the disk, and at what else uses it";
  }
}

}  // namespace rollcall::preflight
