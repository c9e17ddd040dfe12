// The kubeconfig of a simulated cluster.
#pragma once

#include <string>
#include <string_view>

#include "sim/model/k8s_model.hpp"

namespace rollcall::sim {

std::string kubeconfig_text(const KubernetesModel& model, std::string_view server, std::string_view ca_pem);

}  // namespace rollcall::sim
