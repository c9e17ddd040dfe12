// What was not tested, and what is compared by majority: facts of the hosts.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/duration.hpp"
#include "base/order.hpp"
#include "preflight/rules/host_numbers.hpp"
#include "preflight/rules/judgement.hpp"
#include "preflight/rules/package_lists.hpp"
#include "render/render_preflight.hpp"

namespace rollcall::preflight {
namespace {

using Places = std::vector<std::size_t>;
using ByValue = std::map<std::string, Places>;

FindingSeverity severity_of(const Judgement& judgement, const Places& members, const std::string& fact) {
  for (const std::size_t i : members) {
    for (const EvidenceFact& of : judgement.member(i).facts) {
      if (of.name == fact && of.severity == FindingSeverity::failure) return FindingSeverity::failure;
    }
  }
  return FindingSeverity::warning;
}

// ` worker 1 has 550; worker 2 and worker 3 have 570`, the largest first.
std::string groups_text(const Judgement& judgement, const ByValue& values) {
  constexpr std::size_t max_groups = 8;
  std::vector<std::pair<std::string, Places>> groups(values.begin(), values.end());
  sort_stably(groups, [](const auto& a, const auto& b) {
    return std::pair(b.second.size(), a.second.front()) < std::pair(a.second.size(), b.second.front());
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), max_groups); ++i) {
    const auto& [value, members] = groups[i];
    text += fmt::format("{} {} {} {}", i == 0 ? "" : ";", member_list(judgement.named(members), 3), members.size() == 1 ? "has" : "have",
                        value);
  }
  return groups.size() <= max_groups ? text : text + fmt::format("; others have {} other values", groups.size() - max_groups);
}

// In what packages with the one value differ from those with the other; empty: it is not known.
std::string difference_text(const PackageLists& lists, const std::string& value, const std::string& other) {
  const auto own = lists.find(value);
  const auto others = lists.find(other);
  return own != lists.end() && others != lists.end() ? package_difference(*own->second, *others->second) : std::string();
}

void judge_odd_values(Judgement& judgement, const std::string& fact, const ByValue& values, const Places& judged) {
  const PackageLists lists = fact == packages_fact ? package_lists(judgement.evidence) : PackageLists();
  std::size_t all = 0;
  Places everyone;
  for (const auto& [value, members] : values) {
    all += members.size();
    everyone.insert(everyone.end(), members.begin(), members.end());
  }
  const auto most =
      std::max_element(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (most->second.size() * 2 <= all) {
    std::sort(everyone.begin(), everyone.end());
    Finding& finding = judgement.add(fact, all == 2 ? FindingScope::pair : FindingScope::cluster, all == 2 ? everyone : Places());
    finding.severity = severity_of(judgement, everyone, fact);
    finding.action = FindingAction::align_versions;
    finding.text = fmt::format("{} differs, and no value is that of most:", fact);
    finding.text += groups_text(judgement, values);
    const std::string difference = values.size() == 2 ? difference_text(lists, values.begin()->first, values.rbegin()->first) : "";
    if (!difference.empty())
      finding.text = fmt::format(
          "packages differ, and none are those of most: {} {} others than {}: {}", member_list(judgement.named(values.begin()->second), 3),
          values.begin()->second.size() == 1 ? "has" : "have", member_list(judgement.named(values.rbegin()->second), 3), difference);
    finding.hint = "give all members the same one";
    return;
  }
  for (const auto& [value, members] : values) {
    Places odd;
    std::set_intersection(members.begin(), members.end(), judged.begin(), judged.end(), std::back_inserter(odd));
    if (value == most->first || odd.empty()) continue;
    Finding& finding = judgement.add(fact, FindingScope::host, odd);
    finding.severity = severity_of(judgement, odd, fact);
    finding.action = FindingAction::align_versions;
    finding.measured = value;
    finding.others = most->first;
    const std::string part = part_text(most->second.size(), all - odd.size());
    const std::string difference = difference_text(lists, value, most->first);
    finding.text = difference.empty()
                       ? fmt::format("{}: {} is {}, and {} for {} others", member_list(finding.members), fact, value, most->first, part)
                       : fmt::format("{}: packages differ from those of {} others: {}", member_list(finding.members), part, difference);
    finding.hint = "give all members the same one";
  }
}

// Values of `members`, one for each host. A host that looked at its interface, and names no RDMA port, has none.
ByValue values_of(const Judgement& judgement, const std::string& fact, const Places& members) {
  ByValue values;
  for (const std::size_t i : members) {
    const EvidenceMember& member = judgement.member(i);
    const std::string value = fact_value(member, fact);
    const bool has_none = value.empty() && fact == "infiniband" && !fact_value(member, "nic_mtu").empty();
    if (has_none || !value.empty()) values[has_none ? "none" : value].push_back(i);
  }
  return values;
}

void judge_fact(Judgement& judgement, const std::string& fact, const Places& compared, const Places& judged) {
  if (is_speed(fact)) return judge_speed(judgement, fact, compared, judged);
  const ByValue values = values_of(judgement, fact, compared);
  if (values.size() > 1) judge_odd_values(judgement, fact, values, judged);
}

}  // namespace

std::string fact_value(const EvidenceMember& member, std::string_view fact) {
  const auto found = std::find_if(member.facts.begin(), member.facts.end(), [fact](const EvidenceFact& one) { return one.name == fact; });
  return found == member.facts.end() ? std::string() : found->value;
}

void judge_untested(Judgement& judgement) {
  const auto others = static_cast<std::int64_t>(judgement.size()) - 1;
  const std::int64_t each = judgement.evidence.probes_each == 0 ? others : std::min<std::int64_t>(others, judgement.evidence.probes_each);
  Places silent;
  Places untested;
  Places without_means;
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    if (judgement.is_blamed[i]) continue;
    std::int64_t tested = 0;
    std::int64_t unanswered = 0;
    bool has_shortage = false;
    std::size_t mute = 0;  // ways to it without an answer
    for (std::size_t other = 0; other < judgement.size(); ++other) {
      if (other == i) continue;
      const ProbeResult there = judgement.table.at(i, other);
      has_shortage = has_shortage || there == ProbeResult::shortage;
      const bool counts = there != ProbeResult::untested && there != ProbeResult::silent && there != ProbeResult::shortage;
      if (counts || judgement.is_blamed[other]) {
        ++tested;
      } else if (there == ProbeResult::silent) {
        ++unanswered;
      }
      if (judgement.table.at(other, i) == ProbeResult::silent && !judgement.table.is_explained(other, i)) ++mute;
    }
    const std::int64_t missing = each - tested;
    if (has_shortage) without_means.push_back(i);
    if (mute > 0) silent.push_back(i);
    if (missing > unanswered && !has_shortage) untested.push_back(i);
    const auto of_way = static_cast<std::int64_t>(mute);
    if (std::max(missing, of_way) * 10 > each) judgement.is_incomplete = true;
  }
  judgement.add_unknown("reach", silent, "no process answered on the connection: its processors may be busy");
  judgement.add_unknown("reach", untested, "not all of its ways to others were tested");
  judgement.add_unknown("large_packets", judgement.table.slow_members(),
                        "a large message did not arrive in time, and no size was seen to pass: the way may be slow");
  if (!judgement.table.slow_members().empty()) judgement.is_incomplete = true;
  if (without_means.empty()) return;
  Finding& finding = judgement.add("shortage", FindingScope::host, without_means);
  finding.severity = FindingSeverity::warning;
  finding.text = fmt::format("{}: had no more connections to give; the program will meet that, too", member_list(finding.members));
  finding.hint = "raise net.ipv4.neigh.default.gc_thresh3, the range of local ports, or the limit of descriptors";
}

void judge_facts(Judgement& judgement) {
  std::map<std::string, Places> jobs;  // hosts that reported
  Places all;
  HostNumbers hosts;
  std::map<std::string, Places> facts;
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    const EvidenceMember& member = judgement.member(i);
    if (!judgement.has_reported(i) || !hosts.is_new(member)) continue;
    all.push_back(i);
    jobs[member.job].push_back(i);
    for (const EvidenceFact& fact : member.facts) facts[fact.name];
  }
  Places of_small_jobs;
  for (const auto& [job, members] : jobs) {
    if (members.size() < 3) of_small_jobs.insert(of_small_jobs.end(), members.begin(), members.end());
  }
  std::sort(of_small_jobs.begin(), of_small_jobs.end());
  for (const auto& [fact, unused] : facts) {
    for (const auto& [job, members] : jobs) {
      if (members.size() >= 3) judge_fact(judgement, fact, members, members);
    }
    if (!of_small_jobs.empty()) judge_fact(judgement, fact, all, of_small_jobs);
  }
}

}  // namespace rollcall::preflight
