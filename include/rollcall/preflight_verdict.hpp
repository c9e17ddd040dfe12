// What a preflight found: whether the hosts of a cluster, and the network between them, can run its program. No I/O.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rollcall {

enum class FindingSeverity { warning, failure };
/// `warning`, `failure`; stable, used in JSON output.
std::string_view to_string(FindingSeverity severity) noexcept;

/// What a finding is about.
enum class FindingScope {
  host,     ///< one host, or one task
  pair,     ///< the way between two hosts
  block,    ///< several hosts that are cut off from the rest together
  device,   ///< an accelerator, or another device of a host
  cluster,  ///< no host in particular
};
std::string_view to_string(FindingScope scope) noexcept;

/// What is to be done about a finding, for programs.
enum class FindingAction {
  none,
  replace,
  reset_device,
  reboot,
  open_port,
  free_port,
  start_process,
  fix_names,
  set_clock,
  align_versions,
  free_space,
  check_path,
  check_identity,
};
std::string_view to_string(FindingAction action) noexcept;

/// A host that a finding names, as a task of the cluster where it is one.
class FindingMember {
 public:
  FindingMember() {}
  FindingMember(std::string task_job, int task_index, std::string host_name = {}, std::string at = {})
      : job(std::move(task_job)), index(task_index), name(std::move(host_name)), address(std::move(at)) {}
  std::string job;      ///< `worker`; empty: a host that is not known as a task
  int index = -1;       ///< of the task; -1: none
  std::string name;     ///< of the host, as it says itself; may be empty
  std::string address;  ///< `10.0.0.4:29500`; may be empty
  /// `worker 3 (n03)`, `worker 3`, `n03`.
  std::string to_text() const;
  friend bool operator==(const FindingMember&, const FindingMember&) = default;
};

/// Texts are printable, of one line, and never contain a secret.
class Finding {
 public:
  Finding() {}
  FindingSeverity severity = FindingSeverity::failure;
  FindingScope scope = FindingScope::host;
  std::string check;                   ///< `reach`, `driver`, `disk:/data`; stable
  std::vector<FindingMember> members;  ///< of a pair the two; of a block those that are cut off
  std::string device;                  ///< `gpu 3 (GPU-5c1f…, 0000:8b:00.0)`; empty: none
  std::string direction;               ///< `first_to_second` of a pair, `in` or `out` of a host, `both`; empty: has none
  std::string measured;                ///< `1400 bytes`; may be empty, as the next two
  std::string expected;                ///< what was asked for
  std::string others;                  ///< what most of the others have
  FindingAction action = FindingAction::none;
  std::string text;                    ///< the whole finding as a sentence, which begins with the members
  std::string hint;                    ///< what to do, as a sentence; may be empty
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// What was to be tested and could not be.
class PreflightUnknown {
 public:
  PreflightUnknown() {}
  PreflightUnknown(std::string of_check, std::vector<FindingMember> of, std::string reason)
      : check(std::move(of_check)), members(std::move(of)), why(std::move(reason)) {}
  std::string check;
  std::vector<FindingMember> members;
  std::string why;
  friend bool operator==(const PreflightUnknown&, const PreflightUnknown&) = default;
};

class PreflightVerdict {
 public:
  PreflightVerdict() {}
  /// Everyone is there, no finding is a failure, and all that was asked for was tested, but for a tenth of the ways of a member at most,
  /// which `unknown` names.
  bool passed = false;
  std::string run;                  ///< which run of which list of members; empty: this host alone
  int members = 0;                  ///< of the list
  int present = 0;                  ///< of them those that took part
  std::int64_t pairs_tested = 0;    ///< ways between two members; each pair has two
  std::int64_t pairs_expected = 0;
  std::string judged_by;            ///< `worker 0`; empty: this host alone
  bool authenticated = false;       ///< the members share a secret
  std::chrono::milliseconds took{0};
  std::vector<Finding> findings;    ///< failures before warnings
  std::int64_t findings_left_out = 0;
  std::vector<PreflightUnknown> unknown;

  std::size_t count(FindingSeverity severity) const {
    return static_cast<std::size_t>(
        std::count_if(findings.begin(), findings.end(), [severity](const Finding& finding) { return finding.severity == severity; }));
  }
  bool has_failed() const { return count(FindingSeverity::failure) > 0; }
  friend bool operator==(const PreflightVerdict&, const PreflightVerdict&) = default;
};

}  // namespace rollcall
