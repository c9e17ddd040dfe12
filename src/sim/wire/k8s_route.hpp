// The paths of a Kubernetes API.
#pragma once

#include <span>
#include <string_view>

#include "sim/wire/route.hpp"

namespace rollcall::sim {

/// The location is the namespace; empty: all. The collection is the resource. False if the path is not of this API.
bool read_kube_path(std::string_view method, const ParsedTarget& target, Route& route);

/// Names of routes besides those of collections.
std::span<const std::string_view> kube_route_names();

}  // namespace rollcall::sim
