// Simulated workers: which exist at a time, their clusters, and their answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/model.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

/// The location of a worker: at an endpoint of a node, or among the file's own workers.
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
  const WorkerMoment* moment = nullptr;  // null: no server listens
  Duration running_since{0};             // the start of its current run, which distinguishes it from earlier runs
  std::optional<Duration> next_change;   // of this worker, by the script
};

/// The worker at that address, running or not; none if no worker belongs to it at this time. A node has workers while it shows
/// endpoints, and they run while it is READY. `address` must have a port.
std::optional<WorkerPlace> find_worker(const Model& model, const Endpoint& address, Duration now);

/// `place` must be from the same time.
WorkerNow worker_at(const Model& model, const WorkerPlace& place, Duration now);

/// All workers that a master knows, including itself, in the order of their numbers.
std::vector<WorkerPlace> cluster_of(const Model& model, const WorkerPlace& place, Duration now);

/// The address of every worker that ever runs, each once.
std::vector<Endpoint> worker_addresses(const Model& model);

/// The time of the next change of any worker, or of any node with workers.
std::optional<Duration> next_worker_change(const Model& model, Duration now);

inline constexpr std::string_view list_devices_method = "/tensorflow.MasterService/ListDevices";
inline constexpr std::string_view create_session_method = "/tensorflow.MasterService/CreateSession";

struct RpcCluster {
  WorkerNow own;
  std::vector<WorkerNow> others;    // in the cluster's order; empty if the call concerns no other worker
  bool is_given = false;             // the call itself defines the cluster
  std::optional<RpcAnswer> refusal;
};

/// The cluster with which the worker was started, only itself if it has no cluster definition; or the ClusterDef of CreateSession.
RpcCluster cluster_for(const Model& model, const RpcRequest& request, const WorkerPlace& place, Duration now);

/// The worker's DeviceAttributes, each as element `field` of a message: CPU:0 (as element `cpu_field`), the cores, TPU_SYSTEM:0 if
/// there are cores, and the script's devices. A restart changes the incarnations.
std::string device_list(const WorkerNow& worker, int field, int cpu_field);
inline std::string device_list(const WorkerNow& worker, int field) { return device_list(worker, field, field); }

/// A message whose field 1 is this text: CreateSessionResponse.
std::string session_message(std::string_view handle);

/// A text or message inside a message: empty if absent, none if the bytes are not a message.
std::optional<std::string_view> bytes_field(std::string_view message, int field);

/// The answer of the worker at `place`. `now` is `context.now` on the server's clock. Sets `has_changed` if the script's `times`
/// have been used up.
RpcReply answer_rpc(const Context& context, const RpcRequest& request, SteadyTime now, const WorkerPlace& place,
                    const std::optional<RpcHeld>& held, bool& has_changed);

/// `rpc MasterService/ListDevices`.
std::string rpc_route(std::string_view method);

}  // namespace rollcall::sim
