#include "readiness/wait_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "base/saturating.hpp"
#include "readiness/late_wait.hpp"
#include "readiness/own_pod.hpp"
#include "rollcall/cause_text.hpp"
#include "rollcall/cluster_change.hpp"
#include "rollcall/listed.hpp"

namespace rollcall {
namespace {

constexpr std::string_view waits_for_itself = " (this pod, which waits for itself: --until endpoints does not)";

// The hint if the state ends the wait; none if it does not.
std::optional<std::string> ends_wait(MemberState level, const WaitOptions& options) {
  switch (level) {
    case MemberState::lost:
      if (options.for_replacement()) return std::nullopt;
      return "it does not come back by itself: recreate it, or leave it out; --for-return (for_replacement) waits for a new one";
    case MemberState::stopped:
      if (options.for_start()) return std::nullopt;
      return "start it; or say that it will be started (for_start, --for-start)";
    case MemberState::unschedulable:
      if (!options.fail_if_unschedulable()) return std::nullopt;
      return "no node has room for it: make room, or change what it asks for";
    default: return std::nullopt;
  }
}

std::string words(const Condition& condition) { return condition.text.empty() ? std::string(to_string(condition.level)) : condition.text; }

// True if the service says that the loss of a member is not final: another one takes its place.
bool comes_back(const Member& member) {
  return !member.causes.empty() &&
         std::none_of(member.causes.begin(), member.causes.end(), [](const Cause& cause) { return cause.is_final; });
}

bool asks_members(Readiness until) { return includes(until, Readiness::reachable) || includes(until, Readiness::devices); }

// The outermost causes where some are known, else the state's own words.
std::string words_of(const Condition& condition, const std::vector<Cause>& chain) {
  return chain.empty() ? words(condition) : causes_text(chain);
}

// The reason why a member is not ready; empty if it is.
std::string why_missing(const ClusterStatus& status, const Member& member, Readiness until, const ProbeAnswers& answers) {
  const bool counts_state = includes(until, Readiness::state) || member.state.level == MemberState::lost;
  if (counts_state && member.state.level != MemberState::ready) return words_of(member.state, chain_of(status, member));
  if (includes(until, Readiness::health) && member.health.level != MemberState::ready)
    return words_of(member.health, chain_of(status, member));
  const bool needs_probe = asks_members(until);
  const bool needs_address = includes(until, Readiness::endpoints) || needs_probe;
  if (needs_address && member.address.empty()) {
    return member.state.level == MemberState::ready ? "no address yet"
                                                    : fmt::format("no address yet ({})", words_of(member.state, chain_of(status, member)));
  }
  if (!needs_probe) return {};
  const auto answer = answers.find(member.address);
  return answer == answers.end() ? "not asked yet" : answer->second.trouble;
}

// The only job of all members, or of the jobs without members; null if there are several, or none is named.
const std::string* only_job(const ClusterStatus& status) {
  if (status.members.empty()) return status.jobs.size() == 1 ? &status.jobs.front() : nullptr;
  const std::string& first = status.members.front().job;
  return first == status.members.back().job ? &first : nullptr;
}

std::vector<std::string> jobs_without_members(const ClusterStatus& status) {
  std::set<std::string_view> filled;
  std::string_view last;
  for (const Member& member : status.members) {
    if (filled.empty() || member.job != last) filled.insert(member.job);
    last = member.job;
  }
  std::vector<std::string> jobs;
  std::copy_if(status.jobs.begin(), status.jobs.end(), std::back_inserter(jobs),
               [&filled](const std::string& job) { return !filled.contains(job); });
  return jobs;
}

int members_of(const ClusterStatus& status, const std::string& job) {
  return static_cast<int>(
      std::count_if(status.members.begin(), status.members.end(), [&job](const Member& member) { return member.job == job; }));
}

// What holds up members that do not exist: the outermost cause, or by whose word they are awaited.
// `is_sized`: it is known how many members the job has.
std::string why_absent(const ClusterStatus& status, bool is_sized) {
  const std::string why = causes_text(chain_of_absent(status));
  if (!why.empty()) return "not there yet: " + why;
  return is_sized && !status.expected_source.empty() ? fmt::format("not there yet ({})", status.expected_source) : "not there yet";
}

Failure lost_failure(const std::string& subject, const std::string& who, const Condition& condition, std::string hint) {
  return Failure(Errc::not_ready, fmt::format("{}: {}will not become ready: {}", subject, who.empty() ? "" : who + " ", words(condition)))
      .with_hint(std::move(hint));
}

}  // namespace

WaitJudge::WaitJudge(const ClusterStatus& status, Readiness until, const WaitOptions& options, const ProbeAnswers& answers,
                     std::string subject, MissingDetail wanted)
    : status_(status), until_(until), options_(options), answers_(answers), subject_(std::move(subject)), wanted_(wanted) {
  check_end(status.state, [] { return std::string(); });
}

template <class Who>
void WaitJudge::check_end(const Condition& condition, Who who) {
  if (verdict_.lost) return;
  std::optional<std::string> hint = ends_wait(condition.level, options_);
  if (hint) verdict_.lost = lost_failure(subject_, who(), condition, std::move(*hint));
}

// An address appears by itself. But the pod's state and health become ready only after the waiting program has ended.
bool WaitJudge::waits_for_own_state(const Member& member) const {
  const bool is_behind = (includes(until_, Readiness::state) && member.state.level != MemberState::ready) ||
                         (includes(until_, Readiness::health) && member.health.level != MemberState::ready);
  return is_behind && is_own_pod(member.name, own_pod_);
}

bool WaitJudge::poll(std::size_t members) {
  const std::size_t end = next_ + std::min(members, status_.members.size() - next_);
  for (; next_ < end; ++next_) {
    const Member& member = status_.members[next_];
    const auto label = [&member] { return member.label(); };
    const bool is_replaced = member.state.level == MemberState::lost && comes_back(member);
    if (has_ended_well(member) && !is_replaced && !verdict_.lost) {
      verdict_.lost = lost_failure(subject_, member.label(), member.state, "it has ended with success, and nothing recreates it");
    }
    if (!is_replaced) check_end(member.state, label);
    check_end(member.health, label);
    std::string why = why_missing(status_, member, until_, answers_);
    if (why.empty()) {
      ++verdict_.ready;
      if (is_only_listed(member) && !asks_members(until_)) ++verdict_.listed;
      continue;
    }
    has_missing_ = true;
    if (wanted_ == MissingDetail::count_only) continue;
    MissingMember& missing = verdict_.missing.emplace_back();
    missing.member = member;
    if (!status_.causes.empty()) missing.member.causes = chain_of(status_, member);
    const auto answer = answers_.find(member.address);
    if (answer != answers_.end() && answer->second.trouble == why) missing.unheard_before = answer->second.unheard_before;
    missing.why = std::move(why);
    if (waits_for_own_state(member)) missing.why += waits_for_itself;
  }
  if (next_ < status_.members.size()) return true;
  conclude();
  return false;
}

// A fixed list of two members does not become one of eight.
void WaitJudge::check_number() {
  const int there = static_cast<int>(status_.members.size());
  const bool is_least = options_.min_members() > 0 && (options_.members() == 0 || options_.min_members() < options_.members());
  const int wanted = is_least ? options_.min_members() : options_.members();
  if (!is_fixed_ || verdict_.lost || there >= wanted) return;
  verdict_.lost = Failure(Errc::not_ready, fmt::format("{}: it has {} {} and gets no more: {} are awaited", subject_, there,
                                                       there == 1 ? "member" : "members", wanted))
                      .with_hint(fmt::format("ask for fewer ({}), or add what the list lacks", name_of_number(is_least)));
}

// How many places no member has: those of a job do not make up for those of another.
int WaitJudge::absent_places() const {
  int absent = std::max(0, verdict_.total - static_cast<int>(status_.members.size()));
  if (options_.members() > 0) return absent;
  int lacking = 0;
  for (const JobSize& size : status_.job_sizes)
    lacking = saturating_sum(lacking, std::max(0, size.members - members_of(status_, size.job)));
  return std::max(absent, lacking);
}

void WaitJudge::conclude() {
  check_number();
  const int there = static_cast<int>(status_.members.size());
  verdict_.total = std::max({there, options_.members(), options_.min_members()});
  if (options_.members() == 0) verdict_.total = std::max(verdict_.total, status_.expected);
  const bool counts_members = includes(until_, Readiness::endpoints) || includes(until_, Readiness::reachable) ||
                              includes(until_, Readiness::devices) || options_.members() > 0 || options_.min_members() > there ||
                              !status_.job_sizes.empty();
  if (counts_members) {
    const int absent = absent_places();
    verdict_.total = std::max(verdict_.total, saturating_sum(there, absent));
    if (absent > 0) add_absent(absent);
  }
  const bool must_be_there = includes(until_, Readiness::state) || status_.members.empty() || status_.state.level == MemberState::lost;
  const bool is_there = !must_be_there || status_.state.level == MemberState::ready;
  verdict_.is_ready = !verdict_.lost && !has_missing_ && is_there;
}

// Places that the topology or the caller expects and that no member has. Each run of them is one entry, since one pod's label can cause two
// thousand million of them. Where it is known how many members each job has, its places are those; else a job without members lacks its
// first place, and the other places belong to the only job that has members.
void WaitJudge::add_absent(int absent) {
  has_missing_ = true;
  if (wanted_ == MissingDetail::count_only) return;
  const std::string why_sized = why_absent(status_, true);
  const std::string why_other = why_absent(status_, false);
  const auto has_size = [this](const std::string& job) {
    return std::any_of(status_.job_sizes.begin(), status_.job_sizes.end(),
                       [&job](const JobSize& size) { return size.job == job && size.members > 0; });
  };
  const auto add = [&](const std::string& job, int first, int count) {
    MissingMember& missing = verdict_.missing.emplace_back();
    missing.member = Member(job, first);
    missing.count = std::min(count, absent);
    missing.member.causes = chain_of_absent(status_);
    missing.why = has_size(job) ? why_sized : why_other;
    absent -= missing.count;
  };
  // The first `lacking` indices that no member of the job has.
  const auto add_gaps = [this, &absent, &add](const std::string& job, int lacking) {
    std::vector<int> taken;
    for (const Member& member : status_.members) {
      if (member.job == job) taken.push_back(member.index);
    }
    if (!std::is_sorted(taken.begin(), taken.end())) std::sort(taken.begin(), taken.end());
    int next = 0;
    for (const int index : taken) {
      if (absent == 0 || lacking == 0) return;
      if (index > next) {
        const int count = std::min(index - next, lacking);
        add(job, next, count);
        lacking -= count;
      }
      if (index == std::numeric_limits<int>::max()) return;
      next = std::max(next, index + 1);
    }
    if (absent > 0 && lacking > 0) add(job, next, lacking);
  };
  if (options_.members() == 0) {
    for (const JobSize& size : status_.job_sizes) add_gaps(size.job, std::max(0, size.members - members_of(status_, size.job)));
  }
  if (absent == 0) return;
  const std::string* const only = only_job(status_);
  for (const std::string& job : jobs_without_members(status_)) {
    if (absent > 0 && (!only || job != *only) && !has_size(job)) add(job, 0, 1);
  }
  if (absent == 0) return;
  if (!only) return add("member", verdict_.total - absent, absent);
  add_gaps(*only, absent);
}

Readiness without_probes(Readiness until) noexcept {
  Readiness kept{};
  for (const Readiness one : {Readiness::state, Readiness::health, Readiness::endpoints}) {
    if (includes(until, one)) kept = kept | one;
  }
  const bool has_probes = includes(until, Readiness::reachable) || includes(until, Readiness::devices);
  return has_probes ? kept | Readiness::endpoints : kept;
}

WaitVerdict judge_status(const ClusterStatus& status, Readiness until, const WaitOptions& options, const ProbeAnswers& answers,
                         const std::string& subject) {
  WaitJudge judge(status, until, options, answers, subject);
  while (judge.poll(status.members.size())) {
  }
  return judge.take_verdict();
}

}  // namespace rollcall
