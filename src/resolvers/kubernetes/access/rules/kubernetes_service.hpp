// The API server of a Kubernetes cluster.
#pragma once

#include "call/rules/service.hpp"

namespace rollcall {

extern const Service kubernetes_service;

}  // namespace rollcall
