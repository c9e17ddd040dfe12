// What is said of a cluster's tasks beside their numbers: names by which a machine knows itself, the parts of a job, its ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_spec.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/whoami.hpp"
#include "whoami/own_index.hpp"

namespace rollcall {

/// Refers to the members, which must outlive it.
class TaskMembers {
 public:
  explicit TaskMembers(const std::vector<Member>& members);

  /// Null: nothing is known of the task.
  const Member* find(const ClusterSpec::Job& job, int index) const { return members_.find(job.name, index); }
  /// The member's own name and, for a pod of a Job, the host name that the pod has; none where several members share the name.
  std::vector<std::string> names_of(const ClusterSpec::Job& job, int index) const;
  /// The number of parts that the job's tasks belong to; 0: not known.
  std::size_t parts_of(const ClusterSpec::Job& job) const;

 private:
  MemberTable members_;
  std::set<std::string_view> unique_names_;
};

/// `job jax-node-1`, `slice 1`. Safe to print.
std::string part_in_words(const MemberPart& part);

/// True if two tasks of the job have one host.
bool has_shared_host(const ClusterSpec::Job& job);

/// Which of several TPU slices this process is in, by the variables of its pod.
class PodSlice {
 public:
  PodSlice() {}
  int slices = 1;
  std::optional<int> index;            ///< none: MEGASCALE_SLICE_ID is not set
  std::optional<DeclaredCount> hosts;  ///< of each slice, by the list that its pods get; none: there is no list
};

/// Errors: invalid_argument naming the variable.
Result<PodSlice> read_pod_slice(const Environment& environment);

/// How many the testimony's rank is one of; none: nothing says. The numbers of a slice's pods are below that of its hosts.
std::optional<DeclaredCount> count_of(const Testimony& said, const PodSlice& slice);

/// The place in the list of all tasks that the rank of torch or JAX names, if that is not `place`. Frameworks count job by job, a chief or
/// master first, or as the jobs are listed: a rank that is `place` by one of the two agrees. None also where a job has no ranks, such as
/// parameter servers, and for numbers of other launchers, whose order of jobs is not known.
std::optional<std::size_t> other_place_over_jobs(const Testimony& said, const std::vector<const ClusterSpec::Job*>& jobs,
                                                 std::size_t place);

}  // namespace rollcall
