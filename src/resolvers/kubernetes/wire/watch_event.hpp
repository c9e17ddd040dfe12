// Parses the events of a Kubernetes watch: one event per line [facts: k8s-watch, k8s-watch-servers].
#pragma once

#include <string>
#include <string_view>

#include "call/rules/google_error.hpp"
#include "json/limits.hpp"
#include "resolvers/kubernetes/wire/pod.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

enum class WatchEventType {
  added,
  modified,
  deleted,
  bookmark,  ///< carries only a new version
  error,     ///< `status` holds the error
  other,     ///< unknown, from a later version of Kubernetes; ignored
};

class WatchEvent {
 public:
  WatchEvent() {}
  WatchEventType type = WatchEventType::other;
  Pod pod;                       ///< of added, modified, deleted
  std::string resource_version;  ///< empty for errors, whose object has none
  GoogleError status;            ///< of errors
};

/// One line, without its end. Errors: malformed_response, limit_exceeded.
Result<WatchEvent> parse_watch_event(std::string_view line, const ParseLimits& limits = {});

}  // namespace rollcall
