// The Kubernetes resolver's constructor arguments.
#pragma once

#include "conformance/arguments.hpp"
#include "rollcall/kubernetes_resolver.hpp"

namespace rollcall::conformance {

/// Does not call `args.finish()`. Errors: invalid_argument, as parse_executable_location.
Result<KubernetesOptions> read_kubernetes_options(Arguments& args, const json::object& values);

}  // namespace rollcall::conformance
