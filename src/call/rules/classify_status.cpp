#include "call/rules/classify_status.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

template <class... Names>
bool is_one_of(std::string_view text, Names... names) {
  return ((text == names) || ...);
}

StatusVerdict verdict(AttemptClass attempt_class, Errc code, std::string hint = {}) {
  StatusVerdict result;
  result.attempt_class = attempt_class;
  result.code = code;
  result.hint = std::move(hint);
  return result;
}

bool is_among(std::string_view text, std::span<const std::string_view> list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// The API's host name: as the answer says, if it is one, so that it can be put into a command to copy.
std::string api_name(const GoogleError& error, const Service& service) {
  const bool is_plain = !error.service.empty() && error.service.size() <= 100 &&
                        std::all_of(error.service.begin(), error.service.end(), [](char c) { return is_alnum(c) || c == '.' || c == '-'; });
  return std::string(is_plain && error.service.front() != '-' ? std::string_view(error.service) : service.api);
}

// Refusals that no role of the account mends. [facts: google-error-reasons]
class ReasonHint {
 public:
  std::string_view reason;
  std::string_view hint;
};
constexpr std::string_view policy_hint =
    "A policy of the organization forbids the call; no role of the account changes that: ask its administrator, with the service's words.";
constexpr ReasonHint reason_hints[] = {
    {"BILLING_DISABLED", "Link the project to a billing account."},
    {"CONSUMER_INVALID", "Check the project's id: the service does not know it or may not use it."},
    {"CONSUMER_SUSPENDED", "The project is suspended: its owner has to appeal, or to pay, in the Cloud console; or use another project."},
    {"USER_PROJECT_DENIED",
     "The account may not charge calls to the quota project: grant it roles/serviceusage.serviceUsageConsumer there, or name another "
     "one (GOOGLE_CLOUD_QUOTA_PROJECT)."},
    {"SECURITY_POLICY_VIOLATED",
     "A perimeter of VPC Service Controls refuses the call; no role of the account changes that: call from within the perimeter, or "
     "give its administrator the identifier in the service's words."},
    {"LOCATION_POLICY_VIOLATED", policy_hint},
    {"LOCATION_ORG_POLICY_VIOLATED", policy_hint},
    {"LOCATION_TAX_POLICY_VIOLATED", policy_hint},
    {"ORG_RESTRICTION_VIOLATION", policy_hint},
    {"RESOURCE_USAGE_RESTRICTION_VIOLATED", policy_hint},
    {"USER_BLOCKED_BY_ADMIN", policy_hint},
};

std::string forbidden_hint(const GoogleError& error, const Service& service) {
  const std::string_view reason = error.reason;
  if (service.forbids_without_reasons) return std::string(service.forbidden_hint);
  // A user's own credentials carry no project, so that Google counts the call for the project of gcloud itself.
  if (error.message.find("requires a quota project") != std::string::npos) {
    return "Name the project that pays for the calls: gcloud auth application-default set-quota-project PROJECT, or the variable "
           "GOOGLE_CLOUD_QUOTA_PROJECT.";
  }
  if (reason == "SERVICE_DISABLED") {
    return fmt::format("Enable the API in the project, then wait a few minutes: gcloud services enable {}", api_name(error, service));
  }
  if (reason == "ACCESS_TOKEN_SCOPE_INSUFFICIENT") {
    return "The token lacks the scope https://www.googleapis.com/auth/cloud-platform. On a VM: stop it and set the VM's access scopes "
           "(gcloud compute instances set-service-account --scopes=cloud-platform); elsewhere: ask for a token with that scope.";
  }
  const auto* const row =
      std::find_if(std::begin(reason_hints), std::end(reason_hints), [reason](const ReasonHint& one) { return one.reason == reason; });
  if (row != std::end(reason_hints)) return std::string(row->hint);
  if (!service.forbidden_hint.empty()) return std::string(service.forbidden_hint);
  if (!error.permission.empty()) {
    return fmt::format("The account lacks the permission {}: grant it {}, and check the project and zone.",
                       printable(error.permission, 100), service.viewer_role);
  }
  return fmt::format("Check the project and zone, and that the account has {}.", service.viewer_role);
}

constexpr const char* busy_hint = "The service is in trouble or overloaded: try again in a few minutes, with more time or retries.";

StatusVerdict too_many_requests(const GoogleError& error, const Service& service) {
  const bool is_quota = error.has_quota_failure || is_among(error.reason, service.quota_reasons);
  if (is_among(error.reason, service.rate_reasons) || error.retry_delay || !is_quota) {
    return verdict(AttemptClass::rate_limited, Errc::rate_limited,
                   "Ask less often, from fewer processes at once, or request a higher rate quota.");
  }
  return verdict(AttemptClass::permanent, Errc::rate_limited,
                 "Waiting does not help: request a higher quota, free resources, or use another zone.");
}

// The words of Go, nginx and Apache.
bool wants_https(const GoogleError& error) {
  constexpr std::string_view sentences[] = {"HTTP request to an HTTPS server", "plain HTTP request was sent to HTTPS port",
                                            "speaking plain HTTP to an SSL-enabled server port"};
  return std::any_of(std::begin(sentences), std::end(sentences),
                     [&error](std::string_view words) { return error.message.find(words) != std::string::npos; });
}

StatusVerdict bad_request(const GoogleError& error, const Service& service) {
  if (error.reason == "resourceNotReady") return verdict(AttemptClass::transient, Errc::not_ready);
  if (wants_https(error)) {
    return verdict(AttemptClass::permanent, Errc::invalid_argument, "The server speaks https there: write https:// in its address.");
  }
  if (service.refuses_credentials_by_400) {
    if (is_one_of(error.reason, "internal_failure", "server_error", "temporarily_unavailable") ||
        is_one_of(error.message, "internal_failure", "server_error", "temporarily_unavailable")) {
      return verdict(AttemptClass::transient, Errc::unavailable);
    }
    return verdict(AttemptClass::permanent, Errc::unauthenticated, "The credentials were refused: log in again or replace them.");
  }
  if (error.status == "FAILED_PRECONDITION") {
    StatusVerdict result = verdict(AttemptClass::permanent, Errc::failed_precondition);
    result.wait_state = true;
    return result;
  }
  return verdict(AttemptClass::permanent, Errc::invalid_argument, std::string(service.bad_request_hint));
}

}  // namespace

StatusVerdict classify_status(int status, const GoogleError& error, const Service& service) {
  const auto permanent = AttemptClass::permanent;
  const auto transient = AttemptClass::transient;
  if (status >= 200 && status < 300) return StatusVerdict();
  switch (status) {
    case 400: return bad_request(error, service);
    case 401: {
      const bool is_own = !service.takes_token;  // no token was sent that could be replaced
      return verdict(is_own ? permanent : AttemptClass::refresh_token, Errc::unauthenticated,
                     is_own ? "The credentials were refused: log in again or replace them."
                            : "The access token is missing, expired or not meant for this service: get a new one.");
    }
    case 403:
      if (is_among(error.reason, service.forbidden_limit_reasons)) return too_many_requests(error, service);
      return verdict(permanent, Errc::permission_denied, forbidden_hint(error, service));
    case 404:
    case 410: {
      StatusVerdict result = verdict(permanent, Errc::not_found, std::string(service.not_found_hint));
      result.wait_state = status == 404;
      return result;
    }
    case 409: return error.status == "ABORTED" ? verdict(transient, Errc::unavailable, busy_hint) : verdict(permanent, Errc::http_error);
    case 429: return too_many_requests(error, service);
    case 499: return service.may_answer_499 ? verdict(transient, Errc::unavailable, busy_hint) : verdict(permanent, Errc::http_error);
    case 501: return verdict(permanent, Errc::unimplemented, "The service does not know this method: choose another API version.");
    case 408:
    case 500:
    case 502:
    case 503:
    case 504: return verdict(transient, Errc::unavailable, busy_hint);
    default: break;
  }
  if (service.may_answer_499 && status > 504 && status < 600) return verdict(transient, Errc::unavailable, busy_hint);
  if (status >= 300 && status < 400) return verdict(permanent, Errc::http_error, "Redirects are not followed: give the final address.");
  return verdict(permanent, Errc::http_error);
}

Failure point_to_doctor(Failure failure) {
  std::string hint = failure.hint();
  if (hint.ends_with(doctor_hint)) return failure;
  if (hint.ends_with('.')) hint.pop_back();
  failure.with_hint(fmt::format("{}{}{}", hint, hint.empty() ? "" : "; ", doctor_hint));
  return failure;
}

AttemptClass classify_failure(Errc code) noexcept {
  switch (code) {
    case Errc::unreachable:
    case Errc::unknown_host:
    case Errc::unavailable:
    case Errc::resolve_timeout:
    case Errc::connect_timeout:
    case Errc::handshake_timeout:
    case Errc::response_timeout: return AttemptClass::transient;
    case Errc::rate_limited: return AttemptClass::rate_limited;
    default: return AttemptClass::permanent;
  }
}

}  // namespace rollcall
