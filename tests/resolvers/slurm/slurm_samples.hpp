// Answers of real Slurms of three versions: tests/samples/slurm.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "resolvers/slurm/rules/slurm_view.hpp"
#include "resolvers/slurm/wire/slurm_list_feed.hpp"
#include "support/parse_result.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

inline const std::vector<std::string>& slurm_versions() {
  static const std::vector<std::string> versions = {"22.05", "24.11", "26.05"};
  return versions;
}

template <class Record>
std::vector<Record> read_slurm_sample(const std::string& version, const std::string& name, const std::string& key,
                                      Record (*read)(const SlurmObject&)) {
  const std::string text = read_sample("slurm/" + version + "/" + name + ".json");
  return value_of(read_slurm_text<Record>("the sample", key, text, read, ParseLimits()));
}

inline std::vector<SlurmJobRecord> slurm_jobs_of(const std::string& version, const std::string& name) {
  return read_slurm_sample<SlurmJobRecord>(version, name, "jobs", read_slurm_job);
}

inline SlurmJobRecord slurm_job_of(const std::vector<SlurmJobRecord>& jobs, std::int64_t id) {
  const auto found = std::find_if(jobs.begin(), jobs.end(), [id](const SlurmJobRecord& job) { return job.id == id; });
  if (found == jobs.end()) FAIL("no job " << id);
  return *found;
}

inline SlurmJobRecord slurm_job_named(const std::vector<SlurmJobRecord>& jobs, const std::string& name) {
  const auto found = std::find_if(jobs.begin(), jobs.end(), [&name](const SlurmJobRecord& job) { return job.name == name; });
  if (found == jobs.end()) FAIL("no job " << name);
  return *found;
}

/// What Slurm said at the time of `jobs.pending.json`, and its job of that name.
inline SlurmView slurm_view_of(const std::string& version, const std::string& name) {
  SlurmView view;
  view.jobs.push_back(slurm_job_named(slurm_jobs_of(version, "jobs.pending"), name));
  view.nodes = read_slurm_sample<SlurmNodeRecord>(version, "nodes", "nodes", read_slurm_node);
  if (version != "26.05") view.partitions = read_slurm_sample<SlurmPartition>(version, "partitions", "partitions", read_slurm_partition);
  view.reservations = read_slurm_sample<SlurmReservation>(version, "reservations", "reservations", read_slurm_reservation);
  view.now = WallTime(std::chrono::seconds(1'795'699'700));
  return view;
}

}  // namespace rollcall::testing
