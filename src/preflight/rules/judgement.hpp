// The work of a judge on one evidence: what has been found so far, and what the steps share. Each step crosses out what it explains, and
// the next ones do not see it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "preflight/rules/pair_table.hpp"
#include "rollcall/preflight_evidence.hpp"

namespace rollcall::preflight {

/// How often each result was seen.
class ResultCounts {
 public:
  ResultCounts() {}
  void add(ProbeResult result) { ++counts_[static_cast<std::size_t>(result)]; }
  std::size_t of(ProbeResult result) const { return counts_[static_cast<std::size_t>(result)]; }
  /// All but `untested`.
  std::size_t tested() const;
  /// The most frequent result, not counting `untested` and, unless it is the only one, `ok`; the first one of several.
  ProbeResult main_fault() const;

 private:
  std::array<std::size_t, static_cast<std::size_t>(ProbeResult::shortage) + 1> counts_{};
};

class Judgement {
 public:
  explicit Judgement(const PreflightEvidence& of) : evidence(of), table(of), is_blamed(of.members.size()) {}

  std::size_t size() const noexcept { return evidence.members.size(); }
  const EvidenceMember& member(std::size_t i) const { return evidence.members[i]; }
  bool has_reported(std::size_t i) const { return member(i).state == EvidenceState::reported; }
  FindingMember named(std::size_t i) const;
  std::vector<FindingMember> named(const std::vector<std::size_t>& places) const;
  /// `port 29500`, or `its port` where the list has none.
  std::string port_of(std::size_t i) const;
  /// What those that reported saw of it.
  ResultCounts seen_of(std::size_t i) const;
  /// The size that passes between members of which one is in `of`, as most of them report: a size that was not seen to pass may have been
  /// late. 0: none is known.
  int size_that_passes(const std::vector<std::size_t>& of) const;

  /// A finding of a failure about `of`, which is blamed; the rest is for the caller to fill in.
  Finding& add(std::string_view check, FindingScope scope, const std::vector<std::size_t>& of);
  /// Nothing of it is looked at any more.
  void blame(std::size_t i);
  void add_unknown(std::string_view check, const std::vector<std::size_t>& of, std::string why);

  const PreflightEvidence& evidence;
  PairTable table;
  std::vector<bool> is_blamed;
  PreflightVerdict verdict;
  bool is_incomplete = false;  // more was not tested than a pass allows
};

/// Empty: it has no such fact.
std::string fact_value(const EvidenceMember& member, std::string_view fact);
/// `timed out`, `no route`, `packets above 1400 bytes are lost`.
std::string result_text(ProbeResult result, int size_that_passes = 0);
/// `60 of 63`, `all 63`.
std::string part_text(std::size_t part, std::size_t all);

/// A fact by its name that is a number of bytes in a time.
bool is_speed(std::string_view fact);
/// Findings about those `judged` that have less than half of the median of `compared`, where three of these know theirs.
void judge_speed(Judgement& judgement, const std::string& fact, const std::vector<std::size_t>& compared,
                 const std::vector<std::size_t>& judged);

// The steps, in their order.
void judge_identity(Judgement& judgement);
void judge_names(Judgement& judgement);
void judge_own_findings(Judgement& judgement);
void judge_absence(Judgement& judgement);
void judge_blocks(Judgement& judgement);
void judge_hosts(Judgement& judgement);
void judge_pairs(Judgement& judgement);
void judge_untested(Judgement& judgement);
void judge_facts(Judgement& judgement);
void judge_clocks(Judgement& judgement);
void judge_bandwidth(Judgement& judgement);

}  // namespace rollcall::preflight
