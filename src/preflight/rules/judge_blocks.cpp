// Parts of a cluster that do not see each other.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/order.hpp"
#include "preflight/rules/judgement.hpp"
#include "render/render_preflight.hpp"

namespace rollcall::preflight {
namespace {

// Members that reach each other both ways, directly or by others of the part. Largest first, then by the first member.
std::vector<std::vector<std::size_t>> parts_of(const Judgement& judgement) {
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    if (!judgement.is_blamed[i]) rest.push_back(i);
  }
  std::vector<std::vector<std::size_t>> parts;
  while (!rest.empty()) {
    std::vector<std::size_t> part = {rest.front()};
    rest.erase(rest.begin());
    for (std::size_t next = 0; next < part.size(); ++next) {
      const std::size_t from = part[next];
      std::vector<std::size_t> left;
      for (const std::size_t to : rest) (judgement.table.is_joined(from, to) ? part : left).push_back(to);
      rest = std::move(left);
    }
    std::sort(part.begin(), part.end());
    parts.push_back(std::move(part));
  }
  sort_stably(parts, [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return parts;
}

class Between {
 public:
  Between() {}
  ResultCounts seen;
  std::size_t tested = 0;
  std::size_t bad = 0;
};

Between ways_between(const Judgement& judgement, const std::vector<std::size_t>& some, const std::vector<std::size_t>& others) {
  Between between;
  for (const std::size_t a : some) {
    for (const std::size_t b : others) {
      for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
        const ProbeResult seen = judgement.table.at(from, to);
        if (seen == ProbeResult::untested || judgement.table.is_explained(from, to)) continue;
        ++between.tested;
        if (!judgement.table.is_bad(from, to)) continue;
        ++between.bad;
        between.seen.add(seen);
      }
    }
  }
  return between;
}

void explain_between(Judgement& judgement, const std::vector<std::size_t>& some, const std::vector<std::size_t>& others) {
  for (const std::size_t a : some) {
    for (const std::size_t b : others) {
      judgement.table.explain(a, b);
      judgement.table.explain(b, a);
    }
  }
}

void add_block(Judgement& judgement, const std::vector<std::size_t>& block, std::string_view name, std::string_view from,
               const Between& between) {
  Finding& finding = judgement.add("reach", FindingScope::block, block);
  const ProbeResult why = between.seen.main_fault();
  if (why == ProbeResult::large_out) finding.check = "large_packets";
  finding.action = FindingAction::check_path;
  const int size = why == ProbeResult::large_out ? judgement.size_that_passes(block) : 0;
  finding.measured = size > 0 ? fmt::format("{} bytes", size) : std::string(to_string(why));
  finding.text = fmt::format("{}{} ({} members): cut off from {}, {} ways of {} fail ({})", name, member_list(finding.members),
                             block.size(), from, between.bad, between.tested, result_text(why, size));
  finding.hint = why == ProbeResult::large_out ? "look at the packet size (MTU) of the switches between them"
                                               : "look at the network between them: switches, routes, firewalls, network policies";
}

void judge_parts(Judgement& judgement) {
  const std::vector<std::vector<std::size_t>> parts = parts_of(judgement);
  for (std::size_t i = 1; i < parts.size() && parts[i].size() >= 2; ++i) {
    std::vector<std::size_t> others;
    for (std::size_t other = 0; other < parts.size(); ++other) {
      if (other != i) others.insert(others.end(), parts[other].begin(), parts[other].end());
    }
    const Between between = ways_between(judgement, parts[i], others);
    if (between.bad == 0) continue;  // they were only not tested
    add_block(judgement, parts[i], "", fmt::format("the other {}", others.size()), between);
    explain_between(judgement, parts[i], others);
  }
}

// Blocks of the topology that may reach each other by the rest, and not directly.
void judge_known_blocks(Judgement& judgement) {
  std::map<std::string, std::vector<std::size_t>> blocks;
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    if (!judgement.is_blamed[i] && !judgement.member(i).block.empty()) blocks[judgement.member(i).block].push_back(i);
  }
  for (auto a = blocks.begin(); a != blocks.end(); ++a) {
    for (auto b = std::next(a); b != blocks.end(); ++b) {
      if (a->second.size() < 2 || b->second.size() < 2) continue;
      const Between between = ways_between(judgement, a->second, b->second);
      if (between.bad < 4 || between.bad * 10 <= between.tested * 9) continue;
      const bool is_first_smaller = a->second.size() < b->second.size();
      const auto& [name, block] = is_first_smaller ? *a : *b;
      const auto& [other_name, others] = is_first_smaller ? *b : *a;
      add_block(judgement, block, name + ": ", other_name, between);
      explain_between(judgement, block, others);
    }
  }
}

}  // namespace

void judge_blocks(Judgement& judgement) {
  judge_parts(judgement);
  judge_known_blocks(judgement);
}

}  // namespace rollcall::preflight
