// Simulated workers as values: TensorFlow servers that answer by gRPC.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/endpoint.hpp"
#include "rollcall/rpc.hpp"
#include "rollcall/time.hpp"

namespace rollcall::sim {

enum class WorkerFault {
  none,
  stall,    // accepts the call and never answers
  garbage,  // answers with bytes that are not a protobuf message
};

/// The behaviour of a worker from a time on.
struct WorkerMoment {
  Duration at{0};
  bool is_running = false;                                  // false: no server listens
  int cores = 0;                                            // TPU devices
  std::shared_ptr<const std::vector<std::string>>
      devices;  // additional devices: TYPE:ID, or whole names, which are sent as they are; may be null
  Duration delay{0};
  WorkerFault fault = WorkerFault::none;
  RpcStatus status = RpcStatus::ok;
  std::string message;
  std::optional<std::uint64_t> times;  // the number of calls with delay, fault and status; absent: all
};

struct WorkerModel {
  std::string job = "worker";
  bool is_alone = false;  // has no cluster definition
  std::vector<WorkerMoment> timeline;  // ascending, never empty
};

/// The workers of a node: equal, with some exceptions.
struct NodeWorkers {
  WorkerModel usual;
  std::map<std::size_t, WorkerModel> others;  // by their number

  const WorkerModel& at(std::size_t index) const {
    const auto other = others.find(index);
    return other == others.end() ? usual : other->second;
  }
};

/// A worker that belongs to no node.
struct FreeWorker {
  Endpoint address;
  std::string cluster;  // workers of the same cluster know each other
  int task = 0;
  WorkerModel worker;
};

}  // namespace rollcall::sim
