// Parses the lists of hosts that services and controllers put into variables: Vertex AI's CLUSTER_SPEC, Volcano's VC_TASK_HOSTS and
// SkyPilot's SKYPILOT_NODE_IPS.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_spec.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// A job's hosts, in their order.
class WorkerList {
 public:
  std::string job;
  std::vector<std::string> hosts;  ///< Vertex AI's have ports
  std::string gpu_type;            ///< of Vertex AI's machines: `NVIDIA_H100_80GB`; empty: not known
  int gpus = 0;                    ///< that each of them has; 0: not known
};

/// Worker pools, and this task of them.
class WorkerPools {
 public:
  WorkerPools() {}
  std::vector<WorkerList> pools;   ///< by their numbers: workerpool0 first
  std::optional<std::string> job;  ///< of this task
  std::optional<int> index;
};

/// True for the content of CLUSTER_SPEC that is Vertex AI's, as far as it can be read. Other programs use this name for other documents.
bool names_worker_pools(std::string_view text);
/// The content of CLUSTER_SPEC, which has the form of TF_CONFIG. Errors: invalid_argument naming the member, limit_exceeded over `max`
/// hosts. The machines' GPUs are those of the job's specification, if it is there and has these pools. [facts: vertex-cluster-spec]
Result<WorkerPools> parse_worker_pools(std::string_view text, std::size_t max);

/// The names of Volcano's variables with hosts, such as VC_MASTER_HOSTS, sorted.
std::vector<std::string> volcano_lists(const Environment& environment);
/// A job for each of these variables, a master first. Errors: invalid_argument naming the variable, conflict (VC_TASK_NUM is another
/// number), limit_exceeded over `max` hosts. [facts: volcano-hosts]
Result<std::vector<WorkerList>> parse_volcano(const Environment& environment, std::size_t max);

/// Addresses, a line each. Errors: invalid_argument naming the line, limit_exceeded over `max` lines. [facts: skypilot-nodes]
Result<std::vector<std::string>> parse_node_lines(std::string_view variable, std::string_view text, std::size_t max);

/// Addresses with or without ports, between commas. Errors: as parse_node_lines.
Result<std::vector<std::string>> parse_addresses(std::string_view variable, std::string_view text, std::size_t max);

}  // namespace rollcall
