// What a search finds. No I/O.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall {

/// What a search finds.
enum class FoundKind { tpu, queued_resource, instance_group, job };
/// `tpu`, `queued-resource`, `instance-group`, `job`
std::string_view to_string(FoundKind kind) noexcept;

/// Something that was found. Texts that the API does not give are empty.
class Found {
 public:
  Found() {}
  FoundKind kind = FoundKind::tpu;
  std::string name;
  std::string project;
  std::string zone;              ///< of a regional instance group its region
  std::string target;            ///< for make_resolver() and the command: `tpu:trainer,project=p,zone=us-central2-b`
  std::string state;             ///< as the API spells it; of a job the phase of the pod that is furthest behind
  std::string health;            ///< of a job `Ready`, `NotReady`, or empty when it has ended
  std::string accelerator_type;  ///< of a queued resource that of the nodes it asks for
  std::size_t members = 0;       ///< workers; of a queued resource its nodes; of an instance group its instances; of a job its tasks
  std::vector<std::string> addresses;  ///< of workers, `host:port`
  std::string queued_resource;   ///< the name of the request that a TPU belongs to
  std::string namespace_name;    ///< of a job
  std::string workload;          ///< what a job is: `JobSet`, `LeaderWorkerSet`, `KubeflowJob`, `RayCluster`, `Job`
  friend bool operator==(const Found&, const Found&) = default;
};

}  // namespace rollcall
