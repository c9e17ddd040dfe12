#include "async/api_client.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "async/api_token.hpp"
#include "async/backoff.hpp"
#include "async/exchange_trace.hpp"
#include "async/runtime_impl.hpp"
#include "async/token_mask.hpp"
#include "async/token_rules.hpp"
#include "core/text.hpp"
#include "parse/google_error.hpp"
#include "parse/retry_after.hpp"

namespace rollcall {
namespace {

// What one attempt came to. A class with a constructor: it is returned into coroutines.
class Outcome {
 public:
  Outcome() {}
  AttemptClass attempt_class = AttemptClass::success;
  std::optional<Failure> failure;  ///< unless success
  std::optional<Duration> hint;    ///< the server's wish for a pause
  bool is_connect_failure = false;
};

Outcome of_transport(Failure failure) {
  Outcome outcome;
  switch (failure.code()) {
    case Errc::unreachable:
    case Errc::unknown_host:
    case Errc::resolve_timeout:
    case Errc::connect_timeout:
    case Errc::handshake_timeout:
    case Errc::response_timeout: outcome.attempt_class = AttemptClass::transient; break;
    default: outcome.attempt_class = AttemptClass::permanent;
  }
  outcome.is_connect_failure = failure.phase() == Phase::resolve || failure.phase() == Phase::connect;
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

// The metadata server answers for a directory without its slash by sending its client to the right path of its own (wire-facts A.8).
std::optional<std::string> moved_within_server(const ApiRequest& request, const Result<HttpResponse>& answer) {
  if (request.service != Service::metadata || !answer || answer->status != 301) return std::nullopt;
  const std::string_view location = answer->headers.get("location").value_or("");
  const Url& asked = request.http.url;
  const Result<Url> url =
      Url::parse(location.starts_with('/') && !location.starts_with("//") ? asked.origin() + std::string(location) : std::string(location));
  const bool is_same = url && url->is_https == asked.is_https && url->port == asked.port && equals_ignoring_case(url->host, asked.host);
  if (!is_same || url->target == asked.target) return std::nullopt;
  return url->target;
}

Outcome of_status(const ApiRequest& request, const HttpResponse& response, const TimeSource& time) {
  GoogleError error = parse_google_error(response.status, response.headers.get("content-type").value_or(""), response.body);
  if (const auto after = response.headers.get("retry-after")) error.note_retry_after(parse_retry_after(*after, time.wall_now()));
  StatusVerdict verdict = classify_status(response.status, error, request.service);
  Outcome outcome;
  outcome.attempt_class = verdict.attempt_class;
  outcome.hint = error.retry_delay;
  std::string what = describe(error);
  if (response.status >= 300 && response.status < 400) {
    const std::string location = shown_location(response);
    if (!location.empty()) what += "; Location: " + location;
  }
  outcome.failure.emplace(verdict.code, std::move(what));
  outcome.failure->with_hint(std::move(verdict.hint)).with_last_status(response.status).with_phase(Phase::response);
  TokenMask(request.http.bearer.reveal()).hide_in(*outcome.failure);  // from other headers, or written with escapes
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

Outcome of_answer(const ApiRequest& request, const Result<HttpResponse>& answer, const TimeSource& time) {
  if (!answer) return of_transport(answer.error());
  if (request.needs_metadata_flavor && !equals_ignoring_case(answer->headers.get("metadata-flavor").value_or(""), "Google")) {
    return of_missing_flavor(*answer);
  }
  if (answer->status >= 200 && answer->status < 300) return Outcome();
  return of_status(request, *answer, time);
}

// The state of the retry loop of one request.
class Attempts {
 public:
  Attempts(Call& call, const ApiRequest& request)
      : call_(call), request_(request), gate_(call.impl().host(request.http.url)), backoff_(call, call.options().retry(), call.deadline()) {
  }

  HostGate& gate() { return gate_; }
  /// For the message, should the deadline come first.
  void note_pause() {
    if (call_.state().last_trouble.empty()) call_.state().last_trouble = named("the host has asked for fewer requests (rate limit)");
  }
  int count() const { return backoff_.tries(); }
  bool has_refreshed() const { return backoff_.has_refreshed(); }

  /// The failure to give up with, or none: then `wait()`.
  std::optional<Failure> give_up(Outcome& outcome) {
    RetryDecision decision;
    if (call_.state().is_expired || outcome.failure->code() == Errc::cancelled) {
      decision.reason = "the call was stopped";
    } else if (outcome.attempt_class == AttemptClass::transient && !gate_.budget().on_failure()) {
      decision.reason = "too many requests to this host have failed lately (retry budget)";
    } else if (outcome.is_connect_failure && request_.max_connect_retries >= 0 && backoff_.retries() >= request_.max_connect_retries) {
      decision.reason = "nothing suggests that a server exists there";
    } else {
      decision = backoff_.decide(outcome.attempt_class, outcome.hint);
    }
    remember(*outcome.failure);
    refused_hint_ = decision.refused_hint;
    if (outcome.attempt_class == AttemptClass::throttled) slow_host_down(decision, outcome.hint);
    if (!decision.retry) return finish(std::move(*outcome.failure), outcome.attempt_class, decision.reason);
    backoff_.announce(request_.http.url.host, *outcome.failure);
    return std::nullopt;
  }
  asio::awaitable<bool> wait() { return backoff_.wait(); }

  Failure finish(Failure failure, AttemptClass attempt_class, std::string_view reason) const {
    failure.with_what(named(failure.what()));
    const bool could_retry = attempt_class == AttemptClass::transient || attempt_class == AttemptClass::throttled;
    if (could_retry && !reason.empty() && failure.code() != Errc::cancelled) {
      const std::string asked =
          refused_hint_ ? fmt::format(": {:.3g} s", std::chrono::duration<double>(*refused_hint_).count()) : std::string();
      failure.with_what(fmt::format("{} ({}{})", failure.what(), reason, asked));
    }
    failure.with_attempts(count());
    failure.with_target(request_.http.url.without_query());  // the dialer knows the host only
    return failure;
  }

 private:
  // What the request is about comes first in every message.
  std::string named(const std::string& what) const {
    return request_.what.empty() || what.starts_with(request_.what) ? what : request_.what + ": " + what;
  }

  // Until this request is repeated; if it is not, for as long as the server asks, but not for ever: others may have less patience.
  void slow_host_down(const RetryDecision& decision, std::optional<Duration> hint) {
    constexpr Duration usual = std::chrono::seconds(1);
    constexpr Duration longest = std::chrono::seconds(10);
    const Duration pause = decision.retry ? decision.delay : std::min(hint.value_or(usual), longest);
    gate_.slow_down(*call_.impl().timers, call_.impl().time->now() + pause);
  }

  void remember(const Failure& failure) {
    CallState& state = call_.state();
    ++state.attempts;
    if (failure.code() == Errc::cancelled) {
      state.current_phase = failure.phase();
    } else {
      state.last_trouble = named(failure.what());
      state.current_phase = Phase::overall;
    }
    if (failure.last_status() != 0) state.last_status = failure.last_status();
    state.current_target = request_.http.url.without_query();
  }

  Call& call_;
  const ApiRequest& request_;
  HostGate& gate_;
  Backoff backoff_;
  std::optional<Duration> refused_hint_;
};

Failure stopped(const ApiRequest& request, Phase phase) {
  return Failure(Errc::cancelled, request.what + ": stopped").with_phase(phase).with_target(request.http.url.without_query());
}

// One attempt whose body goes into the sink.
asio::awaitable<Result<HttpResponse>> stream_into(Runtime::Impl& impl, ApiRequest& request, BodySink* sink) {
  sink->restart();
  Result<std::unique_ptr<HttpStream>> opened = co_await impl.http->open(request.http, request.exchange);
  if (!opened) co_return opened.error();
  HttpStream& stream = **opened;
  HttpResponse head = stream.head();
  const bool is_wanted = head.status >= 200 && head.status < 300;
  TokenMask mask(request.service == Service::other ? std::string_view() : request.http.bearer.reveal());
  constexpr std::size_t max_error_body = 64 * 1024;
  if (is_wanted) sink->begin();
  for (;;) {
    Result<std::string_view> piece = co_await stream.read();
    if (!piece) co_return piece.error();
    const bool is_end = piece->empty();
    if (is_wanted) {
      const std::string_view shown = is_end ? mask.rest() : mask.next(*piece);
      const Result<void> taken = shown.empty() ? Result<void>() : sink->take(shown);
      if (!taken) co_return taken.error();
    } else {
      head.body.append(piece->substr(0, max_error_body - head.body.size()));
    }
    if (is_end || head.body.size() == max_error_body) co_return head;
  }
}

asio::awaitable<Result<HttpResponse>> send_with_retries(Call& call, ApiRequest& request, BodySink* sink) {
  Runtime::Impl& impl = call.impl();
  if (sends_token(request)) {
    const Result<void> allowed = check_token_destination(request.http.url);
    if (!allowed) co_return allowed.error();
  }
  constexpr int max_moves = 3;
  int moves = 0;
  Attempts attempts(call, request);
  for (;;) {
    AccessToken token;
    if (sends_token(request)) {
      Credentials& credentials = credentials_for(call, request);
      std::optional<Result<AccessToken>> got = credentials.token_at_hand(call);
      if (!got) got.emplace(co_await credentials.token(call));
      if (!*got) co_return got->error();
      token = std::move(**got);
      request.http.bearer = token.value;
    }
    HostPlace place;
    if (request.takes_place && !attempts.gate().try_enter()) {
      if (attempts.gate().is_paused()) attempts.note_pause();
      impl.emit({.kind = EventKind::waiting_for_slot, .call = call.id(), .attempt = attempts.count(), .subject = request.http.url.host});
      const bool entered = co_await attempts.gate().enter();
      if (!entered) co_return stopped(request, Phase::overall);
    }
    if (request.takes_place) place.adopt(attempts.gate());
    ExchangeTrace trace(call, request.http, attempts.count());
    request.exchange.observer = trace.observer();
    asio::awaitable<Result<HttpResponse>> sending =
        sink ? stream_into(impl, request, sink) : impl.http->send(request.http, request.exchange);
    Result<HttpResponse> answer = co_await std::move(sending);
    place.reset();
    hide_token(request, answer);
    trace.finish(answer);
    std::optional<std::string> moved = moved_within_server(request, answer);
    if (moved && moves++ < max_moves) {
      request.http.url.target = std::move(*moved);
      continue;
    }
    Outcome outcome = of_answer(request, answer, *impl.time);
    if (outcome.attempt_class == AttemptClass::success) {
      attempts.gate().budget().on_success();
      attempts.gate().speed_up();
      co_return answer;
    }
    if (outcome.attempt_class == AttemptClass::refresh_token) {
      forget_token(call, request, token);
      bool is_worth_another = !attempts.has_refreshed();
      if (is_worth_another) is_worth_another = co_await has_other_token(call, request, token);
      if (!is_worth_another) outcome.attempt_class = AttemptClass::permanent;
    }
    std::optional<Failure> final_failure = attempts.give_up(outcome);
    if (final_failure) co_return std::move(*final_failure);
    const bool woken = co_await attempts.wait();
    if (!woken) co_return stopped(request, Phase::overall);
  }
}

}  // namespace

asio::awaitable<Result<HttpResponse>> api_send(Call& call, ApiRequest& request) {
  request.exchange.max_body_bytes = call.impl().limits.max_body_bytes;
  request.exchange.max_header_bytes = call.impl().limits.max_header_bytes;
  return send_with_retries(call, request, nullptr);
}

asio::awaitable<Result<HttpResponse>> api_stream(Call& call, ApiRequest& request, BodySink& sink, std::size_t max_bytes) {
  request.exchange.max_body_bytes = max_bytes;
  request.exchange.max_header_bytes = call.impl().limits.max_header_bytes;
  return send_with_retries(call, request, &sink);
}

}  // namespace rollcall
