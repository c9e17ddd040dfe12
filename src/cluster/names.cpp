// Names of the enumerations that have no file of their own.
#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_change.hpp"
#include "rollcall/doctor_report.hpp"
#include "rollcall/found.hpp"
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
    case EventKind::server_chosen: return "server_chosen";
    case EventKind::server_left: return "server_left";
  }
  return "?";
}

// The phase, and its reason if it has one.
bool has_ended_well(const Member& member) noexcept {
  return member.state.level == MemberState::lost && (member.state.text == "Succeeded" || member.state.text.starts_with("Succeeded ("));
}

std::string_view to_string(ChangeKind kind) noexcept {
  switch (kind) {
    case ChangeKind::member_joined: return "member_joined";
    case ChangeKind::member_left: return "member_left";
    case ChangeKind::member_changed: return "member_changed";
    case ChangeKind::cluster_ready: return "cluster_ready";
    case ChangeKind::cluster_broken: return "cluster_broken";
    case ChangeKind::notice: return "notice";
    case ChangeKind::trouble: return "trouble";
    case ChangeKind::trouble_over: return "trouble_over";
  }
  return "?";
}

std::string_view to_string(FoundKind kind) noexcept {
  switch (kind) {
    case FoundKind::tpu: return "tpu";
    case FoundKind::queued_resource: return "queued-resource";
    case FoundKind::instance_group: return "instance-group";
    case FoundKind::slurm_job: return "slurm-job";
    case FoundKind::job: break;
  }
  return "job";
}

std::string_view to_string(CheckOutcome outcome) noexcept {
  switch (outcome) {
    case CheckOutcome::pass: return "pass";
    case CheckOutcome::warning: return "warning";
    case CheckOutcome::fail: return "fail";
    case CheckOutcome::skipped: return "skipped";
  }
  return "?";
}

}  // namespace rollcall
