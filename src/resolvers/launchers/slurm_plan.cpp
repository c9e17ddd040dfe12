#include "resolvers/launchers/slurm_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.hpp"
#include "resolvers/launchers/slurm_gpus.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr int max_tasks = 1'048'576;
constexpr int max_gpus = 65'536;

Failure slurm_argument(std::string what) { return Failure(Errc::invalid_argument, "slurm: " + std::move(what)); }
Failure slurm_mismatch(std::string what) { return Failure(Errc::failed_precondition, "slurm: " + std::move(what)); }

Result<void> check_slurm_number(std::string_view name, std::optional<int> value, int low, int high) {
  if (!value || (*value >= low && *value <= high)) return Result<void>();
  return slurm_argument(fmt::format("{} is {}, not {} to {}", name, *value, low, high));
}

Result<void> check_slurm_options(const SlurmOptions& options) {
  Result<void> fine = check_slurm_number("port", options.port(), 1, 65535);
  if (fine) fine = check_slurm_number("gpus_per_node", options.gpus_per_node(), 0, max_gpus);
  if (fine) fine = check_slurm_number("gpus_per_task", options.gpus_per_task(), 0, max_gpus);
  if (!options.jobs()) return fine;
  for (const auto& [name, count] : *options.jobs()) {
    if (fine) fine = check_slurm_number(fmt::format("the number of tasks of job {}", quoted(name)), count, 0, max_tasks);
  }
  return fine;
}

Result<SlurmOptions::Jobs> slurm_jobs(const SlurmOptions& options, const Environment& environment) {
  if (options.jobs()) return *options.jobs();
  const Result<int> tasks = slurm_number(environment, "SLURM_STEP_NUM_TASKS", max_tasks);
  if (!tasks) return tasks.error();
  SlurmOptions::Jobs jobs;
  jobs.emplace("worker", *tasks);
  return jobs;
}

Failure not_a_task(std::string_view words) {
  return slurm_mismatch(fmt::format("this process is {}, none of the tasks of a step", words)).with_hint("start it by srun");
}

Result<void> place_slots(const SlurmOptions& options, const std::vector<std::size_t>& ranks, SlurmPlan& plan) {
  std::vector<int> used(plan.nodes.size(), 0);
  for (const std::size_t node : ranks) {
    SlurmPlan::Slot slot;
    slot.node = node;
    slot.index = used[node]++;
    const int port = options.port() + slot.index;
    if (port > 65535) {
      return slurm_argument(
                 fmt::format("task {} on {} would have port {}, more than 65535", slot.index, quoted(plan.nodes[node].host), port))
          .with_hint("choose a smaller port");
    }
    slot.address = Endpoint(plan.nodes[node].host, static_cast<std::uint16_t>(port)).to_text();
    plan.slots.push_back(std::move(slot));
  }
  return Result<void>();
}

// The GPUs of a task. Upstream divides what this task sees by the most tasks of a node, also where Slurm gives each task its own.
Result<void> plan_gpus(const SlurmOptions& options, const SlurmGpus& gpus, SlurmPlan& plan) {
  int max = 0;
  for (const SlurmNode& node : plan.nodes) max = std::max(max, node.tasks);
  const Result<int> counted = gpus.upstream_count();
  if (!options.gpus_per_node() && !counted) return counted.error();
  int per_node = options.gpus_per_node() ? *options.gpus_per_node() : *counted;
  plan.gpus_per_task = per_node / std::max(max, 1);
  if (options.order() == SlurmOrder::rank && !options.gpus_per_node() && plan.rank < static_cast<int>(plan.slots.size())) {
    const int tasks = plan.nodes[plan.slots[static_cast<std::size_t>(plan.rank)].node].tasks;
    plan.gpus_per_task = gpus.of_task(tasks).value_or(0);
    plan.has_own_gpus = tasks > 1 && !gpus.is_shared(tasks);
    per_node = gpus.on_node.value_or(per_node);
  }
  if (!options.gpus_per_task()) return {};
  plan.gpus_per_task = *options.gpus_per_task();
  if (std::int64_t{max} * plan.gpus_per_task <= per_node) return {};
  return slurm_mismatch(
             fmt::format("{} tasks on a node with {} GPUs each are more than the {} GPUs of a node", max, plan.gpus_per_task, per_node))
      .with_hint("set gpus_per_node or gpus_per_task; 0 for none");
}

Result<SlurmPlan> plan_allocation(const SlurmOptions& options, const SlurmProcess& process, const Environment& environment,
                                  const SlurmGpus& gpus) {
  SlurmPlan plan;
  plan.outside = process.words;
  const bool is_for_step = options.jobs() || !std::holds_alternative<std::monostate>(options.tasks_per_node());
  if (is_for_step) return not_a_task(plan.outside);
  Result<std::vector<SlurmNode>> nodes = slurm_allocation(options, environment);
  if (!nodes) return nodes.error();
  plan.nodes = *std::move(nodes);
  std::vector<std::size_t> ranks;
  for (std::size_t node = 0; node < plan.nodes.size(); ++node) ranks.push_back(node);
  const Result<void> placed = place_slots(options, ranks, plan);
  if (!placed) return placed.error();
  plan.gpus_per_task = options.gpus_per_task().value_or(options.gpus_per_node().value_or(gpus.of_task(1).value_or(0)));
  plan.jobs.push_back({"worker", 0, static_cast<int>(plan.slots.size())});
  return plan;
}

}  // namespace

Result<SlurmPlan> plan_slurm(const SlurmOptions& options, const Environment& environment, const SlurmGpus& gpus,
                             const SlurmHostFile& file) {
  SlurmPlan plan;
  const Result<void> fine = check_slurm_options(options);
  if (!fine) return fine.error();
  const Result<SlurmProcess> process = find_slurm_process(environment);
  if (!process) return process.error();
  if (process->role == SlurmRole::allocation) return plan_allocation(options, *process, environment, gpus);
  const Result<int> rank = slurm_number(environment, "SLURM_PROCID", max_tasks);
  if (!rank) return rank.error();
  plan.rank = *rank;
  const Result<SlurmOptions::Jobs> jobs = slurm_jobs(options, environment);
  if (!jobs) return jobs.error();
  Result<std::vector<SlurmNode>> nodes = slurm_nodes(options, environment);
  if (!nodes) return nodes.error();
  plan.nodes = *std::move(nodes);
  std::int64_t tasks = 0;
  for (const SlurmNode& node : plan.nodes) tasks += node.tasks;
  std::int64_t wanted = 0;
  for (const auto& [name, count] : *jobs) wanted += count;
  if (wanted != tasks) {
    return slurm_mismatch(fmt::format("the jobs have {} tasks, the nodes {}", wanted, tasks))
        .with_hint(
            "the numbers of jobs= (or SLURM_STEP_NUM_TASKS) and of tasks_per_node= (or SLURM_STEP_TASKS_PER_NODE) must add up to the same");
  }
  if (tasks > max_tasks) return Failure(Errc::limit_exceeded, fmt::format("slurm: {} tasks, more than {}", tasks, max_tasks));
  const Result<std::vector<std::size_t>> ranks = slurm_ranks(options.order(), plan.nodes, environment, file);
  if (!ranks) return ranks.error();
  const Result<void> placed = place_slots(options, *ranks, plan);
  if (!placed) return placed.error();
  const Result<void> counted = plan_gpus(options, gpus, plan);
  if (!counted) return counted.error();
  if (options.order() == SlurmOrder::rank) {
    const Result<void> checked = check_slurm_place(plan, environment);
    if (!checked) return checked.error();
  }
  int first = 0;
  for (const auto& [name, count] : *jobs) {
    plan.jobs.push_back({name, first, count});
    first += count;
  }
  return plan;
}

ClusterSpec SlurmPlan::cluster() const {
  ClusterSpec spec;
  for (const Job& job : jobs) {
    std::vector<std::string> addresses;
    for (int i = 0; i < job.count; ++i) addresses.push_back(slots[static_cast<std::size_t>(job.first + i)].address);
    spec.set_job(job.name, std::move(addresses));
  }
  return spec;
}

Result<SlurmTask> SlurmPlan::task() const {
  if (!outside.empty()) return not_a_task(outside);
  for (const Job& job : jobs) {
    if (rank < job.first || rank >= job.first + job.count) continue;
    const Slot& slot = slots[static_cast<std::size_t>(rank)];
    SlurmTask task;
    task.task_type = job.name;
    task.task_id = rank - job.first;
    task.address = slot.address;
    for (int i = 0; i < gpus_per_task; ++i) task.gpus.push_back((has_own_gpus ? 0 : slot.index * gpus_per_task) + i);
    return task;
  }
  return slurm_mismatch(fmt::format("SLURM_PROCID is {}, but the jobs have {} tasks", rank, slots.size()));
}

}  // namespace rollcall
