#include "resolvers/launchers/slurm_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.hpp"
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

Result<void> place_slots(const SlurmOptions& options, const std::vector<SlurmNode>& nodes, const std::vector<std::size_t>& ranks,
                         SlurmPlan& plan) {
  std::vector<int> used(nodes.size(), 0);
  for (const std::size_t node : ranks) {
    SlurmPlan::Slot slot;
    slot.index = used[node]++;
    const int port = options.port() + slot.index;
    if (port > 65535) {
      return slurm_argument(fmt::format("task {} on {} would have port {}, more than 65535", slot.index, quoted(nodes[node].host), port))
          .with_hint("choose a smaller port");
    }
    slot.address = Endpoint(nodes[node].host, static_cast<std::uint16_t>(port)).to_text();
    plan.slots.push_back(std::move(slot));
  }
  return Result<void>();
}

}  // namespace

Result<int> count_slurm_gpus(const Environment& environment) {
  if (const auto visible = environment.get("CUDA_VISIBLE_DEVICES")) {
    const auto commas = std::count(visible->begin(), visible->end(), ',');
    if (commas >= max_gpus) return slurm_argument("CUDA_VISIBLE_DEVICES has too many fields");
    return static_cast<int>(commas) + 1;
  }
  if (!environment.get("SLURM_GPUS_ON_NODE")) return 0;
  return slurm_number(environment, "SLURM_GPUS_ON_NODE", max_gpus);
}

Result<SlurmPlan> plan_slurm(const SlurmOptions& options, const Environment& environment, const Result<int>& gpus_per_node) {
  SlurmPlan plan;
  const Result<void> fine = check_slurm_options(options);
  if (!fine) return fine.error();
  const Result<int> rank = slurm_number(environment, "SLURM_PROCID", max_tasks);
  if (!rank) return rank.error();
  plan.rank = *rank;
  const Result<SlurmOptions::Jobs> jobs = slurm_jobs(options, environment);
  if (!jobs) return jobs.error();
  Result<std::vector<SlurmNode>> nodes = slurm_nodes(options, environment);
  if (!nodes) return nodes.error();

  int max = 0;
  std::int64_t tasks = 0;
  for (const SlurmNode& node : *nodes) {
    max = std::max(max, node.tasks);
    tasks += node.tasks;
  }
  if (!options.gpus_per_node() && !gpus_per_node) return gpus_per_node.error();
  const int per_node = options.gpus_per_node() ? *options.gpus_per_node() : *gpus_per_node;
  plan.gpus_per_task = options.gpus_per_task().value_or(per_node / std::max(max, 1));
  if (std::int64_t{max} * plan.gpus_per_task > per_node) {
    return slurm_mismatch(
               fmt::format("{} tasks on a node with {} GPUs each are more than the {} GPUs of a node", max, plan.gpus_per_task, per_node))
        .with_hint("set gpus_per_node or gpus_per_task; 0 for none");
  }
  std::int64_t wanted = 0;
  for (const auto& [name, count] : *jobs) wanted += count;
  if (wanted != tasks) {
    return slurm_mismatch(fmt::format("the jobs have {} tasks, the nodes {}", wanted, tasks))
        .with_hint(
            "the numbers of jobs= (or SLURM_STEP_NUM_TASKS) and of tasks_per_node= (or SLURM_STEP_TASKS_PER_NODE) must add up to the same");
  }
  if (tasks > max_tasks) return Failure(Errc::limit_exceeded, fmt::format("slurm: {} tasks, more than {}", tasks, max_tasks));
  const Result<std::vector<std::size_t>> ranks = slurm_ranks(options.order(), *nodes, environment);
  if (!ranks) return ranks.error();
  const Result<void> placed = place_slots(options, *nodes, *ranks, plan);
  if (!placed) return placed.error();
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
  for (const Job& job : jobs) {
    if (rank < job.first || rank >= job.first + job.count) continue;
    const Slot& slot = slots[static_cast<std::size_t>(rank)];
    SlurmTask task;
    task.task_type = job.name;
    task.task_id = rank - job.first;
    task.address = slot.address;
    for (int i = 0; i < gpus_per_task; ++i) task.gpus.push_back(slot.index * gpus_per_task + i);
    return task;
  }
  return slurm_mismatch(fmt::format("SLURM_PROCID is {}, but the jobs have {} tasks", rank, slots.size()));
}

}  // namespace rollcall
