// Which TPU is meant, and how it is to be found: the detection order, as a pure function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollcall/endpoint.hpp"
#include "rollcall/surroundings.hpp"
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
  std::string project;             ///< empty: ask the metadata server
  std::string zone;
};

/// Order: options; KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS if set, even to ""; TPU_NAME if set; TPU_CONFIG. Project: options, the full
/// resource name, TPU_CONFIG, GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT, CLOUDSDK_CORE_PROJECT; zone: options, name, TPU_CONFIG,
/// CLOUDSDK_COMPUTE_ZONE. Errors: invalid_argument (no name, a bad one, a bad TPU_CONFIG), unimplemented (several).
/// [facts: tpu-name-order, tpu-google-names, tpu-worker-list]
Result<TpuPlan> plan_tpu(const TpuOptions& options, const Environment& environment);

}  // namespace rollcall
