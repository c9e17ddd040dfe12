// How an operation ended.
#include "net/socket/classify.hpp"

#include "base/exceptions.hpp"

namespace rollcall {
namespace {

Errc failure_of(Phase phase) noexcept {
  switch (phase) {
    case Phase::resolve: return Errc::unknown_host;
    case Phase::handshake: return Errc::tls_failed;
    case Phase::none:
    case Phase::connect:
    case Phase::response:
    case Phase::overall: return Errc::unreachable;
  }
  return Errc::unreachable;
}

bool is_connection_lost(std::error_code ec) noexcept {
  for (const std::errc condition :
       {std::errc::connection_refused, std::errc::connection_reset, std::errc::connection_aborted, std::errc::broken_pipe,
        std::errc::host_unreachable, std::errc::network_unreachable, std::errc::network_down, std::errc::network_reset,
        std::errc::not_connected, std::errc::address_not_available}) {
    if (means(ec, condition)) return true;
  }
  return false;
}

}  // namespace

Errc timeout_of(Phase phase) noexcept {
  switch (phase) {
    case Phase::resolve: return Errc::resolve_timeout;
    case Phase::connect: return Errc::connect_timeout;
    case Phase::handshake: return Errc::handshake_timeout;
    case Phase::response: return Errc::response_timeout;
    case Phase::none:
    case Phase::overall: return Errc::deadline_exceeded;
  }
  return Errc::deadline_exceeded;
}

Errc classify_end(std::error_code ec, bool is_cancelled_by_caller, bool is_deadline_passed, Phase phase, bool is_phase_timed_out) noexcept {
  if (is_cancelled_by_caller) return Errc::cancelled;
  if (is_deadline_passed) return Errc::deadline_exceeded;
  if (is_phase_timed_out) return timeout_of(phase);
  if (ec.category() == error_category()) return static_cast<Errc>(ec.value());
  if (means(ec, std::errc::operation_canceled)) return Errc::cancelled;  // not by the caller and not by a timer: the runtime was closed
  if (means(ec, std::errc::timed_out)) return timeout_of(phase);         // the kernel gave up before our timer
  if (is_connection_lost(ec)) return Errc::unreachable;
  return failure_of(phase);
}

}  // namespace rollcall
