// The jobs of one call that asks for several of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "call/single_flight.hpp"
#include "resolvers/slurm/rules/slurm_known_jobs.hpp"
#include "resolvers/slurm/slurm_source.hpp"

namespace rollcall {

/// What is asked for in one call.
class SlurmRound {
 public:
  std::set<std::int64_t> wanted;
  bool is_gathered = false;
  bool is_done = false;
  SingleFlight<bool> flight;
  SingleFlight<SlurmNodesPointer> nodes_flight;
  std::map<std::int64_t, SingleFlight<bool>> late;  // jobs that others wait for
};

class SlurmRounds {
 public:
  std::map<const void*, std::shared_ptr<SlurmRound>> of_table;
};

/// Takes those of a list of all jobs that are wanted.
class WantedJobs final : public SlurmJobTaker {
 public:
  explicit WantedJobs(const std::vector<std::int64_t>& ids) : ids_(ids.begin(), ids.end()) {}
  void restart() override { found.clear(); }
  std::size_t take(SlurmJobRecord job) override {
    std::size_t kept = 0;
    const std::set<std::int64_t> numbers{job.id, job.array_job.value_or(0), job.het_job};
    for (const std::int64_t id : numbers) {
      if (id == 0 || !ids_.contains(id)) continue;
      found[id].push_back(job);
      kept += 2 * sizeof(SlurmJobRecord);
    }
    return kept;
  }

  std::map<std::int64_t, std::vector<SlurmJobRecord>> found;

 private:
  std::set<std::int64_t> ids_;
};

}  // namespace rollcall
