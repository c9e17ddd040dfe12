#include "call/api_client.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "call/api_token.hpp"
#include "call/attempts.hpp"
#include "call/backoff.hpp"
#include "call/exchange_trace.hpp"
#include "call/runtime_impl.hpp"
#include "call/token_rules.hpp"

namespace rollcall {
namespace {

// How long an attempt may be silent, so that another one has a chance in the time that is left. Two thirds: a server that is only slow is
// waited for by 20 of 30 s. In whole milliseconds, since messages tell it.
constexpr Duration longest_silence(Duration left) {
  return std::max<Duration>(std::chrono::round<std::chrono::milliseconds>(left - left / 3), std::chrono::seconds(1));
}

RetryPolicy policy_for(Call& call, const ApiRequest& request) {
  RetryPolicy policy = call.options().retry();
  if (request.is_probe) policy.max_retries(0);
  return policy;
}

// The state of the retry loop of one request.
class Attempts {
 public:
  Attempts(Call& call, const ApiRequest& request)
      : call_(call), request_(request), usual_(request.exchange), limiter_(call.impl().host(request.http.url)),
        backoff_(call, policy_for(call, request), call.deadline()) {}

  HostLimiter& limiter() { return limiter_; }
  /// The bounds of the attempt that begins: its silence leaves time for another one, where another may follow.
  ExchangeOptions bounds() {
    const bool has_another = backoff_.has_retries_left();
    const std::optional<SteadyTime> asked_again_until = call_.state().asked_again_until;
    silence_.reset();
    if (!has_another && !asked_again_until) return usual_;
    const SteadyTime end = has_another ? call_.deadline() : *asked_again_until;
    silence_ = longest_silence(saturating_difference(end, call_.impl().time->now()));
    ExchangeOptions shorter = usual_;
    for (const auto bound : {&ExchangeOptions::resolve_timeout, &ExchangeOptions::connect_timeout, &ExchangeOptions::handshake_timeout}) {
      if (is_shortened(usual_.*bound)) shorter.*bound = *silence_;
    }
    if (request_.http.may_be_repeated() && is_shortened(usual_.response_timeout)) shorter.response_timeout = *silence_;
    return shorter;
  }

  /// The attempt has to wait for a permit: for the log, and for the message, should the deadline come first.
  void announce_wait() const {
    if (limiter_.is_paused() && call_.state().last_trouble.empty()) {
      call_.state().last_trouble = named("the host has asked for fewer requests (rate limit)");
    }
    call_.impl().emit({.kind = EventKind::waiting_for_slot, .call = call_.id(), .attempt = count(), .subject = request_.http.url.host});
  }
  int count() const { return backoff_.tries(); }
  bool has_refreshed() const { return backoff_.has_refreshed(); }

  /// The failure to give up with, or none: then `wait()`.
  std::optional<Failure> give_up(Outcome& outcome) {
    RetryDecision decision;
    explain_silence(*outcome.failure);
    const bool is_stopped = call_.state().is_expired || outcome.failure->code() == Errc::cancelled;
    const bool is_transient = outcome.attempt_class == AttemptClass::transient;
    const bool is_affordable = is_stopped || !is_transient || limiter_.budget().on_failure();
    if (is_stopped) {
      decision.reason = "the call was stopped";
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
    backoff_.announce(request_.http.url.host, *outcome.failure);
    return std::nullopt;
  }
  asio::awaitable<bool> wait() { return backoff_.wait(); }

  Failure finish(Failure failure, AttemptClass attempt_class, std::string_view reason) const {
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

 private:
  bool is_shortened(Duration usual) const { return silence_ && (usual <= Duration::zero() || usual > *silence_); }

  void explain_silence(Failure& failure) const {
    const bool is_short =
        (failure.code() == Errc::resolve_timeout && is_shortened(usual_.resolve_timeout)) ||
        (failure.code() == Errc::connect_timeout && is_shortened(usual_.connect_timeout)) ||
        (failure.code() == Errc::handshake_timeout && is_shortened(usual_.handshake_timeout)) ||
        (failure.code() == Errc::response_timeout && is_shortened(usual_.response_timeout) && request_.http.may_be_repeated());
    if (!is_short) return;
    failure.with_what(failure.what() + "; not waited for longer, to leave time for another attempt before the deadline");
  }

  // What the request is about comes first in every message.
  std::string named(const std::string& what) const {
    return request_.what.empty() || what.starts_with(request_.what) ? what : request_.what + ": " + what;
  }

  // The pause lasts until this request is repeated; if it is not, for as long as the server asks, within reason: other requests may be
  // worth another try sooner.
  void note_rate_limit(const RetryDecision& decision, std::optional<Duration> hint) {
    constexpr Duration usual = std::chrono::seconds(1);
    constexpr Duration longest = std::chrono::seconds(10);
    const Duration pause = decision.retry ? decision.delay : std::min(hint.value_or(usual), longest);
    limiter_.note_rate_limit(*call_.impl().timers, saturating_sum(call_.impl().time->now(), pause));
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
  const ExchangeOptions usual_;
  HostLimiter& limiter_;
  Backoff backoff_;
  std::optional<Duration> refused_hint_;
  std::optional<Duration> silence_;  // the longest of the attempt, where another may follow
};

Failure stopped(const ApiRequest& request, Phase phase) {
  return Failure(Errc::cancelled, request.what + ": stopped").with_phase(phase).with_target(request.http.url.without_query());
}

// One attempt whose body goes into the sink.
asio::awaitable<Result<HttpResponse>> stream_into(Runtime::Impl& impl, ApiRequest& request, TokenMask mask, BodySink* sink) {
  sink->restart();
  Result<std::unique_ptr<HttpStream>> opened = co_await impl.http->open(request.http, request.exchange);
  if (!opened) co_return opened.error();
  HttpStream& stream = **opened;
  HttpResponse head = stream.head();
  const bool is_wanted = head.status >= 200 && head.status < 300;
  if (request.service == Service::other) mask = TokenMask(nullptr);
  constexpr std::size_t max_error_body = 64 * 1024;
  if (is_wanted) sink->begin();
  for (;;) {
    Result<std::string_view> piece = co_await stream.read();
    if (!piece) co_return piece.error();
    const bool is_end = piece->empty();
    if (is_wanted) {
      const Result<void> taken = take_masked(mask, *piece, *sink);
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
      std::optional<Result<AccessToken>> got = credentials.cached_token(call);
      if (!got) got.emplace(co_await credentials.token(call));
      if (!*got) co_return got->error();
      token = std::move(**got);
      request.http.bearer = token.value;
    }
    HostPermit permit;
    if (request.counts_against_limit) permit = attempts.limiter().try_acquire();
    if (request.counts_against_limit && !permit) {
      attempts.announce_wait();
      permit = co_await attempts.limiter().acquire();
      if (!permit) co_return stopped(request, Phase::overall);
    }
    ExchangeTrace trace(call, request.http, attempts.count());
    request.exchange = attempts.bounds();
    request.exchange.observer = trace.observer();
    const TokenMask mask = mask_for(impl, request);
    asio::awaitable<Result<HttpResponse>> sending =
        sink ? stream_into(impl, request, mask, sink) : impl.http->send(request.http, request.exchange);
    Result<HttpResponse> answer = co_await std::move(sending);
    permit.give_back();
    hide_token(mask, request, answer);
    trace.finish(answer);
    std::optional<std::string> moved = moved_within_server(request, answer);
    if (moved && moves++ < max_moves) {
      request.http.url.target = std::move(*moved);
      continue;
    }
    Outcome outcome = outcome_of(request, mask, answer, *impl.time);
    if (outcome.attempt_class == AttemptClass::success) {
      attempts.limiter().budget().on_success();
      attempts.limiter().speed_up();
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
