// The attempts of one request: how one ended, as far as another attempt is concerned, and whether there is another.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "call/api_client.hpp"
#include "call/backoff.hpp"
#include "call/runtime_impl.hpp"
#include "call/token_mask.hpp"
#include "rollcall/retry_policy.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall {

// A class with a constructor: it is returned into coroutines.
class Outcome {
 public:
  Outcome() {}
  AttemptClass attempt_class = AttemptClass::success;
  std::optional<Failure> failure;  ///< unless success
  std::optional<Duration> hint;    ///< the pause that the server asked for
  bool is_connect_failure = false;
  /// For sure the request was not carried out: it never left, or the server says that it turned it away.
  bool is_unprocessed = false;
};

/// Pure. `mask` hides the token that the request was sent with.
Outcome outcome_of(const ApiRequest& request, const TokenMask& mask, const Result<HttpResponse>& answer, const TimeSource& time);

/// Where the metadata server redirects a request for a directory that lacks its slash: a path of its own [facts: metadata-directory].
std::optional<std::string> moved_within_server(const ApiRequest& request, const Result<HttpResponse>& answer);

/// The state of the retry loop of one request. `call` and `request` must outlive it.
class Attempts {
 public:
  Attempts(Call& call, const ApiRequest& request);

  HostLimiter& limiter() { return limiter_; }
  int count() const { return backoff_.tries(); }
  bool has_refreshed() const { return backoff_.has_refreshed(); }

  /// The bounds of the attempt that begins: its silence leaves time for another one, where another may follow.
  ExchangeOptions bounds();
  /// The attempt has to wait for a permit: for the log, and for the message, should the deadline come first.
  void announce_wait() const;
  /// The failure to give up with, or none: then `wait()`.
  std::optional<Failure> give_up(Outcome& outcome);
  /// Until the next attempt. May suspend. False: cancelled.
  asio::awaitable<bool> wait() { return backoff_.wait(); }

 private:
  bool is_shortened(Duration usual) const { return silence_ && (usual <= Duration::zero() || usual > *silence_); }
  void explain_silence(Failure& failure) const;
  Failure finish(Failure failure, AttemptClass attempt_class, std::string_view reason) const;
  std::string named(const std::string& what) const;
  void note_rate_limit(const RetryDecision& decision, std::optional<Duration> hint);
  void remember(const Failure& failure);

  Call& call_;
  const ApiRequest& request_;
  ExchangeOptions usual_;
  HostLimiter& limiter_;
  Backoff backoff_;
  std::optional<Duration> refused_hint_;
  std::optional<Duration> silence_;  // the longest of the attempt, where another may follow

  void allow_more_silence();
};

}  // namespace rollcall
