// The judge: its steps in their order, and what they share.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/order.hpp"
#include "preflight/rules/judgement.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace preflight {
namespace {

constexpr std::size_t max_findings = 1000;

std::int64_t expected_ways(const PreflightEvidence& evidence) {
  const auto members = static_cast<std::int64_t>(evidence.members.size());
  const std::int64_t each = evidence.probes_each == 0 ? members - 1 : std::min<std::int64_t>(members - 1, evidence.probes_each);
  return members * each;
}

}  // namespace

std::size_t ResultCounts::tested() const {
  std::size_t all = 0;
  for (std::size_t i = 1; i < counts_.size(); ++i) all += counts_[i];
  return all;
}

ProbeResult ResultCounts::main_fault() const {
  const auto first = counts_.begin() + static_cast<std::ptrdiff_t>(ProbeResult::refused);
  const auto most = std::max_element(first, counts_.end());
  if (*most > 0) return static_cast<ProbeResult>(most - counts_.begin());
  return of(ProbeResult::ok) > 0 ? ProbeResult::ok : ProbeResult::untested;
}

FindingMember Judgement::named(std::size_t i) const {
  const EvidenceMember& of = member(i);
  return FindingMember(of.job, of.index, of.host, of.address);
}

std::vector<FindingMember> Judgement::named(const std::vector<std::size_t>& places) const {
  std::vector<FindingMember> names;
  names.reserve(places.size());
  for (const std::size_t place : places) names.push_back(named(place));
  return names;
}

std::string Judgement::port_of(std::size_t i) const {
  const Result<Endpoint> at = Endpoint::parse(member(i).address);
  return at && at->port ? fmt::format("port {}", *at->port) : "its port";
}

ResultCounts Judgement::seen_of(std::size_t i) const {
  ResultCounts seen;
  for (std::size_t from = 0; from < size(); ++from) {
    if (from != i && has_reported(from) && !is_blamed[from]) seen.add(table.at(from, i));
  }
  return seen;
}

int Judgement::size_that_passes(const std::vector<std::size_t>& of) const {
  std::vector<bool> is_asked(size());
  for (const std::size_t i : of) is_asked[i] = true;
  std::map<int, std::size_t> counts;
  for (std::size_t i = 0; i < size(); ++i) {
    for (const ProbeDetail& detail : member(i).details) {
      const bool is_meant = is_asked[i] || is_asked[static_cast<std::size_t>(detail.to)];
      if (is_meant && detail.large_bytes > 0) ++counts[detail.large_bytes];
    }
  }
  int usual = 0;
  for (const auto& [bytes, count] : counts) {
    if (usual == 0 || count >= counts.at(usual)) usual = bytes;
  }
  return usual;
}

Finding& Judgement::add(std::string_view check, FindingScope scope, const std::vector<std::size_t>& of) {
  Finding& finding = verdict.findings.emplace_back();
  finding.check = check;
  finding.scope = scope;
  finding.members = named(of);
  return finding;
}

void Judgement::blame(std::size_t i) {
  is_blamed[i] = true;
  table.explain_member(i);
}

void Judgement::add_unknown(std::string_view check, const std::vector<std::size_t>& of, std::string why) {
  if (!of.empty()) verdict.unknown.emplace_back(std::string(check), named(of), std::move(why));
}

std::string result_text(ProbeResult result, int size_that_passes) {
  switch (result) {
    case ProbeResult::ok: return "works";
    case ProbeResult::refused: return "refused";
    case ProbeResult::timed_out: return "timed out";
    case ProbeResult::no_route: return "no route";
    case ProbeResult::silent: return "no answer";
    case ProbeResult::other_member: return "another member answers there";
    case ProbeResult::other_program: return "another program answers there";
    case ProbeResult::other_list: return "a member of another list answers there";
    case ProbeResult::other_secret: return "a member with another secret answers there";
    case ProbeResult::unknown_name: return "the name has no address";
    case ProbeResult::shortage: return "this host had no more connections to give";
    case ProbeResult::untested: return "not tested";
    case ProbeResult::large_out:
    case ProbeResult::large_in: break;
  }
  return size_that_passes > 0 ? fmt::format("packets above {} bytes are lost", size_that_passes) : "large packets are lost";
}

std::string part_text(std::size_t part, std::size_t all) {
  return part == all ? fmt::format("all {}", all) : fmt::format("{} of {}", part, all);
}

}  // namespace preflight

PreflightVerdict judge_preflight(const PreflightEvidence& evidence) {
  preflight::Judgement judgement(evidence);
  PreflightVerdict& verdict = judgement.verdict;
  verdict.run = evidence.run;
  verdict.members = static_cast<int>(evidence.members.size());
  verdict.authenticated = evidence.authenticated;
  verdict.took = evidence.took;
  if (evidence.judged_by >= 0) {
    const EvidenceMember& leader = evidence.members[static_cast<std::size_t>(evidence.judged_by)];
    verdict.judged_by = FindingMember(leader.job, leader.index).to_text();
  }
  for (std::size_t i = 0; i < evidence.members.size(); ++i) verdict.present += judgement.has_reported(i) ? 1 : 0;
  verdict.pairs_expected = preflight::expected_ways(evidence);
  verdict.pairs_tested = std::min(judgement.table.tested(), verdict.pairs_expected);
  for (const auto step : {preflight::judge_own_findings, preflight::judge_identity, preflight::judge_names, preflight::judge_absence,
                          preflight::judge_blocks, preflight::judge_hosts, preflight::judge_pairs, preflight::judge_untested,
                          preflight::judge_facts, preflight::judge_clocks, preflight::judge_bandwidth}) {
    step(judgement);
  }
  sort_stably(verdict.findings, [](const Finding& a, const Finding& b) { return a.severity > b.severity; });  // failures first
  verdict.passed = !verdict.has_failed() && !judgement.is_incomplete && verdict.members > 0 && verdict.present == verdict.members;
  if (verdict.findings.size() > preflight::max_findings) {
    verdict.findings_left_out = static_cast<std::int64_t>(verdict.findings.size() - preflight::max_findings);
    verdict.findings.resize(preflight::max_findings);
  }
  return std::move(verdict);
}

}  // namespace rollcall
