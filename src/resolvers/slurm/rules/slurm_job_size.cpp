#include "resolvers/slurm/rules/slurm_job_size.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "resolvers/slurm/rules/slurm_gres.hpp"

namespace rollcall {
namespace {

std::vector<SlurmGres> times(std::vector<SlurmGres> list, int factor) {
  constexpr std::int64_t most = 1'000'000'000;
  for (SlurmGres& one : list) one.count = static_cast<int>(std::min<std::int64_t>(std::int64_t{one.count} * std::max(factor, 1), most));
  return list;
}

}  // namespace

std::optional<Accelerators> slurm_gpus_of_job(const SlurmJobRecord& job) {
  std::vector<SlurmGres> all;
  for (const std::string& node : job.gres_detail) {
    std::vector<SlurmGres> one = parse_slurm_gres(node);
    all.insert(all.end(), one.begin(), one.end());
  }
  if (!all.empty()) return slurm_gpus_of(all, "GRES of the Slurm job");
  if (!job.tres_per_node.empty())
    return slurm_gpus_of(times(parse_slurm_gres(job.tres_per_node), job.node_count), "TRES per node of the Slurm job");
  if (!job.tres_per_task.empty() && job.tasks > 0)
    return slurm_gpus_of(times(parse_slurm_gres(job.tres_per_task), job.tasks), "TRES per task of the Slurm job");
  if (!job.tres_per_task.empty()) return std::nullopt;
  return slurm_gpus_of(parse_slurm_gres(job.tres_per_job), "TRES of the Slurm job");
}

std::string why_no_slurm_gpus(const std::vector<SlurmJobRecord>& jobs) {
  bool is_known = true;
  bool is_pending = false;
  std::int64_t count = 0;
  for (const SlurmJobRecord& job : jobs) {
    const std::optional<Accelerators> gpus = slurm_gpus_of_job(job);
    is_known = is_known && gpus;
    if (gpus) count += gpus->count;
    is_pending = is_pending || job.is_pending();
  }
  if (!is_pending) return is_known && count == 0 ? "has no GPUs from Slurm" : "";
  if (!is_known) return "waits for its nodes";
  return count == 0 ? "waits for its nodes, and asks for no GPUs" : fmt::format("waits for its nodes; it asks for {} GPUs", count);
}

bool slurm_job_runs(const SlurmJobRecord& job) {
  const bool is_coming_up = job.is("CONFIGURING") || job.is("POWER_UP_NODE") || job.reason == "Prolog";
  return job.base() == "RUNNING" && !job.is_over() && !is_coming_up && !job.is("STOPPED");
}

}  // namespace rollcall
