#include "rollcall/cluster_verdict.hpp"

#include <utility>

#include "readiness/wait_judge.hpp"

namespace rollcall {

ClusterVerdict judge_cluster(ClusterStatus status, Readiness until, int members, const std::string& subject) {
  WaitVerdict judged = judge_status(status, without_probes(until), WaitOptions().members(members), {}, subject);
  ClusterVerdict verdict;
  verdict.is_ready = judged.is_ready;
  verdict.lost = std::move(judged.lost);
  verdict.progress.status = std::move(status);
  verdict.progress.ready = judged.ready;
  verdict.progress.listed = judged.listed;
  verdict.progress.total = judged.total;
  verdict.progress.missing = std::move(judged.missing);
  return verdict;
}

}  // namespace rollcall
