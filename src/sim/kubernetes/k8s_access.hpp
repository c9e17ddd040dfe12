// Who asks the Kubernetes API, and whether they may.
#pragma once

#include <optional>
#include <string>

#include "rollcall/sim/cloud.hpp"
#include "sim/wire/route.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

struct KubeCaller {
  std::string name;
  bool is_anonymous = false;
  const std::vector<KubeRule>* rules = nullptr;  // null: may do everything
};

/// Who the bearer token belongs to. None: 401.
std::optional<KubeCaller> kube_caller(const Context& context, const Request& request);

/// The refusal of what the caller may not do.
std::optional<Reply> kube_refusal(const KubeCaller& caller, const Route& route, const ParsedTarget& target);

/// The token of the kubeconfig that leads here: the first user's, or one that anybody may use.
std::string kube_token(const KubernetesModel& model);

}  // namespace rollcall::sim
