// The attempts of one request: the outcome of each, and whether another one follows.
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

// Has a constructor, because coroutines return it (see tests/hygiene/spelling.py).
class Outcome {
 public:
  Outcome() {}
  AttemptClass attempt_class = AttemptClass::success;
  std::optional<Failure> failure;  ///< unless success
  std::optional<Duration> hint;    ///< the pause that the server requested
  bool is_connect_failure = false;
  /// True if the server certainly did not process the request: it was never sent, or the server says that it rejected it.
  bool is_unprocessed = false;
};

/// Pure. `mask` hides the token that the request was sent with.
Outcome outcome_of(const ApiRequest& request, const TokenMask& mask, const Result<HttpResponse>& answer, const TimeSource& time);

/// The redirect target if the metadata server redirects a request for a directory without its final slash [facts: metadata-directory].
std::optional<std::string> moved_within_server(const ApiRequest& request, const Result<HttpResponse>& answer);

/// The state of the retry loop of one request. `call` and `request` must outlive it.
class Attempts {
 public:
  Attempts(Call& call, const ApiRequest& request);

  HostLimiter& limiter() { return limiter_; }
  int count() const { return backoff_.tries(); }
  bool has_refreshed() const { return backoff_.has_refreshed(); }

  /// The limits of the next attempt: its time without data is bounded so that another attempt may follow.
  ExchangeOptions bounds();
  /// Reports that the attempt waits for a permit: for the log, and for the message if the deadline passes meanwhile.
  void announce_wait() const;
  /// The failure to return, or none: then `wait()`.
  std::optional<Failure> give_up(Outcome& outcome);
  /// Suspends until the next attempt. False: cancelled.
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
  std::optional<Duration> silence_;  // the maximum time without data in this attempt, where another may follow

  void allow_more_silence();
};

}  // namespace rollcall
