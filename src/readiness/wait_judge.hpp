// Is the cluster ready, and if not, who is missing? Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/wait.hpp"

namespace rollcall {

/// How a member answered when it was asked itself.
class ProbeAnswer {
 public:
  ProbeAnswer() {}
  std::string trouble;       ///< empty: it answered
  Duration unheard_before{}; ///< for how long it said nothing, where that is the trouble
};
/// By address. Absent: not asked yet.
using ProbeAnswers = std::map<std::string, ProbeAnswer, std::less<>>;

class WaitVerdict {
 public:
  WaitVerdict() {}
  bool is_ready = false;
  /// What can never become ready.
  std::optional<Failure> lost;
  int ready = 0;
  int listed = 0;  ///< of those: named by a list, and not asked
  int total = 0;
  std::vector<MissingMember> missing;  ///< `since` is not filled in
};

/// Whether the missing ones are wanted by name.
enum class MissingOnes { listed, counted };

/// A verdict in the making, for a loop that has other things to do as well. The arguments must outlive it.
class WaitJudge {
 public:
  /// `subject` names the cluster in the failure.
  WaitJudge(const ClusterStatus& status, Readiness until, const WaitOptions& options, const ProbeAnswers& answers, std::string subject,
            MissingOnes wanted = MissingOnes::listed);

  /// The pod that waits, by own_pod(): it is told so if it waits for itself. Must outlive this.
  void set_own_pod(std::string_view name) noexcept { own_pod_ = name; }
  /// The cluster gets no more members than there are now.
  void set_fixed() noexcept { is_fixed_ = true; }
  /// Looks at so many members more. False: at all of them; then the verdict is made.
  bool poll(std::size_t members);
  WaitVerdict take_verdict() { return std::move(verdict_); }

 private:
  template <class Who>
  void check_end(const Condition& condition, Who who);
  bool waits_for_own_state(const Member& member) const;
  void add_absent();
  void conclude();
  void check_number();

  const ClusterStatus& status_;
  Readiness until_;
  const WaitOptions& options_;
  const ProbeAnswers& answers_;
  std::string subject_;
  std::string_view own_pod_;
  MissingOnes wanted_;
  std::size_t next_ = 0;
  WaitVerdict verdict_;
  bool has_missing_ = false;
  bool is_fixed_ = false;
};

/// For those who do not ask members themselves: what takes their answers comes down to having an address.
Readiness without_probes(Readiness until) noexcept;

/// The verdict at once.
WaitVerdict judge_status(const ClusterStatus& status, Readiness until, const WaitOptions& options, const ProbeAnswers& answers,
                         const std::string& subject);

}  // namespace rollcall
