// Asking the members themselves, side by side, whether they are there.
#pragma once

#include "resolve/wait_judge.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// Keeps how each address answered, and asks again where that is not good or not fresh enough.
class MemberProbe {
 public:
  explicit MemberProbe(Readiness until) : until_(until) {}

  bool is_needed() const noexcept { return includes(until_, Readiness::reachable) || includes(until_, Readiness::devices); }
  const ProbeAnswers& answers() const noexcept { return answers_; }
  /// Asks every member with an address that has not answered well, or all of them again (`asks_all`): at most 256 at a time, each for
  /// at most five seconds. Errors: cancelled.
  asio::awaitable<Result<void>> ask(Call& call, const ClusterStatus& status, bool asks_all);

 private:
  Readiness until_;
  ProbeAnswers answers_;
};

}  // namespace rollcall
