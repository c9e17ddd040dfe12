// The plan of a TPU (which one and where; pure), and its look-up in the Cloud TPU API.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>
#include <vector>

#include "call/api_client.hpp"
#include "resolvers/tpu/tpu_root.hpp"
#include "resolvers/tpu/wire/tpu_node.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

enum class TpuKind {
  api,      ///< a name: the Cloud TPU API lists its workers
  workers,  ///< a `grpc://` list: the name lists the workers
  google,   ///< Google-internal: `localhost:…`, `/bns…`, `uptc://…`, passed through
  local,    ///< this machine: an empty spec
};

class TpuPlan {
 public:
  TpuPlan() {}
  TpuKind kind = TpuKind::api;
  std::string name;                ///< as given
  std::string node_id;             ///< for the API: the name, or the last segment of a full resource name
  std::vector<Endpoint> workers;   ///< kind workers
  std::string project;             ///< empty: found later, see cloud_place.hpp
  std::string zone;
};

/// Order: options; KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS if set, even to ""; TPU_NAME if set; TPU_CONFIG. Project: options, the full
/// resource name, TPU_CONFIG, GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT, CLOUDSDK_CORE_PROJECT; zone: options, name, TPU_CONFIG,
/// CLOUDSDK_COMPUTE_ZONE. Errors: invalid_argument (no name, an invalid one, an invalid TPU_CONFIG), unimplemented (several).
/// [facts: tpu-name-order, tpu-google-names, tpu-worker-list]
Result<TpuPlan> plan_tpu(const TpuOptions& options, const Environment& environment);

/// A node, with the URL and status of its answer for failures that are found later.
class TpuAnswer : public TpuNode {
 public:
  explicit TpuAnswer(TpuFields fields = TpuFields::all) : wanted(fields) {}
  Failure with_origin(Failure failure) const;
  TpuFields wanted;
  Url asked;
  int status = 0;
};

/// The URL of the zone's list of nodes. A node's URL is below it.
Url nodes_url(const TpuPlan& plan, TpuApiRoot root);

/// The node as the API describes it, into `found`, which must outlive the await. Completes the plan, finds the API, and sends requests as
/// TpuCallOptions::lookup demands: nodes.get, or a nodes.list that is shared with other look-ups. Errors: not_found, permission_denied, …,
/// malformed_response, and those of the earlier steps.
asio::awaitable<Result<void>> ask_tpu(Call& call, const TpuPlan& plan, const TpuOptions& options, TpuAnswer& found);

/// Only the node's workers, as tasks of `job`. Errors: also those of worker_tasks().
asio::awaitable<Result<ClusterSpec>> ask_tpu_spec(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job);

}  // namespace rollcall
