// The plan of a queued resource (which one and where; pure), and the requests for it and for its nodes.
//
// Decision: up to three nodes are requested one by one, concurrently; four and more by the zone's list. nodes.get costs a request of the
// project's quota per node, and a multislice job has dozens; the list answers for a thousand in one. Price: a node list may be large if
// only four nodes of a large zone are needed.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <vector>

#include "resolvers/queued/wire/queued_resource.hpp"
#include "resolvers/tpu/tpu_api.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/queued_resource.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

class QueuedPlan {
 public:
  QueuedPlan() {}
  std::string name;     ///< the request's id
  std::string project;  ///< empty: ask the metadata server
  std::string zone;
  TpuOptions api;  ///< the API's address and version
};

/// Project: options, the full resource name, then as for TPUs. Errors: invalid_argument (no name, an invalid one, api v1).
Result<QueuedPlan> plan_queued(const QueuedResourceOptions& options, const Environment& environment);

/// A queued resource, and the URL and status of its answer.
class FoundQueued {
 public:
  FoundQueued() {}
  QueuedResource request;
  std::string asked;
  int status = 0;
  TpuApiRoot root;
};

/// Completes the plan. Errors: not_found, permission_denied, …, malformed_response.
asio::awaitable<Result<FoundQueued>> ask_queued(Call& call, QueuedPlan& plan);

/// A slice's node, or the failure of its request.
class FoundSlice {
 public:
  FoundSlice() {}
  std::string id;
  std::optional<TpuNode> node;
  Failure problem;  ///< if there is no node
};

/// Each of the request's nodes, in the order of slices. Errors: malformed_response (it names no nodes), limit_exceeded, and errors that
/// concern all nodes. The failure of a single node is in its FoundSlice.
asio::awaitable<Result<std::vector<FoundSlice>>> ask_slices(Call& call, const QueuedPlan& plan, const FoundQueued& found);

}  // namespace rollcall
