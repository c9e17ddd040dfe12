// The section `slurm` of a simulation file while it is read.
#pragma once

#include <set>

#include "sim/file/file.hpp"

namespace rollcall::sim {

inline constexpr std::size_t max_slurm_nodes = 50'000;
inline constexpr std::size_t max_slurm_jobs = 50'000;

// An entry of `jobs`, and one of its timeline. What is absent follows from the state.
struct SlurmJobChange {
  SlurmJobMoment moment;
  std::optional<std::string> state;
  std::optional<std::string> reason;
  std::optional<std::string> description;
  std::optional<int> exit_code;
  std::optional<int> signal;
};

struct SlurmDraft {
  SlurmClusterModel cluster;
  std::set<std::string, std::less<>> node_names;
  std::set<std::uint64_t> job_ids;
};

void read_slurm_job(SlurmDraft& draft, const FileValue& value);
void describe_slurm_job(FileSections& out);
void read_slurm_nodes(SlurmDraft& draft, const FileValue& value);
void describe_slurm_nodes(FileSections& out);

/// Each host of a list, at most `max_slurm_nodes`. Reports a list that cannot be expanded.
std::vector<std::string> read_slurm_hosts(const std::string& list, const FileValue& value);

}  // namespace rollcall::sim
