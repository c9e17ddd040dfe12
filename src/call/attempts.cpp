#include "call/attempts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/rules/classify_status.hpp"
#include "call/rules/google_error.hpp"

namespace rollcall {
namespace {

Outcome of_transport(const ApiRequest& request, Failure failure) {
  const bool is_absent_server =
      failure.code() == Errc::unknown_host || (failure.phase() == Phase::connect && failure.code() != Errc::cancelled);
  if (is_absent_server && !request.absent_server_hint.empty()) failure.with_hint(request.absent_server_hint);
  Outcome outcome;
  outcome.attempt_class = classify_failure(failure.code());
  outcome.is_connect_failure = failure.phase() == Phase::resolve || failure.phase() == Phase::connect;
  outcome.is_unprocessed = outcome.is_connect_failure || failure.phase() == Phase::handshake || failure.phase() == Phase::overall;
  outcome.failure = std::move(failure);
  return outcome;
}

// The destination of a redirect, without a query; empty when there is none that can be shown.
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
  std::optional<StatusVerdict> own;
  if (request.service->own_verdict)
    own = request.service->own_verdict(response.status, response.headers.get("content-type").value_or(""), response.body);
  StatusVerdict verdict = own ? std::move(*own) : classify_status(response.status, error, *request.service);
  Outcome outcome;
  outcome.attempt_class = verdict.attempt_class;
  outcome.hint = error.retry_delay;
  constexpr int service_unavailable = 503;
  outcome.is_unprocessed = verdict.attempt_class == AttemptClass::rate_limited || verdict.attempt_class == AttemptClass::refresh_token ||
                           (response.status == service_unavailable && outcome.hint);
  std::string what = verdict.what.empty() ? describe(error) : std::move(verdict.what);
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
  constexpr int too_many_requests = 429;
  const bool is_passing = response.status >= 500 || response.status == too_many_requests;
  outcome.attempt_class = is_passing ? AttemptClass::transient : AttemptClass::permanent;
  outcome.failure.emplace(
      is_passing ? Errc::unavailable : Errc::failed_precondition,
      fmt::format("the answer (HTTP {}) lacks 'Metadata-Flavor: Google': this is not a metadata server", response.status));
  outcome.failure->with_hint("check GCE_METADATA_HOST, and for a proxy or captive portal in between")
      .with_last_status(response.status)
      .with_phase(Phase::response);
  return outcome;
}

// How long an attempt may wait without data, so that another one has a chance in the time that is left. Two thirds: for a server that is
// only slow, 20 of 30 s. In whole milliseconds, since messages show it.
constexpr Duration silence_within(Duration left) {
  return std::max<Duration>(std::chrono::round<std::chrono::milliseconds>(left - left / 3), std::chrono::seconds(1));
}

// Lower bound for shared work, even if its first caller has less time: further callers may be waiting.
constexpr Duration min_silence_of_shared = std::chrono::seconds(5);

RetryPolicy policy_for(Call& call, const ApiRequest& request) {
  RetryPolicy policy = call.options().retry();
  if (request.is_probe) policy.max_retries(0);
  return policy;
}

}  // namespace

std::optional<std::string> moved_within_server(const ApiRequest& request, const Result<HttpResponse>& answer) {
  if (!request.service->may_move || request.http.method != HttpMethod::get || !answer || answer->status != 301) return std::nullopt;
  const std::string_view location = answer->headers.get("location").value_or("");
  const Url& asked = request.http.url;
  const Result<Url> url =
      Url::parse(location.starts_with('/') && !location.starts_with("//") ? asked.origin() + std::string(location) : std::string(location));
  const bool is_same = url && url->is_https == asked.is_https && url->port == asked.port && equals_ignoring_case(url->host, asked.host);
  if (!is_same || url->target == asked.target) return std::nullopt;
  return url->target;
}

Outcome outcome_of(const ApiRequest& request, const TokenMask& mask, const Result<HttpResponse>& answer, const TimeSource& time) {
  if (!answer) return of_transport(request, answer.error());
  if (request.needs_metadata_flavor && !equals_ignoring_case(answer->headers.get("metadata-flavor").value_or(""), "Google")) {
    return of_missing_flavor(*answer);
  }
  if (answer->status >= 200 && answer->status < 300) return Outcome();
  return of_status(request, mask, *answer, time);
}

Attempts::Attempts(Call& call, const ApiRequest& request)
    : call_(call), request_(request), usual_(request.exchange), limiter_(impl_of(call).host(request.http.url)),
      backoff_(call, policy_for(call, request), call.deadline()) {}

ExchangeOptions Attempts::bounds() {
  const bool has_another = backoff_.has_retries_left();
  const std::optional<SteadyTime> asked_again_until = state_of(call_).asked_again_until;
  // Shared work has more time than its first caller, which should still get another attempt where there is time for one.
  const bool is_needed_sooner = asked_again_until && *asked_again_until < call_.deadline();
  silence_.reset();
  if (!has_another && (!asked_again_until || is_needed_sooner)) return usual_;
  const SteadyTime end = has_another && !is_needed_sooner ? call_.deadline() : *asked_again_until;
  silence_ = silence_within(saturating_difference(end, impl_of(call_).time->now()));
  if (is_needed_sooner) {
    silence_ = std::max<Duration>(*silence_, min_silence_of_shared);
    if (state_of(call_).current_target.empty()) state_of(call_).current_target = request_.http.url.without_query();
  }
  ExchangeOptions shorter = usual_;
  for (const auto bound : {&ExchangeOptions::resolve_timeout, &ExchangeOptions::connect_timeout, &ExchangeOptions::handshake_timeout}) {
    if (is_shortened(usual_.*bound)) shorter.*bound = *silence_;
  }
  if (request_.http.may_be_repeated() && is_shortened(usual_.response_timeout)) shorter.response_timeout = *silence_;
  return shorter;
}

void Attempts::announce_wait() const {
  if (limiter_.is_paused() && state_of(call_).last_trouble.empty()) {
    state_of(call_).last_trouble = named("the host has asked for fewer requests (rate limit)");
  }
  impl_of(call_).emit({.kind = EventKind::waiting_for_slot, .call = call_.id(), .attempt = count(), .subject = request_.http.url.host});
}

std::optional<Failure> Attempts::give_up(Outcome& outcome) {
  RetryDecision decision;
  explain_silence(*outcome.failure);
  const bool is_stopped = state_of(call_).is_expired || outcome.failure->code() == Errc::cancelled;
  const bool is_transient = outcome.attempt_class == AttemptClass::transient;
  const bool is_affordable = is_stopped || !is_transient || limiter_.budget().on_failure();
  if (is_stopped) {
    decision.reason = state_of(call_).is_expired ? "the deadline has passed" : "the call was stopped";
  } else if (!outcome.is_unprocessed && is_transient && !request_.http.may_be_repeated()) {
    decision.reason = "not sent again, because it may have been carried out";
    outcome.failure->with_hint("look whether it took effect before you send it again");
  } else if (!is_affordable) {
    decision.reason = "too many requests to this host have failed lately (retry budget)";
  } else if (outcome.is_connect_failure && request_.max_connect_retries >= 0 && backoff_.retries() >= request_.max_connect_retries) {
    decision.reason = "nothing suggests that a server exists there";
  } else {
    decision = backoff_.decide(outcome.attempt_class, outcome.hint);
  }
  if (!request_.is_probe) remember(*outcome.failure);
  refused_hint_ = decision.refused_hint;
  if (outcome.attempt_class == AttemptClass::rate_limited) note_rate_limit(decision, outcome.hint);
  if (!decision.retry) return finish(std::move(*outcome.failure), outcome.attempt_class, decision.reason);
  if (outcome.failure->code() == Errc::response_timeout) allow_more_silence();
  backoff_.announce(request_.http.url.host, *outcome.failure);
  return std::nullopt;
}

Failure Attempts::finish(Failure failure, AttemptClass attempt_class, std::string_view reason) const {
  failure.with_what(named(failure.what()));
  const bool could_retry = attempt_class == AttemptClass::transient || attempt_class == AttemptClass::rate_limited;
  if (could_retry && !reason.empty() && failure.code() != Errc::cancelled) {
    const std::string asked =
        refused_hint_ ? fmt::format(": {:.3g} s", std::chrono::duration<double>(*refused_hint_).count()) : std::string();
    failure.with_what(fmt::format("{} ({}{})", failure.what(), reason, asked));
  }
  failure.with_attempts(count());
  failure.with_target(request_.http.url.without_query());  // the dialer knows the host only
  return failure;
}

// Without this, a server that needs more time than a shortened attempt allows would time out in each attempt: double the limit.
void Attempts::allow_more_silence() {
  const Duration max = ExchangeOptions().response_timeout;
  if (usual_.response_timeout <= Duration::zero() || usual_.response_timeout >= max) return;
  usual_.response_timeout = std::min<Duration>(2 * usual_.response_timeout, max);
}

void Attempts::explain_silence(Failure& failure) const {
  const bool is_short =
      (failure.code() == Errc::resolve_timeout && is_shortened(usual_.resolve_timeout)) ||
      (failure.code() == Errc::connect_timeout && is_shortened(usual_.connect_timeout)) ||
      (failure.code() == Errc::handshake_timeout && is_shortened(usual_.handshake_timeout)) ||
      (failure.code() == Errc::response_timeout && is_shortened(usual_.response_timeout) && request_.http.may_be_repeated());
  if (!is_short) return;
  failure.with_what(failure.what() + "; not waited for longer, to leave time for another attempt before the deadline");
}

// Every message begins with the subject of the request.
std::string Attempts::named(const std::string& what) const {
  return request_.what.empty() || what.starts_with(request_.what) ? what : request_.what + ": " + what;
}

// The pause lasts until this request is repeated; if it is not, for the time that the server requested, within bounds: other requests may
// succeed sooner.
void Attempts::note_rate_limit(const RetryDecision& decision, std::optional<Duration> hint) {
  constexpr Duration usual = std::chrono::seconds(1);
  constexpr Duration max = std::chrono::seconds(10);
  const Duration pause = decision.retry ? decision.delay : std::min(hint.value_or(usual), max);
  limiter_.note_rate_limit(impl_of(call_).timers, saturating_sum(impl_of(call_).time->now(), pause));
}

void Attempts::remember(const Failure& failure) {
  CallState& state = state_of(call_);
  ++state.attempts;
  if (failure.code() == Errc::cancelled) {
    state.current_phase = failure.phase();
  } else {
    state.last_trouble = named(failure.what());
    state.current_phase = failure.phase() == Phase::resolve ? Phase::resolve : Phase::overall;  // a failed name server usually stays down
  }
  if (failure.last_status() != 0) state.last_status = failure.last_status();
  state.current_target = request_.http.url.without_query();
}

}  // namespace rollcall
