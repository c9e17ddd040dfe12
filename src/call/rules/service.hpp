// What the answers of one service mean where services differ: a row for each service, in the room that asks it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rollcall {

class StatusVerdict;

/// Reasons of Google's errors that mean a quota or a lack of machines: waiting does not help.
inline constexpr std::string_view google_quota_reasons[] = {
    "quotaExceeded", "QUOTA_EXCEEDED", "dailyLimitExceeded", "RESOURCE_POOL_EXHAUSTED", "ZONE_RESOURCE_POOL_EXHAUSTED", "STOCKOUT"};
/// Reasons of Google's errors that mean too many requests: waiting helps.
inline constexpr std::string_view google_rate_reasons[] = {"RATE_LIMIT_EXCEEDED", "rateLimitExceeded", "userRateLimitExceeded"};
/// Reasons for which a 403 means the same as 429.
inline constexpr std::string_view google_limit_reasons[] = {"RATE_LIMIT_EXCEEDED", "rateLimitExceeded", "userRateLimitExceeded",
                                                            "quotaExceeded"};

/// Requests refer to a row by its address: rows are constants. The defaults are those of a server of which nothing is known.
class Service {
 public:
  // 429, and 403 for a limit.
  std::span<const std::string_view> rate_reasons = google_rate_reasons;
  std::span<const std::string_view> quota_reasons = google_quota_reasons;
  std::span<const std::string_view> forbidden_limit_reasons = google_limit_reasons;

  // 403.
  std::string_view forbidden_hint = {};      ///< without a reason that is understood; empty: the account lacks viewer_role
  std::string_view viewer_role = {};         ///< `roles/tpu.viewer`
  bool forbids_without_reasons = false;      ///< forbidden_hint explains each 403
  bool names_anonymous = false;              ///< the message names the user; `system:anonymous` if nothing was presented
  std::string_view api = "tpu.googleapis.com";  ///< the API to be enabled, where the answer names none

  // 400, 401, 404 and others.
  std::string_view bad_request_hint = {};
  std::string_view not_found_hint = "Check the name and the address.";
  bool takes_token = true;                   ///< 401 may be mended by another token; false: it judges other credentials, or none
  bool refuses_credentials_by_400 = false;   ///< as OAuth's token endpoints do
  bool may_answer_499 = false;               ///< 499, and each 5xx, may be tried again
  bool may_move = false;                     ///< 301 to another path of the same server is followed
  /// The hint of a 401 for a token; `from` says where the token is from. Null: a sentence for all services.
  std::string (*refused_token_hint)(const std::string& from) = nullptr;
  /// What an answer that is not 2xx means, where the service's own error says more than the status. Null, or none: the status counts.
  std::optional<StatusVerdict> (*own_verdict)(int status, std::string_view content_type, std::string_view body) = nullptr;

  // Its answers, and the way to it.
  bool is_recordable = false;                ///< answers describe machines; one that is a credential has a path of its own
  bool lists_addresses = false;              ///< plain http to another machine is warned of
  bool hides_token = true;                   ///< in a successful answer, too
  bool is_google_api = false;                ///< gcloud's network settings apply; paths name a zone or a region
  bool may_be_google = false;                ///< gcloud's network settings apply if its host is Google's
};

/// Servers that users' resolvers ask.
extern const Service other_service;

}  // namespace rollcall
