#include "resolve/wait_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace rollcall {
namespace {

// Whether a standing ends the wait; `hint` is what to do about it then.
std::optional<std::string> ends_wait(Standing standing, const WaitOptions& options) {
  switch (standing) {
    case Standing::lost: return "it is not coming back by itself: make it anew, or leave it out";
    case Standing::stopped:
      if (options.for_start()) return std::nullopt;
      return "start it; or say that it will be started (for_start, --for-start)";
    case Standing::unschedulable:
      if (!options.fail_if_unschedulable()) return std::nullopt;
      return "no node has room for it: make room, or change what it asks for";
    default: return std::nullopt;
  }
}

std::string words(const Condition& condition) {
  return condition.text.empty() ? std::string(to_string(condition.standing)) : condition.text;
}

// Why a member is not ready; empty: it is.
std::string why_missing(const Member& member, Readiness until, const ProbeAnswers& answers) {
  if (includes(until, Readiness::state) && member.state.standing != Standing::ready) return words(member.state);
  if (includes(until, Readiness::health) && member.health.standing != Standing::ready) return words(member.health);
  const bool needs_probe = includes(until, Readiness::reachable) || includes(until, Readiness::devices);
  const bool needs_address = includes(until, Readiness::endpoints) || needs_probe;
  if (needs_address && member.address.empty()) {
    return member.state.standing == Standing::ready ? "no address yet" : fmt::format("no address yet ({})", words(member.state));
  }
  if (!needs_probe) return {};
  const auto answer = answers.find(member.address);
  return answer == answers.end() ? "not asked yet" : answer->second;
}

Failure lost_failure(const std::string& subject, const std::string& who, const Condition& condition, std::string hint) {
  return Failure(Errc::not_ready, fmt::format("{}: {}will not become ready: {}", subject, who.empty() ? "" : who + " ", words(condition)))
      .with_hint(std::move(hint));
}

// Places that the topology, or the caller, says there are, and that nobody has taken.
void add_absent(WaitVerdict& verdict, const ClusterStatus& status) {
  const bool is_one_job = status.members.empty() || status.members.front().job == status.members.back().job;
  std::set<int> taken;
  for (const Member& member : status.members) taken.insert(member.index);
  const std::string job = status.members.empty() ? "member" : status.members.front().job;
  constexpr std::size_t most = 65536;
  std::size_t absent = static_cast<std::size_t>(verdict.total) - status.members.size();
  absent = std::min(absent, most);
  for (int index = 0; absent > 0; ++index) {
    if (is_one_job && taken.contains(index)) continue;
    MissingMember missing;
    missing.member = Member(is_one_job ? job : "member", is_one_job ? index : static_cast<int>(status.members.size()) + index);
    missing.why = "not there yet";
    verdict.missing.push_back(std::move(missing));
    --absent;
  }
}

}  // namespace

WaitVerdict judge_status(const ClusterStatus& status, Readiness until, const WaitOptions& options, const ProbeAnswers& answers,
                         const std::string& subject) {
  WaitVerdict verdict;
  const auto check_end = [&](const std::string& who, const Condition& condition) {
    if (verdict.lost) return;
    std::optional<std::string> hint = ends_wait(condition.standing, options);
    if (hint) verdict.lost = lost_failure(subject, who, condition, std::move(*hint));
  };
  check_end({}, status.state);
  for (const Member& member : status.members) {
    check_end(member.label(), member.state);
    check_end(member.label(), member.health);
    std::string why = why_missing(member, until, answers);
    if (why.empty()) {
      ++verdict.ready;
      continue;
    }
    MissingMember missing;
    missing.member = member;
    missing.why = std::move(why);
    verdict.missing.push_back(std::move(missing));
  }
  verdict.total = std::max(static_cast<int>(status.members.size()), options.members());
  if (options.members() == 0) verdict.total = std::max(verdict.total, status.expected);
  const bool counts_members = includes(until, Readiness::endpoints) || includes(until, Readiness::reachable) ||
                              includes(until, Readiness::devices) || options.members() > 0;
  if (counts_members && verdict.total > static_cast<int>(status.members.size())) add_absent(verdict, status);
  const bool must_be_there = includes(until, Readiness::state) || status.members.empty();
  const bool is_there = !must_be_there || status.state.standing == Standing::ready;
  verdict.is_ready = !verdict.lost && verdict.missing.empty() && is_there;
  return verdict;
}

void WaitLedger::note(std::vector<MissingMember>& missing, SteadyTime now) {
  std::map<Key, std::pair<std::string, SteadyTime>> entries;
  for (MissingMember& one : missing) {
    const Key key(one.member.job, one.member.index);
    const auto known = entries_.find(key);
    one.since = known != entries_.end() && known->second.first == one.why ? known->second.second : now;
    entries.emplace(key, std::make_pair(one.why, one.since));
  }
  entries_ = std::move(entries);
}

}  // namespace rollcall
