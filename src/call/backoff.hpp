// The step between two tries of one question: the decision, its announcement, the wait. Every repetition goes through here.
#pragma once

#include <string_view>

#include "call/runtime_impl.hpp"
#include "rollcall/call.hpp"
#include "rollcall/retry_policy.hpp"

namespace rollcall {

class Backoff {
 public:
  /// `call` must outlive this. No wait reaches `deadline`.
  Backoff(Call& call, const RetryPolicy& policy, SteadyTime deadline);

  int tries() const { return retries_ + 1; }               ///< the one that is under way included
  int retries() const { return retries_; }
  bool has_retries_left() const { return retries_ < policy_.max_retries(); }
  bool has_refreshed() const { return has_refreshed_; }    ///< a token was replaced already: once is enough

  /// Decides if and when another try follows one that ended with `outcome`; `hint` is the pause that the server asked for.
  RetryDecision decide(AttemptClass outcome, std::optional<Duration> hint = {});
  /// Tells the log of the wait before wait(). `subject` names the server.
  void announce(std::string_view subject, const Failure& failure) const;
  /// Until the next try, which is counted at once. May suspend. False: cancelled.
  asio::awaitable<bool> wait();

 private:
  Call& call_;
  RetryPolicy policy_;
  SteadyTime deadline_;
  int retries_ = 0;
  bool has_refreshed_ = false;
  bool is_server_delay_ = false;
  Duration delay_{0};
};

}  // namespace rollcall
