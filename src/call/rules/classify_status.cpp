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

// The API's host name from the answer, if it is valid, so that it can be put into a command to copy.
std::string api_name(const GoogleError& error, Service service) {
  const bool is_plain = !error.service.empty() && error.service.size() <= 100 &&
                        std::all_of(error.service.begin(), error.service.end(), [](char c) { return is_alnum(c) || c == '.' || c == '-'; });
  if (is_plain && error.service.front() != '-') return error.service;
  return service == Service::compute ? "compute.googleapis.com" : "tpu.googleapis.com";
}

std::string forbidden_hint(const GoogleError& error, Service service) {
  const std::string_view reason = error.reason;
  if (service == Service::metadata) {
    return "The metadata server refuses: the request passed a proxy, lacked its header, or the endpoint is switched off for this VM or "
           "project.";
  }
  if (reason == "SERVICE_DISABLED") {
    return fmt::format("Enable the API in the project, then wait a few minutes: gcloud services enable {}", api_name(error, service));
  }
  if (reason == "ACCESS_TOKEN_SCOPE_INSUFFICIENT") {
    return "The token lacks the scope https://www.googleapis.com/auth/cloud-platform. On a VM: stop it and set the VM's access scopes "
           "(gcloud compute instances set-service-account --scopes=cloud-platform); elsewhere: ask for a token with that scope.";
  }
  if (reason == "BILLING_DISABLED") return "Link the project to a billing account.";
  if (reason == "CONSUMER_INVALID") return "Check the project's id: the service does not know it or may not use it.";
  switch (service) {
    case Service::kubernetes: return "Check which account the token belongs to, and what its roles allow.";
    case Service::token: return "The credentials may not be used for this: see what the service says, and what it allows them.";
    case Service::fleet: return "Check what the service allows the one who asks.";
    case Service::other: return "Check that the one who asks may do that there.";
    case Service::tpu:
    case Service::compute:
    case Service::metadata: break;
  }
  const std::string_view role = service == Service::compute ? "roles/compute.viewer" : "roles/tpu.viewer";
  if (!error.permission.empty()) {
    return fmt::format("The account lacks the permission {}: grant it {}, and check the project and zone.",
                       printable(error.permission, 100), role);
  }
  return fmt::format("Check the project and zone, and that the account has {}.", role);
}

constexpr const char* busy_hint = "The service is in trouble or overloaded: try again in a few minutes, with more time or retries.";

std::string not_found_hint(Service service) {
  switch (service) {
    case Service::tpu: return "check its name, the project and the zone; rollcall discover lists what is there";
    case Service::compute: return "Check the name, the project and the zone: gcloud compute instance-groups list --project=PROJECT";
    case Service::metadata: return "The metadata server has no such value; give it as an option or an environment variable.";
    case Service::token: return "Check the credentials' token address.";
    case Service::kubernetes: return "Check that the address is that of a Kubernetes API server, without a path behind it.";
    case Service::fleet: return "Check that ROLLCALL_SERVER names a service, without a path behind it.";
    case Service::other: break;
  }
  return "Check the name and the address.";
}

StatusVerdict too_many_requests(const GoogleError& error) {
  const bool is_quota = error.has_quota_failure || is_one_of(error.reason, "quotaExceeded", "QUOTA_EXCEEDED", "dailyLimitExceeded",
                                                             "RESOURCE_POOL_EXHAUSTED", "ZONE_RESOURCE_POOL_EXHAUSTED", "STOCKOUT");
  if (is_rate_limit(error.reason) || error.retry_delay || !is_quota) {
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

StatusVerdict bad_request(const GoogleError& error, Service service) {
  if (error.reason == "resourceNotReady") return verdict(AttemptClass::transient, Errc::not_ready);
  if (wants_https(error)) {
    return verdict(AttemptClass::permanent, Errc::invalid_argument, "The server speaks https there: write https:// in its address.");
  }
  if (service == Service::token) {
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
  if (service == Service::kubernetes) {
    return verdict(AttemptClass::permanent, Errc::invalid_argument,
                   "Check the selectors: they are like app=trainer,tier!=test,zone in (a,b),!old.");
  }
  return verdict(AttemptClass::permanent, Errc::invalid_argument);
}

}  // namespace

StatusVerdict classify_status(int status, const GoogleError& error, Service service) {
  const auto permanent = AttemptClass::permanent;
  const auto transient = AttemptClass::transient;
  const bool is_metadata = service == Service::metadata;
  if (status >= 200 && status < 300) return StatusVerdict();
  switch (status) {
    case 400: return bad_request(error, service);
    case 401: {
      const bool is_own = is_metadata || service == Service::token;  // no token was sent that could be replaced
      return verdict(is_own ? permanent : AttemptClass::refresh_token, Errc::unauthenticated,
                     is_own ? "The credentials were refused: log in again or replace them."
                            : "The access token is missing, expired or not meant for this service: get a new one.");
    }
    case 403:
      if (is_rate_limit(error.reason) || error.reason == "quotaExceeded") return too_many_requests(error);
      return verdict(permanent, Errc::permission_denied, forbidden_hint(error, service));
    case 404:
    case 410: {
      StatusVerdict result = verdict(permanent, Errc::not_found, not_found_hint(service));
      result.wait_state = status == 404;
      return result;
    }
    case 409: return error.status == "ABORTED" ? verdict(transient, Errc::unavailable, busy_hint) : verdict(permanent, Errc::http_error);
    case 429: return too_many_requests(error);
    case 499: return is_metadata ? verdict(transient, Errc::unavailable, busy_hint) : verdict(permanent, Errc::http_error);
    case 501: return verdict(permanent, Errc::unimplemented, "The service does not know this method: choose another API version.");
    case 408:
    case 500:
    case 502:
    case 503:
    case 504: return verdict(transient, Errc::unavailable, busy_hint);
    default: break;
  }
  if (is_metadata && status > 504 && status < 600) return verdict(transient, Errc::unavailable, busy_hint);
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
