// What one answer of slurmrestd is made of: the cluster at a time, and the records that the answer shows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/slurm/restd_record.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// What the jobs on a node take of it.
struct RestdLoad {
  int cpus = 0;
  int memory = 0;
  std::map<std::string, int, std::less<>> gres;  // number by name and type, gpu:h100
  bool is_completing = false;
};

struct RestdView {
  const Context& context;
  const SlurmClusterModel& cluster;
  RestdShape shape;

  std::int64_t seconds(Duration since_start) const;  // since 1970
};

/// The state of a job now; null: Slurm does not know it yet, or has forgotten it.
const SlurmJobMoment* restd_job_at(const RestdView& view, const SlurmJobModel& job);
/// The last change of any job, or of any node, until now.
Duration restd_last_change(const RestdView& view, bool is_of_nodes);

json::object restd_job(const RestdView& view, const SlurmJobModel& job, const SlurmJobMoment& moment);
/// Base and flags of a job.
std::vector<std::string> restd_job_states(const SlurmJobMoment& moment);

/// The nodes that jobs are on.
std::map<std::string, RestdLoad, std::less<>> restd_loads(const RestdView& view);
json::object restd_node(const RestdView& view, const SlurmNodeModel& node, const RestdLoad* load);
json::object restd_partition(const RestdView& view, const SlurmPartitionModel& partition);
json::object restd_reservation(const RestdView& view, const SlurmReservationModel& reservation);

/// `gpu:h100` and the number of each entry of `gres/gpu:h100:8,gres/gpu=2`, as jobs ask for it or nodes have it.
std::vector<std::pair<std::string, int>> restd_gres(std::string_view text);
/// What a job has of each of its nodes.
std::vector<std::pair<std::string, int>> restd_gres_of_node(const SlurmJobModel& job);
/// A host list, as Slurm writes it.
std::string restd_hosts(const std::vector<std::string>& hosts);
/// `gpu:h100:8(IDX:0-7)`.
std::string restd_gres_used(std::string_view name, int count);

}  // namespace rollcall::sim
