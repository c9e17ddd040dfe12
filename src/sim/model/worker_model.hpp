// Simulated workers: TensorFlow servers that answer over gRPC, as values.
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
  stall,    // takes the call and never answers
  garbage,  // answers bytes that are no protobuf
};

/// What a worker does from a point in time on.
struct WorkerMoment {
  Duration at{0};
  bool is_running = false;                                  // false: nothing listens
  int cores = 0;                                            // TPU devices
  std::shared_ptr<const std::vector<std::string>> devices;  // further ones: TYPE:ID, or whole names, which go out as they are; may be null
  Duration delay{0};
  WorkerFault fault = WorkerFault::none;
  RpcStatus status = RpcStatus::ok;
  std::string message;
  std::optional<std::uint64_t> times;  // how many calls meet delay, fault and status; not given: all
};

struct WorkerModel {
  std::string job = "worker";
  bool is_alone = false;  // was never told of its cluster
  std::vector<WorkerMoment> timeline;  // ascending, never empty
};

/// The workers of a node: all alike, but for some.
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
  std::string cluster;  // those of one cluster know each other
  int task = 0;
  WorkerModel worker;
};

}  // namespace rollcall::sim
