#include "conformance/error_kinds.hpp"

namespace rollcall::conformance {
namespace {

std::vector<std::string_view> kinds_of(Errc code) {
  switch (code) {
    case Errc::invalid_argument: return {"ValueError", "TypeError", "ConfigError"};
    case Errc::not_found: return {"ValueError", "NotFound"};
    case Errc::conflict: return {"KeyError"};
    case Errc::unimplemented: return {"NotImplementedError"};
    case Errc::not_ready: return {"RuntimeError"};
    case Errc::failed_precondition: return {"RuntimeError", "AssertionError", "ConfigError"};
    case Errc::malformed_response: return {"MalformedResponse"};
    case Errc::permission_denied: return {"PermissionDenied"};
    case Errc::unauthenticated: return {"Unauthenticated"};
    case Errc::refused_by_policy: return {"ValueError", "ConfigError"};
    case Errc::rate_limited: return {"Unavailable"};
    case Errc::unavailable:
    case Errc::unreachable:
    case Errc::unknown_host: return {"Unavailable", "RuntimeError"};
    case Errc::tls_failed: return {"Unavailable"};
    case Errc::http_error: return {"HttpError"};
    case Errc::rpc_error: return {"GrpcError", "RuntimeError"};
    case Errc::limit_exceeded: return {"ValueError", "MalformedResponse"};
    case Errc::cancelled: return {};
    case Errc::resolve_timeout:
    case Errc::connect_timeout:
    case Errc::handshake_timeout:
    case Errc::response_timeout: return {"DeadlineExceeded", "Unavailable"};
    case Errc::deadline_exceeded: return {"DeadlineExceeded"};
  }
  return {};
}

// The answer itself, or its absence, was the failure: not the time budget, and not a later step with a valid answer.
bool is_failed_look_up(const Failure& failure) {
  const bool is_about_it = failure.target().find("/nodes") != std::string::npos || failure.what().starts_with("TPU '");
  return is_about_it && failure.code() != Errc::cancelled && failure.code() != Errc::deadline_exceeded && failure.code() != Errc::not_ready;
}

// The failure has the last answer, but the time budget prevented a further attempt (rule H1 of tests/vectors/README.md).
bool is_out_of_time(const Failure& failure) {
  return failure.what().find("the deadline leaves no time") != std::string::npos ||
         failure.what().find("the deadline does not allow") != std::string::npos;
}

}  // namespace

std::vector<std::string_view> kinds_of(const Failure& failure, bool is_tpu) {
  std::vector<std::string_view> kinds = kinds_of(failure.code());
  // A final HTTP status has a code of its own where one fits; it stays an HTTP error.
  const bool is_final = failure.code() != Errc::http_error && failure.code() != Errc::cancelled && !is_timeout(failure.code());
  if (is_final && failure.last_status() >= 300) kinds.push_back("HttpError");
  if (is_out_of_time(failure)) kinds.push_back("DeadlineExceeded");
  // An answer that is not a metadata server's is malformed, too.
  if (failure.code() == Errc::failed_precondition && failure.last_status() > 0) kinds.push_back("MalformedResponse");
  // A gRPC server's refusal; those of HTTP have a URL as target.
  if (failure.what().find(" answered ") != std::string::npos && failure.target().find("://") == std::string::npos)
    kinds.push_back("GrpcError");
  // A worker's refusal has no kind of its own upstream: any error that contains the version or the worker counts.
  if (is_tpu && failure.target().find("/requestversion") != std::string::npos) kinds.push_back("RuntimeError");
  if (is_tpu && (is_failed_look_up(failure) || failure.code() == Errc::malformed_response)) kinds.push_back("ValueError");
  return kinds;
}

}  // namespace rollcall::conformance
