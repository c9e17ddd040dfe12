// Kueue's Workload: what a queue says of a job. Read of v1beta2 and v1beta1, whose fields here are the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "resolvers/kubernetes/chain/wire/object_parts.hpp"

namespace rollcall {

/// An entry of status.admissionChecks.
class AdmissionCheck {
 public:
  AdmissionCheck() {}
  std::string name;
  std::string state;  ///< `Pending`, `Ready`, `Retry`, `Rejected`
  std::string message;
  std::optional<WallTime> since;
  friend bool operator==(const AdmissionCheck&, const AdmissionCheck&) = default;
};

/// All texts are printable and bounded.
class QueueWorkload {
 public:
  QueueWorkload() {}
  KubeObject object;
  std::string local_queue;    ///< spec.queueName
  std::string cluster_queue;  ///< of its admission; empty: none
  bool is_active = true;      ///< spec.active
  std::vector<KubeCondition> conditions;
  std::vector<AdmissionCheck> checks;
  std::optional<WallTime> requeue_at;
  std::vector<std::string> unhealthy_nodes;
  friend bool operator==(const QueueWorkload&, const QueueWorkload&) = default;
};

/// A list of Workloads. Errors: malformed_response, limit_exceeded.
Result<std::vector<QueueWorkload>> parse_queue_workloads(std::string_view json, const ParseLimits& limits);
/// The version to ask for by the answer to /apis/GROUP; empty: none is served. Errors: malformed_response, limit_exceeded.
Result<std::string> parse_preferred_version(std::string_view json, const ParseLimits& limits);

/// Kueue's LocalQueue, if it takes no workloads: a condition that says why. Absent: it takes some. Errors: as above.
Result<std::optional<KubeCondition>> parse_local_queue_fault(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall
