// Probes the members themselves, concurrently.
#pragma once

#include <string_view>

#include "readiness/wait_judge.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

/// The trouble of a member that cannot be probed.
inline constexpr std::string_view has_no_port = "its address has no port";

enum class MembersAsked {
  unasked,     ///< members without an answer yet
  unanswered,  ///< also members whose last answer was a failure
  all,
};

/// Stores the answer of each address, and probes it again if the answer is a failure or too old.
class MemberProbe {
 public:
  explicit MemberProbe(Readiness until) : until_(until) {}

  bool is_needed() const noexcept { return includes(until_, Readiness::reachable) || includes(until_, Readiness::devices); }
  const ProbeAnswers& answers() const noexcept { return answers_; }
  /// Probes the members that have an address: at most 256 at a time, each for at most five seconds. `status` must outlive the await and
  /// must not change. Errors: cancelled.
  asio::awaitable<Result<void>> ask(Call& call, const ClusterStatus& status, MembersAsked who);

 private:
  Readiness until_;
  ProbeAnswers answers_;
};

}  // namespace rollcall
