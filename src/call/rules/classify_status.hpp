// What an HTTP status, or a failure without one, means for the caller and for retrying. Where services differ, the row of the service
// decides.
#pragma once

#include <string>
#include <string_view>

#include "call/rules/google_error.hpp"
#include "call/rules/service.hpp"
#include "rollcall/error.hpp"
#include "rollcall/retry_policy.hpp"

namespace rollcall {

class StatusVerdict {
 public:
  StatusVerdict() {}
  AttemptClass attempt_class = AttemptClass::success;
  Errc code = Errc::http_error;  ///< meaningful unless attempt_class is success
  bool wait_state = false;       ///< permanent for one request, yet may change with time (404 of a resource that is being created)
  std::string hint;              ///< what to do about it; may be empty
  std::string what;              ///< the error in the service's own words, printable; empty: as the answer describes itself
};

/// 408, 429, 500, 502, 503 and 504 may be retried; 401 once with another token; other 4xx are final except Compute's 403 rateLimitExceeded,
/// 400 resourceNotReady and 409 ABORTED. A 429 for lack of quota or capacity is final unless it has a delay: put Retry-After into `error`
/// first (note_retry_after). [facts: http-statuses, compute-rate-limit]
StatusVerdict classify_status(int status, const GoogleError& error, const Service& service);

/// A failure of a transport, or of gRPC. transient: no server was reached, a step took too long, or the service cannot serve now.
/// rate_limited: the service limits the rate. permanent: everything else. deadline_exceeded is permanent, since the time for the call is
/// over; a caller with more time must handle it itself.
AttemptClass classify_failure(Errc code) noexcept;

/// The end of the hint of each failure to authenticate, or for lack of a permission.
inline constexpr std::string_view doctor_hint = "rollcall doctor TARGET says what is missing";
/// Adds that hint to the failure, once.
Failure point_to_doctor(Failure failure);

/// True if the same request may succeed later: transient or rate_limited.
inline bool is_transient(Errc code) noexcept { return classify_failure(code) != AttemptClass::permanent; }

}  // namespace rollcall
