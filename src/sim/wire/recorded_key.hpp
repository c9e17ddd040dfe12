// What a request asks for, as text: equal for a recorded request and the same one made again.
#pragma once

#include <string>
#include <string_view>

#include "sim/wire/route.hpp"

namespace rollcall::sim {

/// Method, path and query in sorted order, without the patience of the client. `is_loose`: also without the version from which a watch or a
/// long poll continues.
std::string recorded_key(std::string_view method, const ParsedTarget& target, bool is_loose);

/// True if the path is one of a Kubernetes API.
bool is_kube_path(std::string_view path);

}  // namespace rollcall::sim
