// Which workers a master asks on behalf of a call.
#pragma once

#include "sim/workers/workers.hpp"

namespace rollcall::sim {

inline constexpr std::string_view list_devices_method = "/tensorflow.MasterService/ListDevices";
inline constexpr std::string_view create_session_method = "/tensorflow.MasterService/CreateSession";

struct RpcCluster {
  WorkerNow own;
  std::vector<WorkerNow> others;    // in the cluster's order; none for a call that asks nobody else
  bool is_told = false;             // the call itself says what the cluster is
  std::optional<RpcAnswer> refusal;
};

/// The cluster that the worker was started with, itself alone if it was never told; or the ClusterDef that CreateSession brings.
RpcCluster cluster_for(const Model& model, const RpcRequest& request, const WorkerPlace& place, Duration now);

}  // namespace rollcall::sim
