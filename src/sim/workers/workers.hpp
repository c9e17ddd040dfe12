// Simulated workers: which there are at a time, who belongs together, and what they answer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/model.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// Where a worker stands: at an endpoint of a node, or among the file's own workers.
struct WorkerPlace {
  const NodeModel* node = nullptr;  // null: index is one of Model::workers
  std::size_t index = 0;
};

/// One worker at one time.
struct WorkerNow {
  Endpoint address;
  std::string job;
  int task = 0;
  bool is_alone = false;
  const WorkerMoment* moment = nullptr;  // null: nothing listens
  Duration running_since{0};             // tells a worker from what it was before it was started again
  std::optional<Duration> next_change;   // of this worker, by the script
};

/// The worker at that address, running or not; none: nobody ever listens there at this time. A node has workers while it shows
/// endpoints, they run while it is READY. `address` needs its port.
std::optional<WorkerPlace> find_worker(const Model& model, const Endpoint& address, Duration now);

/// `place` must be of this time.
WorkerNow worker_at(const Model& model, const WorkerPlace& place, Duration now);

/// All that one master knows, itself included, in the order of their numbers.
std::vector<WorkerPlace> cluster_of(const Model& model, const WorkerPlace& place, Duration now);

/// Every address of workers that run at some time, each once.
std::vector<Endpoint> worker_addresses(const Model& model);

/// When any worker or node with workers changes next.
std::optional<Duration> next_worker_change(const Model& model, Duration now);

inline constexpr std::string_view list_devices_method = "/tensorflow.MasterService/ListDevices";
inline constexpr std::string_view create_session_method = "/tensorflow.MasterService/CreateSession";

struct RpcCluster {
  WorkerNow own;
  std::vector<WorkerNow> others;    // in the cluster's order; none for a call that asks nobody else
  bool is_given = false;             // the call itself says what the cluster is
  std::optional<RpcAnswer> refusal;
};

/// The cluster that the worker was started with, itself alone if it was never told; or the ClusterDef that CreateSession brings.
RpcCluster cluster_for(const Model& model, const RpcRequest& request, const WorkerPlace& place, Duration now);

/// The worker's DeviceAttributes, each as element `field` of a message: CPU:0 (as element `cpu_field`), the cores, TPU_SYSTEM:0 when
/// there are cores, and what the script adds. Another life has other incarnations.
std::string device_list(const WorkerNow& worker, int field, int cpu_field);
inline std::string device_list(const WorkerNow& worker, int field) { return device_list(worker, field, field); }

/// A message whose field 1 is this text: CreateSessionResponse.
std::string session_message(std::string_view handle);

/// A text or message of a message: empty when it is not there, none when these bytes are no message.
std::optional<std::string_view> bytes_field(std::string_view message, int field);

/// The answer of the worker at `place`; `now` is `context.now` on the server's clock. Sets `has_changed` when `times` of the
/// script have been used up.
RpcReply answer_rpc(const Context& context, const RpcRequest& request, SteadyTime now, const WorkerPlace& place,
                    const std::optional<RpcHeld>& held, bool& has_changed);

/// `rpc MasterService/ListDevices`.
std::string rpc_route(std::string_view method);

}  // namespace rollcall::sim
