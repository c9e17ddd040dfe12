// One event of a watch of Kubernetes Events. Source: Kubernetes API v1, WatchEvent, Event.
#pragma once

#include <optional>
#include <string_view>

#include "json/limits.hpp"
#include "resolvers/kubernetes/chain/wire/kube_event.hpp"

namespace rollcall {

/// What it is about, its reason and message, without its times. Absent: a bookmark, or an event that expires. Errors: malformed_response;
/// unavailable (the server ends the watch with an error).
Result<std::optional<KubeEvent>> parse_event_line(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall
