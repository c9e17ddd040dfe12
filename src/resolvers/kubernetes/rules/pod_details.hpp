// What a pod says of its machine, its accelerators and its part of a job. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "resolvers/kubernetes/rules/pod_role.hpp"
#include "resolvers/kubernetes/wire/pod.hpp"
#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

class GkeTpu;

class PodDetails {
 public:
  PodDetails() {}
  std::string node;
  /// Without a kind: the pod asks for none at all. Absent: not known.
  std::optional<Accelerators> accelerators;
  const GkeTpu* tpu = nullptr;  ///< null: no TPU, or one that is not known
  std::string tpu_topology;  ///< of its slice: `2x4`; may be empty
  std::optional<MemberPart> part;
  /// Of a pod with claims: its resources, claims and node labels, and nothing else; the accelerators are absent. Null: it has none.
  std::shared_ptr<const Pod> claiming;
  PodRole role;
};

/// Null for a pod of which these are not read. MemberPart::count is what the labels say.
std::shared_ptr<const PodDetails> pod_details(const Pod& pod);

/// Sets the accelerators of a pod with claims. `resources`: its own and those of its claims. `is_shared`: other pods of its machine share
/// them.
void set_claimed_accelerators(PodDetails& details, const PodResources& resources, bool is_shared);

/// The memory of the details, with that of their texts.
std::size_t memory_of(const PodDetails& details);

/// What the pods of a cluster have in common.
class CommonHardware {
 public:
  /// `details` must outlive it.
  void take(const PodDetails& details);
  /// Sets the type of the cluster's slices if all TPUs have the same one. Pods that ask for no accelerators have none of the kind that the
  /// others have; where no other has any, nothing is known of them.
  void finish(ClusterStatus& status) const;

 private:
  std::string kind_;
  bool has_several_kinds_ = false;
  bool has_none_ = false;  // there are pods without accelerators
  const PodDetails* tpu_ = nullptr;  // the first pod with TPUs
  bool has_several_tpus_ = false;
};

}  // namespace rollcall
