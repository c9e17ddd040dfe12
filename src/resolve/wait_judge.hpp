// Is the cluster ready, and if not, who is missing? Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "rollcall/wait.hpp"

namespace rollcall {

/// How the members answered when they were asked themselves, by address. Absent: not asked yet; empty: it answered.
using ProbeAnswers = std::map<std::string, std::string, std::less<>>;

class WaitVerdict {
 public:
  WaitVerdict() {}
  bool is_ready = false;
  /// What can never become ready.
  std::optional<Failure> lost;
  int ready = 0;
  int total = 0;
  std::vector<MissingMember> missing;  ///< `since` is not filled in
};

/// `subject` names the cluster in the failure.
WaitVerdict judge_status(const ClusterStatus& status, Readiness until, const WaitOptions& options, const ProbeAnswers& answers,
                         const std::string& subject);

/// Remembers since when each member has been missing for the same reason.
class WaitLedger {
 public:
  void note(std::vector<MissingMember>& missing, SteadyTime now);

 private:
  using Key = std::pair<std::string, int>;
  std::map<Key, std::pair<std::string, SteadyTime>> entries_;
};

}  // namespace rollcall
