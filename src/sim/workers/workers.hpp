// Which workers there are at a time, and who belongs together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/model/model.hpp"

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

}  // namespace rollcall::sim
