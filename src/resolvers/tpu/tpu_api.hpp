// Which TPU is meant (the plan, a pure function), and looking it up in the Cloud TPU API: what that is asked, which strategy is
// used.
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
  api,      ///< a name: the Cloud TPU API knows its workers
  workers,  ///< `grpc://` list: the name is the answer
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
  std::string project;             ///< empty: to be found, see cloud_place.hpp
  std::string zone;
};

/// Order: options; KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS if set, even to ""; TPU_NAME if set; TPU_CONFIG. Project: options, the full
/// resource name, TPU_CONFIG, GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT, CLOUDSDK_CORE_PROJECT; zone: options, name, TPU_CONFIG,
/// CLOUDSDK_COMPUTE_ZONE. Errors: invalid_argument (no name, a bad one, a bad TPU_CONFIG), unimplemented (several).
/// [facts: tpu-name-order, tpu-google-names, tpu-worker-list]
Result<TpuPlan> plan_tpu(const TpuOptions& options, const Environment& environment);

/// A node, and which question it answers: for whatever turns out to be wrong with it.
class TpuAnswer : public TpuNode {
 public:
  explicit TpuAnswer(TpuFields fields = TpuFields::all) : wanted(fields) {}
  Failure with_origin(Failure failure) const;
  TpuFields wanted;
  Url asked;
  int status = 0;
};

/// The URL of the zone's nodes, as a list; a node's is below it.
Url nodes_url(const TpuPlan& plan, TpuApiRoot root);

/// The node as the API describes it, into `found`, which must live as long: completes the plan, finds the API, and asks as
/// TpuCallOptions::lookup says: by nodes.get, or by a nodes.list that it shares. Errors: not_found, permission_denied, …,
/// malformed_response, and those of the steps before.
asio::awaitable<Result<void>> ask_tpu(Call& call, const TpuPlan& plan, const TpuOptions& options, TpuAnswer& found);

/// The same for its workers alone, as tasks of `job`; see worker_tasks() for the errors besides.
asio::awaitable<Result<ClusterSpec>> ask_tpu_spec(Call& call, const TpuPlan& plan, const TpuOptions& options, std::string job);

}  // namespace rollcall
