// What is kept of an object that asks for pods: its state, and the pods that there must be by it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/limits.hpp"
#include "resolvers/kubernetes/workload/wire/workload_kind.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// A controller's reference in `metadata.ownerReferences`, or another object by its name: then without a uid.
class WorkloadReference {
 public:
  WorkloadReference() {}
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool is_chosen = false;  ///< of what another has made: a RayJob's clusterSelector
  friend bool operator==(const WorkloadReference&, const WorkloadReference&) = default;
};

/// An entry of `status.conditions`.
class WorkloadCondition {
 public:
  WorkloadCondition() {}
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  std::optional<WallTime> since;
};

/// How the pods of a role are numbered.
enum class RoleNumbers : std::uint8_t {
  places,  ///< each place has its index: a pod with an index beyond the places is surplus
  counted,  ///< only their number is known: of a batch, of a Deployment, of a Ray group that may shrink anywhere
};

/// Pods of one template. The workload has `parts` times `members` of them.
class WorkloadRole {
 public:
  WorkloadRole() {}
  std::string job;   ///< the job of its members: `worker`, `chief`
  std::string name;  ///< as the pods' label has it: the replicated job, the replica type, the group; may be empty
  /// Labels that all of its pods have, by the template and the controller.
  std::vector<std::pair<std::string, std::string>> labels;
  std::string selector;  ///< of its pods
  int parts = 1;
  int members = 1;
  int first = 0;            ///< the index of the first member of a part
  bool is_member = true;    ///< false: its pods are no part of the cluster: initializers, a launcher that does not work
  RoleNumbers numbers = RoleNumbers::places;
  bool is_batch = false;  ///< for each pod that succeeds another one is made, or none is needed any more
  std::vector<std::string> after;  ///< the roles that have to be ready first
  bool after_any = false;          ///< one of them does
  std::vector<std::string> after_end_of;  ///< the roles that have to end first
  bool has_ended = false;      ///< all of its parts have, with success

  /// parts × members, at most the greatest int.
  int size() const noexcept;
};

class Workload {
 public:
  Workload() {}
  const WorkloadType* type = nullptr;
  std::string api_version;
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string version;
  std::optional<WorkloadReference> owner;  ///< its controller
  bool is_suspended = false;
  std::string queue;       ///< by the label kueue.x-k8s.io/queue-name; empty: none
  std::string managed_by;  ///< another controller, as spec.managedBy names it; empty: its own
  bool is_leaving = false;
  std::vector<WorkloadCondition> conditions;
  std::vector<WorkloadRole> roles;  ///< in the order of ranks
  /// The object whose roles count in place of these: a TrainJob's JobSet.
  std::optional<WorkloadReference> stands_for;
  /// Its pods come one after the other, or the workers of a group after its leader: OrderedReady, LeaderReady, InOrder.
  bool is_ordered = false;
  bool waits_for_leader = false;
  bool waits_for_workers = false;  ///< its launcher comes after the workers
  int minimum = 0;                 ///< with so many it can begin; 0: with all
  std::string phase;               ///< of a Volcano job: status.state.phase
  std::string given_up;  ///< of a Job: the indices that it does not try again, `1,3-5`
  int attempt = 0;  ///< of a JobSet: pods of earlier restarts do not count

  const WorkloadCondition* condition(std::string_view type) const noexcept;
  bool is_true(std::string_view type) const noexcept;
  const WorkloadRole* role(std::string_view name) const noexcept;
  /// `JobSet trainer`.
  std::string title() const;
};

/// One object of `type`, as a GET answers. Errors: malformed_response (names the field), limit_exceeded.
Result<Workload> parse_workload(const WorkloadType& type, std::string_view json, const ParseLimits& limits = {});

/// Of an object of any kind: metadata alone, so that its owner is known.
Result<Workload> parse_owner(std::string_view json, const ParseLimits& limits = {});

/// The versions of an API group, the preferred one first, from `/apis/GROUP`. Errors: malformed_response.
Result<std::vector<std::string>> parse_api_versions(std::string_view json, const ParseLimits& limits = {});

/// True if a list of resources (`/apis/GROUP/VERSION`) has `resource`. Errors: malformed_response.
Result<bool> has_api_resource(std::string_view json, std::string_view resource, const ParseLimits& limits = {});

}  // namespace rollcall
