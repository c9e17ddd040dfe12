// Decides whether a cluster is ready, and which members are missing. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/wait.hpp"

namespace rollcall {

/// The result of a probe of a member.
class ProbeAnswer {
 public:
  ProbeAnswer() {}
  std::string trouble;       ///< empty if it answered
  Duration unheard_before{}; ///< how long it was silent, if silence is the trouble
};
/// By address. An absent address has not been probed yet.
using ProbeAnswers = std::map<std::string, ProbeAnswer, std::less<>>;

class WaitVerdict {
 public:
  WaitVerdict() {}
  bool is_ready = false;
  /// The failure if the cluster can never become ready.
  std::optional<Failure> lost;
  int ready = 0;
  int listed = 0;  ///< ready members that a list names without a check
  int total = 0;
  std::vector<MissingMember> missing;  ///< `since` is not set
};

/// Whether the missing members are listed or only counted.
enum class MissingDetail { members, count_only };

/// A judgement in steps, so that the event loop can run in between. The arguments must outlive it.
class WaitJudge {
 public:
  /// `subject` is the cluster's name in the failure.
  WaitJudge(const ClusterStatus& status, Readiness until, const WaitOptions& options, const ProbeAnswers& answers, std::string subject,
            MissingDetail wanted = MissingDetail::members);

  /// The pod of this process, by own_pod(). If it waits for itself, the reason says so. `name` must outlive this object.
  void set_own_pod(std::string_view name) noexcept { own_pod_ = name; }
  /// Declares that the cluster gets no more members than it has now.
  void set_fixed() noexcept { is_fixed_ = true; }
  /// Examines the next `members` members. False once all are examined and the verdict is complete.
  bool poll(std::size_t members);
  WaitVerdict take_verdict() { return std::move(verdict_); }

 private:
  template <class Who>
  void check_end(const Condition& condition, Who who);
  bool waits_for_own_state(const Member& member) const;
  int absent_places() const;
  void add_absent(int absent);
  void conclude();
  void check_number();

  const ClusterStatus& status_;
  Readiness until_;
  const WaitOptions& options_;
  const ProbeAnswers& answers_;
  std::string subject_;
  std::string_view own_pod_;
  MissingDetail wanted_;
  std::size_t next_ = 0;
  WaitVerdict verdict_;
  bool has_missing_ = false;
  bool is_fixed_ = false;
};

/// For callers that do not probe members: conditions that need probes are replaced by having an address.
Readiness without_probes(Readiness until) noexcept;

/// The whole judgement at once.
WaitVerdict judge_status(const ClusterStatus& status, Readiness until, const WaitOptions& options, const ProbeAnswers& answers,
                         const std::string& subject);

}  // namespace rollcall
