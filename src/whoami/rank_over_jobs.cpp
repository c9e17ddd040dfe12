#include "whoami/rank_over_jobs.hpp"

#include <algorithm>

namespace rollcall {
namespace {

bool leads(const ClusterSpec::Job& job) { return job.name == "chief" || job.name == "master"; }

}  // namespace

std::optional<std::size_t> other_place_over_jobs(const Testimony& said, const std::vector<const ClusterSpec::Job*>& jobs,
                                                 std::size_t place) {
  if (said.rank_name != "RANK" && said.rank_name != "JAX_PROCESS_ID") return std::nullopt;
  const auto is_unranked = [](const ClusterSpec::Job* job) { return job->name == "ps" || job->name == "evaluator"; };
  if (std::any_of(jobs.begin(), jobs.end(), is_unranked)) return std::nullopt;
  std::vector<std::size_t> by_rank;  // the places in the list, leaders first
  for (const bool is_leader : {true, false}) {
    std::size_t at = 0;
    for (const ClusterSpec::Job* const job : jobs) {
      for (std::size_t i = 0; i < job->tasks.size(); ++i, ++at) {
        if (leads(*job) == is_leader) by_rank.push_back(at);
      }
    }
  }
  const auto rank = static_cast<std::size_t>(*said.rank);
  if (rank >= by_rank.size() || rank == place || by_rank[rank] == place) return std::nullopt;
  return by_rank[rank];
}

}  // namespace rollcall
