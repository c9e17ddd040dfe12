// What a cluster's members say about its tasks: names by which a machine knows itself, and the parts of a job.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_spec.hpp"
#include "rollcall/cluster_status.hpp"

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

}  // namespace rollcall
