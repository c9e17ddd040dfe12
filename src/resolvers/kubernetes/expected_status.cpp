// What a status says of the members that there must be.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/kubernetes/expected_pods.hpp"

namespace rollcall {
namespace {

constexpr std::string_view how_to_give_it = "; --members N says how many there must be";

std::string unknown_source(std::string_view why) { return fmt::format("not known: {}{}", why, how_to_give_it); }

}  // namespace

const PodPlaces* ExpectedPods::places(std::size_t selector) const {
  if (selector >= selections_.size() || scope_.options.order() == PodOrder::name) return nullptr;
  const std::optional<PodPlaces>& places = selections_[selector].places;
  return places ? &*places : nullptr;
}

// The members of each workload that makes them in stages, by the jobs of its roles.
std::map<std::string, ClusterStatus> ExpectedPods::by_roles(const ClusterStatus& status) const {
  std::map<std::string, ClusterStatus> by_workload;
  std::map<std::pair<std::string, std::string>, int> count;  // by workload and job
  const bool has_stages =
      std::any_of(selections_.begin(), selections_.end(), [](const Selection& selection) { return !selection.stages.empty(); });
  if (!has_stages) return by_workload;
  for (const Member& member : status.members) {
    for (const Selection& selection : selections_) {
      const auto stage = selection.stages.find(member.uid);
      if (stage == selection.stages.end()) continue;
      Member& one = by_workload[stage->second.first].members.emplace_back(member);
      one.job = stage->second.second;
      one.index = count[stage->second]++;
      break;
    }
  }
  return by_workload;
}

// `own`: the members of the workload, by its roles.
void ExpectedPods::add_state(ClusterStatus& status, const WorkloadChain& chain, const ClusterStatus& own, bool is_only) const {
  const bool is_named = named_.has_value();
  WorkloadState state = state_of(chain);
  const Workload* const counted = chain.counted();
  // A selector may have chosen others than those that were given up.
  if (state.cause && state.cause->code == given_up_code && counted && !is_named && status.expected < total_of(*counted)) state = {};
  if (!state.cause) {
    if (!counted) return;
    const bool is_roleless = !is_named && own.members.empty() && !status.members.empty();
    if (is_roleless) return;
    std::vector<Cause> causes = order_causes(*counted, own);
    std::move(causes.begin(), causes.end(), std::back_inserter(status.causes));
    return;
  }
  // Pods by labels may get another workload's, whose end or absence is not theirs.
  if (!is_named && state.cause->code == "Deleted") state.condition.level = MemberState::waiting;
  state.cause->is_final = state.condition.level == MemberState::lost;
  status.causes.push_back(std::move(*state.cause));
  if (!is_only) return;
  if (state.is_queued) status.phase = ClusterPhase::queued;
  if (state.condition.level >= status.state.level) status.state = std::move(state.condition);
}

void ExpectedPods::finish(ClusterStatus& status, const std::vector<int>& places) const {
  std::set<std::string> workloads;
  std::string source;
  int expected = 0;
  bool is_any_known = false;
  std::size_t next = 0;
  std::vector<JobSize> sizes;
  for (const auto& [job, selectors] : jobs_) {
    int size = 0;
    bool is_known = !selectors.empty();
    for (std::size_t i = 0; i < selectors.size(); ++i, ++next) {
      if (next >= selections_.size()) return;
      const Selection& selection = selections_[next];
      is_known = is_known && selection.size.has_value();
      is_any_known = is_any_known || selection.size.has_value() || selection.at_least > 0;
      size = saturating_sum(size, selection.size ? *selection.size : std::max(places[next], selection.at_least));
      workloads.insert(selection.workloads.begin(), selection.workloads.end());
      if (selection.size && !selection.source.empty() && source.find(selection.source) == std::string::npos)
        source += (source.empty() ? "" : "; ") + selection.source;
    }
    if (!is_known && size == 0) size = 1;  // a job without members lacks one, at least
    expected = saturating_sum(expected, size);
    const auto same = std::find_if(sizes.begin(), sizes.end(), [&job = job](const JobSize& one) { return one.job == job; });
    if (same != sizes.end()) {
      same->members = saturating_sum(same->members, size);
    } else if (is_known) {
      sizes.emplace_back(job, size);
    }
  }
  if (named_ && !by_group_) source = describe_size(*chain_.counted());
  if (!unknown_.empty()) {
    status.expected_source = printable(unknown_source(unknown_), 600);
  } else if (is_any_known) {
    status.expected_source = printable(source, 600);
  }
  if (is_any_known && (unknown_.empty() || !status.members.empty() || by_group_)) {
    status.expected = expected;
    status.job_sizes = std::move(sizes);
  }
  if (named_ && roles_.empty()) {
    status.expected = 0;
    if (chain_.counted()->stands_for) status.expected_source = unknown_source("it is not made yet");
  }
  if (named_) return add_state(status, chain_, status, true);
  const std::map<std::string, ClusterStatus> staged = by_roles(status);
  const ClusterStatus none;
  for (const std::string& uid : workloads) {
    const auto own = staged.find(uid);
    add_state(status, owners_.chain_of(uid), own == staged.end() ? none : own->second, workloads.size() == 1);
  }
}

std::vector<UnfinishedStage> ExpectedPods::unfinished_stages() const {
  std::vector<UnfinishedStage> stages;
  std::set<std::string> uids;
  if (counted()) uids.insert(counted()->uid);
  for (const Selection& selection : selections_) uids.insert(selection.workloads.begin(), selection.workloads.end());
  for (const std::string& uid : uids) {
    const WorkloadChain chain = owners_.chain_of(uid);
    const Workload* const workload = chain.counted();
    if (!workload) continue;
    std::set<std::string> names;
    for (const WorkloadRole& role : workload->roles) names.insert(role.after_end_of.begin(), role.after_end_of.end());
    for (const std::string& name : names) {
      const WorkloadRole* const role = workload->role(name);
      if (!role || role->has_ended || role->is_member || role->selector.empty()) continue;
      UnfinishedStage& stage = stages.emplace_back();
      stage.name = name;
      stage.namespace_name = workload->namespace_name;
      stage.selector = role->selector;
    }
  }
  return stages;
}

void note_unknown_number(Call& call, const ExpectedPods& expected, std::string& said) {
  const bool is_given = call.options().get<PodCallOptions>().knows_number();
  if (expected.unknown().empty() || expected.unknown() == said || is_given) return;
  said = expected.unknown();
  const Failure failure(Errc::failed_precondition, fmt::format("how many there must be, since {}{}", expected.unknown(), how_to_give_it));
  impl_of(call).emit({.kind = EventKind::omitted, .call = call.id(), .subject = "the pods", .failure = &failure});
}

void leave_out_unknown_number(Call& call, const ExpectedPods& expected, ClusterStatus& status) {
  if (!expected.unknown().empty() && call.options().get<PodCallOptions>().knows_number()) status.expected_source.clear();
}

Result<void> ExpectedPods::check_alive() const {
  ClusterStatus status;
  const std::vector<int> places(selections_.size(), 0);
  finish(status, places);
  if (status.state.level != MemberState::lost) return {};
  return Failure(Errc::not_ready, status.state.text).with_hint("start it again; rollcall why says more");
}

Result<void> ExpectedPods::check_complete(const ClusterSpec& spec) const {
  ClusterStatus status;  // with places for members, so that what holds up the others is found
  std::vector<int> places;
  std::size_t members = 0;
  for (const ClusterSpec::Job& job : spec.job_list()) members += job.tasks.size();
  status.members.reserve(members);
  for (const std::string& job : spec.jobs()) {
    status.jobs.push_back(job);
    for (const int task : spec.task_indices(job).value()) status.members.emplace_back(job, task);
  }
  for (std::size_t i = 0; i < selections_.size(); ++i) places.push_back(0);
  finish(status, places);
  std::string missing;
  for (const JobSize& size : status.job_sizes) {
    const auto there =
        std::count_if(status.members.begin(), status.members.end(), [&size](const Member& one) { return one.job == size.job; });
    if (there < size.members && missing.empty()) missing = fmt::format("{} of {} of job {}", there, size.members, quoted(size.job, 80));
  }
  const bool is_held = named_ && status.state.level != MemberState::ready;
  if (missing.empty() && !is_held) return {};
  std::string what = missing.empty() ? status.state.text : fmt::format("there are {} ({})", missing, status.expected_source);
  if (!missing.empty() && !status.causes.empty()) what += fmt::format(": {} {}", status.causes.front().object, status.causes.front().text);
  return Failure(Errc::not_ready, std::move(what)).with_hint("rollcall wait waits until all are there");
}

}  // namespace rollcall
