// Error answers: their bodies (google.rpc.Status in JSON, Compute's older form, OAuth's, Kubernetes' Status, and others), and the delay
// that they request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "rollcall/time.hpp"

namespace rollcall {

/// All texts are the server's own words: print them through describe() or printable().
class GoogleError {
 public:
  GoogleError() {}

  int code = 0;         ///< the HTTP status
  std::string status;   ///< PERMISSION_DENIED, …
  std::string message;
  std::string reason;  ///< ErrorInfo.reason, else the older errors[].reason, else OAuth's `error`, else Kubernetes'; a limit comes first
  std::string service;  ///< ErrorInfo.metadata.service
  std::string permission;  ///< ErrorInfo.metadata.permission
  std::optional<Duration> retry_delay;  ///< RetryInfo, retryAfterSeconds, or a longer Retry-After
  bool has_quota_failure = false;  ///< a QuotaFailure is among the details
  bool is_json = false;  ///< the body was a JSON object (or an array of one) with an `error`, or a Status

  /// Takes the Retry-After header into account: the longer of the two is used.
  void note_retry_after(std::optional<Duration> delay);
};

/// RATE_LIMIT_EXCEEDED, rateLimitExceeded, userRateLimitExceeded: waiting helps, even if other reasons are given.
bool is_rate_limit(std::string_view reason);

/// Never fails: parts that cannot be parsed leave fields empty. A body of another kind gives at least a message: an HTML page's title, a
/// text's first line.
GoogleError parse_google_error(int http_status, std::string_view content_type, std::string_view body);

/// `HTTP 403 PERMISSION_DENIED (SERVICE_DISABLED): Cloud TPU API has not …`, safe to print, of bounded length.
std::string describe(const GoogleError& error);

/// Maximum delay that the functions below return.
inline constexpr Duration max_server_delay = std::chrono::hours(24 * 365);

/// The Retry-After header: whole seconds, or an HTTP date (one in the past is zero). Absent: anything else, a negative number included.
std::optional<Duration> parse_retry_after(std::string_view value, WallTime now);

/// A google.protobuf.Duration in JSON, such as `12.013647075s`. Absent: anything else, a negative one included.
std::optional<Duration> parse_proto_duration(std::string_view value);

}  // namespace rollcall
