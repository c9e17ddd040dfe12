// Names of the enumerations that have no file of their own.
#include "rollcall/accelerator.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/log.hpp"

namespace rollcall {

std::string_view to_string(HttpMethod method) noexcept {
  switch (method) {
    case HttpMethod::get: return "GET";
    case HttpMethod::post: return "POST";
    case HttpMethod::put: return "PUT";
    case HttpMethod::delete_: return "DELETE";
  }
  return "?";
}

std::string_view to_string(CountSource source) noexcept {
  switch (source) {
    case CountSource::given: return "given";
    case CountSource::devices: return "devices";
    case CountSource::accelerator_type: return "accelerator type";
  }
  return "?";
}

std::string_view to_string(EventKind kind) noexcept {
  switch (kind) {
    case EventKind::call_started: return "call_started";
    case EventKind::call_finished: return "call_finished";
    case EventKind::attempt_started: return "attempt_started";
    case EventKind::attempt_finished: return "attempt_finished";
    case EventKind::phase_started: return "phase_started";
    case EventKind::phase_finished: return "phase_finished";
    case EventKind::connection_reused: return "connection_reused";
    case EventKind::backing_off: return "backing_off";
    case EventKind::waiting_for_slot: return "waiting_for_slot";
    case EventKind::token_refresh_started: return "token_refresh_started";
    case EventKind::token_refresh_finished: return "token_refresh_finished";
    case EventKind::proxy_chosen: return "proxy_chosen";
    case EventKind::place_chosen: return "place_chosen";
    case EventKind::value_disputed: return "value_disputed";
    case EventKind::security_warning: return "security_warning";
    case EventKind::member_resolved: return "member_resolved";
    case EventKind::member_failed: return "member_failed";
    case EventKind::omitted: return "left_out";
    case EventKind::member_waiting: return "member_waiting";
    case EventKind::member_ready: return "member_ready";
  }
  return "?";
}

}  // namespace rollcall
