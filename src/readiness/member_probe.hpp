// Asks the members themselves, side by side, whether they are there.
#pragma once

#include <string_view>

#include "readiness/wait_judge.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// What is wrong with a member that cannot even be asked.
inline constexpr std::string_view has_no_port = "its address has no port";

enum class MembersAsked {
  unasked,     ///< those of whom nothing is known
  unanswered,  ///< and those that have not answered well
  all,
};

/// Keeps how each address answered, and asks again where that is not good or not fresh enough.
class MemberProbe {
 public:
  explicit MemberProbe(Readiness until) : until_(until) {}

  bool is_needed() const noexcept { return includes(until_, Readiness::reachable) || includes(until_, Readiness::devices); }
  const ProbeAnswers& answers() const noexcept { return answers_; }
  /// Asks those members that have an address: at most 256 at a time, each for at most five seconds. `status` must outlive the await and
  /// stay as it is. Errors: cancelled.
  asio::awaitable<Result<void>> ask(Call& call, const ClusterStatus& status, MembersAsked who);

 private:
  Readiness until_;
  ProbeAnswers answers_;
};

}  // namespace rollcall
