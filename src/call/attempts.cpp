#include "call/attempts.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "call/rules/classify_status.hpp"
#include "call/rules/google_error.hpp"
#include "call/rules/retry_after.hpp"

namespace rollcall {
namespace {

Outcome of_transport(Failure failure) {
  Outcome outcome;
  outcome.attempt_class = classify_failure(failure.code());
  outcome.is_connect_failure = failure.phase() == Phase::resolve || failure.phase() == Phase::connect;
  outcome.is_unprocessed = outcome.is_connect_failure || failure.phase() == Phase::handshake;
  outcome.failure = std::move(failure);
  return outcome;
}

// Where an answer sends its client, without a query; empty when it says nothing that can be shown.
std::string shown_location(const HttpResponse& response) {
  const std::string_view location = response.headers.get("location").value_or("");
  const Result<Url> url = Url::parse(location);
  if (url) return printable(url->without_query(), 200);
  return location.starts_with('/') && !location.starts_with("//") ? printable(location.substr(0, location.find_first_of("?#")), 200)
                                                                  : std::string();
}

Outcome of_status(const ApiRequest& request, const TokenMask& mask, const HttpResponse& response, const TimeSource& time) {
  GoogleError error = parse_google_error(response.status, response.headers.get("content-type").value_or(""), response.body);
  if (const auto after = response.headers.get("retry-after")) error.note_retry_after(parse_retry_after(*after, time.wall_now()));
  StatusVerdict verdict = classify_status(response.status, error, request.service);
  Outcome outcome;
  outcome.attempt_class = verdict.attempt_class;
  outcome.hint = error.retry_delay;
  constexpr int service_unavailable = 503;
  outcome.is_unprocessed = verdict.attempt_class == AttemptClass::rate_limited || verdict.attempt_class == AttemptClass::refresh_token ||
                           (response.status == service_unavailable && outcome.hint);
  std::string what = describe(error);
  if (response.status >= 300 && response.status < 400) {
    const std::string location = shown_location(response);
    if (!location.empty()) what += "; Location: " + location;
  }
  outcome.failure.emplace(verdict.code, std::move(what));
  outcome.failure->with_hint(std::move(verdict.hint)).with_last_status(response.status).with_phase(Phase::response);
  mask.hide_in(*outcome.failure);  // from other headers, or written with escapes
  return outcome;
}

Outcome of_missing_flavor(const HttpResponse& response) {
  Outcome outcome;
  outcome.attempt_class = response.status >= 500 ? AttemptClass::transient : AttemptClass::permanent;
  outcome.failure.emplace(
      Errc::failed_precondition,
      fmt::format("the answer (HTTP {}) lacks 'Metadata-Flavor: Google': this is not a metadata server", response.status));
  outcome.failure->with_hint("check GCE_METADATA_HOST, and for a proxy or captive portal in between")
      .with_last_status(response.status)
      .with_phase(Phase::response);
  return outcome;
}

}  // namespace

std::optional<std::string> moved_within_server(const ApiRequest& request, const Result<HttpResponse>& answer) {
  if (request.service != Service::metadata || request.http.method != HttpMethod::get || !answer || answer->status != 301)
    return std::nullopt;
  const std::string_view location = answer->headers.get("location").value_or("");
  const Url& asked = request.http.url;
  const Result<Url> url =
      Url::parse(location.starts_with('/') && !location.starts_with("//") ? asked.origin() + std::string(location) : std::string(location));
  const bool is_same = url && url->is_https == asked.is_https && url->port == asked.port && equals_ignoring_case(url->host, asked.host);
  if (!is_same || url->target == asked.target) return std::nullopt;
  return url->target;
}

Outcome outcome_of(const ApiRequest& request, const TokenMask& mask, const Result<HttpResponse>& answer, const TimeSource& time) {
  if (!answer) return of_transport(answer.error());
  if (request.needs_metadata_flavor && !equals_ignoring_case(answer->headers.get("metadata-flavor").value_or(""), "Google")) {
    return of_missing_flavor(*answer);
  }
  if (answer->status >= 200 && answer->status < 300) return Outcome();
  return of_status(request, mask, *answer, time);
}

}  // namespace rollcall
