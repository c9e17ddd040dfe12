// The status of a job: its nodes as members, in the order of Slurm's node list.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "resolvers/slurm/rules/slurm_gres.hpp"
#include "resolvers/slurm/rules/slurm_job_size.hpp"
#include "resolvers/slurm/rules/slurm_reference.hpp"
#include "resolvers/slurm/rules/slurm_view.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/host_list.hpp"

namespace rollcall {
namespace {

constexpr std::size_t small_job = 8;  // nodes that are asked for one by one

Result<std::vector<std::string>> nodes_of_job(const SlurmJobRecord& job) {
  Result<std::vector<std::string>> nodes = expand_host_list(job.nodes);
  if (nodes) return nodes;
  Failure failure = nodes.error();
  failure.with_what(fmt::format("the nodes of Slurm job {}: {}", slurm_job_text(job), failure.what()));
  return failure;
}

// What the batch job is doing, in Slurm's words.
std::string job_words(const SlurmJobRecord& job) {
  if (job.is_over()) return slurm_end_words(job);
  std::string words = printable(fmt::format("{}", fmt::join(job.states, "+")), 80);
  if (job.reason == "Prolog") words += " (Prolog)";
  return words;
}

Condition condition_of_job(const SlurmJobRecord& job) {
  if (job.is_over()) return Condition(MemberState::lost, job_words(job));
  if (job.is_ending())
    return Condition(MemberState::waiting,
                     job_words(job) + ": it has stopped running, and whether it is over or requeued shows after that");
  if (job.base() == "SUSPENDED" || job.is("STOPPED")) return Condition(MemberState::stopped, job_words(job));
  return Condition(slurm_job_runs(job) ? MemberState::ready : MemberState::waiting, job_words(job));
}

// The node's own state counts while the job runs on it.
void add_node(const SlurmNodeRecord& node, const SlurmJobRecord& job, Member& member) {
  const std::string words = slurm_node_words(node);
  if (words.empty() || job.is_over()) return;
  const bool is_down = node.is("DOWN") || node.is("ERROR") || node.is("FUTURE") || node.is("UNKNOWN");
  const bool is_silent = node.is("NOT_RESPONDING");  // one that boots, too
  const bool is_booting = node.is("POWERING_UP") || node.is("POWER_UP");
  const std::string story = slurm_node_story(node);
  if (is_down) {
    member.state = Condition(MemberState::lost, story);
  } else if (is_silent || is_booting) {
    member.state = Condition(std::max(member.state.level, MemberState::waiting), story);
  } else {
    member.state.text += ", node " + story;  // it runs on
  }
  Cause cause(CauseLayer::node, printable(fmt::format("{}", fmt::join(node.states, "+")), 80), story, "node " + printable(node.name, 80));
  if (!is_booting) cause.since = node.reason_at;
  member.causes.push_back(std::move(cause));
}

std::optional<Accelerators> gpus_of_node(const SlurmJobRecord& job, std::size_t index, std::size_t count) {
  if (job.gres_detail.size() == count) return slurm_gpus_of(parse_slurm_gres(job.gres_detail[index]), "GRES of the Slurm job");
  const std::vector<SlurmGres> each = parse_slurm_gres(job.tres_per_node);
  if (!each.empty()) return slurm_gpus_of(each, "TRES per node of the Slurm job");
  return std::nullopt;
}

class SlurmStatusMaker {
 public:
  SlurmStatusMaker(const SlurmView& view, const SlurmStatusOptions& options) : view_(view), options_(options) {
    for (const SlurmNodeRecord& node : view.nodes) nodes_.emplace(node.name, &node);
  }

  Result<ClusterStatus> make() {
    status_.jobs.push_back(options_.job_name);
    const SlurmJobRecord& first = view_.jobs.front();
    for (const SlurmJobRecord& job : view_.jobs) {
      const Result<void> added = add(job);
      if (!added) return added.error();
    }
    status_.expected = expected_;
    status_.job_sizes.emplace_back(options_.job_name, expected_);
    status_.expected_source = view_.jobs.size() == 1 ? "Slurm job " + slurm_job_text(first)
                                                     : fmt::format("Slurm job {}, {} components", first.het_job, view_.jobs.size());
    return std::move(status_);
  }

 private:
  Result<void> add(const SlurmJobRecord& job) {
    if (job.is_pending()) {
      add_pending(job);
      return {};
    }
    const Result<std::vector<std::string>> nodes = nodes_of_job(job);
    if (!nodes) return nodes.error();
    const Condition condition = condition_of_job(job);
    take_state(condition);
    if (condition.level == MemberState::waiting && status_.phase == ClusterPhase::running) status_.phase = ClusterPhase::provisioning;
    for (std::size_t i = 0; i < nodes->size(); ++i) add_member(job, (*nodes)[i], i, nodes->size(), condition);
    expected_ += std::max(static_cast<int>(nodes->size()), job.is_over() ? 0 : job.node_count);
    if (job.is_over()) add_end(job);
    add_notices(job);
    return {};
  }

  void add_pending(const SlurmJobRecord& job) {
    SlurmWait wait = explain_slurm_wait(job, view_);
    status_.phase = ClusterPhase::queued;
    expected_ += std::max(job.node_count, 1);
    take_state(wait.condition);
    for (Cause& cause : wait.causes) status_.causes.push_back(std::move(cause));
  }

  // Of several components the worst counts, with its words.
  void take_state(const Condition& condition) {
    if (is_first_ || condition.level > status_.state.level) status_.state = condition;
    is_first_ = false;
  }

  void add_member(const SlurmJobRecord& job, const std::string& name, std::size_t index, std::size_t count, const Condition& condition) {
    Member& member = status_.members.emplace_back(options_.job_name, static_cast<int>(status_.members.size()));
    member.name = printable(name, 255);
    member.host = member.name;
    member.uid = fmt::format("{}.{}", job.id, job.restarts);  // a requeued job runs again, perhaps on the same nodes
    member.state = condition;
    const SlurmNodeRecord* const node = find_node(name);
    std::string host = name;
    if (options_.uses_node_addr) host = node ? node->address : std::string();
    if (!host.empty() && condition.level != MemberState::lost) member.address = Endpoint(std::move(host), options_.port).to_text();
    if (const std::optional<Accelerators> gpus = gpus_of_node(job, index, count)) member.accelerators = *gpus;
    if (job.het_job != 0) member.part = part_of(job, index, count);
    if (node) add_node(*node, job, member);
  }

  const SlurmNodeRecord* find_node(const std::string& name) const {
    if (view_.all_nodes) return view_.all_nodes->find(name);
    const auto found = nodes_.find(name);
    return found == nodes_.end() ? nullptr : found->second;
  }

  MemberPart part_of(const SlurmJobRecord& job, std::size_t index, std::size_t count) const {
    MemberPart part("component", job.het_offset, view_.jobs.size() > 1 ? static_cast<int>(view_.jobs.size()) : 0);
    part.member = static_cast<int>(index);
    part.members = static_cast<int>(count);
    part.name = slurm_job_text(job);
    return part;
  }

  void add_end(const SlurmJobRecord& job) {
    std::string text = slurm_end_words(job);
    if (!job.output.empty() && job.output != "/dev/null") text += "; its output: " + printable(job.output, 200);
    Cause cause(CauseLayer::workload, printable(job.states.front(), 80), std::move(text), "Slurm job " + slurm_job_text(job));
    cause.since = job.end;
    cause.is_final = true;
    status_.causes.push_back(std::move(cause));
  }

  // Announced once the end is near, so that the text of a status changes only then.
  void add_notices(const SlurmJobRecord& job) {
    constexpr Duration soon = std::chrono::minutes(10);
    if (job.base() != "RUNNING" || job.is_over() || !job.end || *job.end <= view_.now || *job.end - view_.now > soon) return;
    const std::string subject = "Slurm job " + slurm_job_text(job);
    const bool is_preempted = job.preempted && *job.preempted <= view_.now;
    if (is_preempted) {
      status_.notices.emplace_back(NoticeKind::preemption, subject, "it is preempted, and ends at " + format_rfc3339(*job.end));
    } else if (job.time_limit) {
      status_.notices.emplace_back(NoticeKind::preemption, subject, "it reaches its time limit at " + format_rfc3339(*job.end));
    }
  }

  const SlurmView& view_;
  const SlurmStatusOptions& options_;
  std::unordered_map<std::string_view, const SlurmNodeRecord*> nodes_;
  ClusterStatus status_;
  int expected_ = 0;
  bool is_first_ = true;
};

}  // namespace

std::string slurm_end_words(const SlurmJobRecord& job) {
  std::string words = printable(fmt::format("{}", fmt::join(job.states, "+")), 80);
  if (job.signal != 0) {
    words += fmt::format(", signal {}", job.signal);
  } else if (job.exit_code != 0) {
    words += fmt::format(", exit code {}", job.exit_code);
  }
  // Of a job that was cancelled while it waited, the reason is still that of its wait.
  constexpr std::string_view of_ends[] = {"NodeDown",      "JobLaunchFailure", "OutOfMemory",    "SystemFailure",
                                          "InactiveLimit", "DeadLine",         "BadConstraints", "ReservationDeleted"};
  const bool is_of_end =
      std::find(std::begin(of_ends), std::end(of_ends), job.reason) != std::end(of_ends) || job.reason.starts_with("RaisedSignal");
  if (is_of_end) words += ": " + printable(job.description.empty() ? job.reason : job.description, 200);
  return words;
}

Result<SlurmNeeds> slurm_needs(const std::vector<SlurmJobRecord>& jobs) {
  SlurmNeeds needs;
  for (const SlurmJobRecord& job : jobs) {
    if (job.is_over()) continue;
    if (!job.is_pending()) {
      Result<std::vector<std::string>> nodes = nodes_of_job(job);
      if (!nodes) return nodes.error();
      needs.nodes.insert(needs.nodes.end(), nodes->begin(), nodes->end());
      continue;
    }
    const std::string_view reason = job.reason;
    const bool is_of_order = reason.starts_with("Dependency") || (reason == "BeginTime" && job.restarts == 0) || reason == "Licenses" ||
                             reason == "JobArrayTaskLimit" || reason.starts_with("QOS") || reason.starts_with("Assoc") ||
                             reason.starts_with("Partition");
    const bool is_held = reason.starts_with("JobHeld") && job.description.empty();
    if (!is_of_order && !is_held) {
      needs.all_nodes = true;
      needs.partitions.insert(job.partitions.begin(), job.partitions.end());
    }
    if (reason == "ReqNodeNotAvail" || reason.starts_with("Reservation")) needs.reservations = true;
    if (reason.starts_with("Partition")) needs.partitions.insert(job.partitions.begin(), job.partitions.end());
    if (reason.starts_with("Dependency")) needs.jobs.merge(slurm_dependencies(job.dependency));
  }
  if (needs.nodes.size() > small_job) needs.all_nodes = true;
  if (needs.all_nodes) needs.nodes.clear();
  return needs;
}

Result<ClusterStatus> slurm_status(const SlurmView& view, const SlurmStatusOptions& options) {
  return SlurmStatusMaker(view, options).make();
}

}  // namespace rollcall
