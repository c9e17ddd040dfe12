#include "readiness/rules/what_ends.hpp"

namespace rollcall {

Outlook outlook_of(const Failure& failure) noexcept {
  constexpr int gone = 410;
  if (failure.last_status() == gone) return Outlook::unconfirmed;
  switch (failure.code()) {
    case Errc::unreachable:
    case Errc::unknown_host:
    case Errc::unavailable:
    case Errc::rate_limited:
    case Errc::resolve_timeout:
    case Errc::connect_timeout:
    case Errc::handshake_timeout:
    case Errc::response_timeout:
    case Errc::deadline_exceeded: return Outlook::passes;
    case Errc::malformed_response:
    case Errc::http_error:
    case Errc::rpc_error:
    case Errc::conflict: return Outlook::unconfirmed;
    case Errc::unauthenticated:
    case Errc::failed_precondition: return Outlook::passes_if_ever;
    case Errc::invalid_argument:
    case Errc::not_found:
    case Errc::unimplemented:
    case Errc::not_ready:
    case Errc::permission_denied:
    case Errc::tls_failed:
    case Errc::refused_by_policy:
    case Errc::limit_exceeded:
    case Errc::cancelled: break;
  }
  return Outlook::lasts;
}

}  // namespace rollcall
