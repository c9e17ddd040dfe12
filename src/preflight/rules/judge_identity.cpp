// Which process is which member, and which host a name means: what is wrong there is not the network's fault.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/ip.hpp"
#include "preflight/rules/judgement.hpp"
#include "render/render_preflight.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall::preflight {
namespace {

std::string host_of(std::string_view address) {
  const Result<Endpoint> at = Endpoint::parse(address);
  return at ? at->host : std::string(address);
}

// ` (the address of worker 5)`, where it is that of another member of the list.
std::string owner_of(const Judgement& judgement, std::string_view from, std::size_t but) {
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    if (i != but && host_of(judgement.member(i).address) == host_of(from)) {
      return fmt::format(" (the address of {})", judgement.named(i).to_text());
    }
  }
  return {};
}

void judge_taken(Judgement& judgement, std::size_t i, const std::vector<const IdentityClaim*>& claims) {
  const EvidenceMember& member = judgement.member(i);
  Finding& finding = judgement.add("identity", FindingScope::host, {i});
  finding.action = FindingAction::check_identity;
  finding.text = fmt::format("{} is two processes or more: ", judgement.named(i).to_text());
  finding.text += fmt::format("from {}{}", member.from.empty() ? "an unknown address" : member.from, owner_of(judgement, member.from, i));
  for (const IdentityClaim* claim : claims) finding.text += fmt::format(", from {}{}", claim->from, owner_of(judgement, claim->from, i));
  finding.hint = "start one process for each task, and give each its own --task";
  judgement.blame(i);
}

// A process that says it is this member, and is not of this run.
void judge_claim(Judgement& judgement, std::size_t i, const IdentityClaim& claim) {
  const bool is_it = !judgement.has_reported(i);  // else it is another one beside the right one
  Finding& finding = judgement.add("identity", FindingScope::host, {i});
  finding.severity = is_it ? FindingSeverity::failure : FindingSeverity::warning;
  finding.action = FindingAction::check_identity;
  const std::string_view why = claim.why == "other_secret"    ? "has another secret"
                               : claim.why == "no_secret"     ? "has no secret, and the others share one"
                               : claim.why == "other_version" ? "speaks another version"
                                                              : "was started with another list of members, or for another run";
  const std::string more = claim.text.empty() ? std::string() : fmt::format(": {}", claim.text);
  const std::string_view verb = is_it ? "at" : "is there, and a process from";
  finding.text = is_it ? fmt::format("{}, {} {}, {}{}", judgement.named(i).to_text(), verb, claim.from, why, more)
                       : fmt::format("{} {} {} that says it is this one {}{}", judgement.named(i).to_text(), verb, claim.from, why, more);
  finding.hint = is_it ? "start it with the same target, run and secret as the others" : "end what is left of another run there";
  if (is_it) judgement.blame(i);
}

// That of a member which could not listen at its port; null: it could.
Finding* taken_port_of(Judgement& judgement, std::size_t i) {
  const EvidenceMember& member = judgement.member(i);
  for (Finding& finding : judgement.verdict.findings) {
    const bool is_of_port = finding.check == "port" && finding.severity == FindingSeverity::failure;
    if (is_of_port && finding.members.front().job == member.job && finding.members.front().index == member.index) return &finding;
  }
  return nullptr;
}

// What answers at the address of a member, if most see it.
void judge_answer(Judgement& judgement, std::size_t i) {
  const ResultCounts seen = judgement.seen_of(i);
  for (const ProbeResult result : {ProbeResult::other_list, ProbeResult::other_secret, ProbeResult::other_member}) {
    if (seen.of(result) * 2 <= seen.tested()) continue;
    if (Finding* const taken = taken_port_of(judgement, i)) {
      taken->text += fmt::format("; {}", result_text(result));  // that is what has the port
      return;
    }
    Finding& finding = judgement.add("identity", FindingScope::host, {i});
    finding.action = FindingAction::check_identity;
    finding.measured = to_string(result);
    finding.text =
        fmt::format("{} is not what answers at {}: {}", judgement.named(i).to_text(), judgement.member(i).address, result_text(result));
    finding.hint = result == ProbeResult::other_member ? "give each process the --task whose address it has"
                                                       : "start it with the same target, run and secret as the others";
    judgement.blame(i);
    return;
  }
}

// By member the addresses that were found for its name, with how many found them.
using FoundAddresses = std::vector<std::map<std::string, std::size_t>>;

FoundAddresses found_addresses(const Judgement& judgement) {
  FoundAddresses found(judgement.size());
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    for (const ProbeDetail& detail : judgement.member(i).details) {
      if (!detail.address.empty() && judgement.has_reported(i)) ++found[static_cast<std::size_t>(detail.to)][detail.address];
    }
  }
  return found;
}

void judge_wrong_addresses(Judgement& judgement, std::size_t i, const FoundAddresses& found) {
  const auto reporters = static_cast<std::size_t>(judgement.verdict.present);
  std::string list;
  std::size_t count = 0;
  for (const ProbeDetail& detail : judgement.member(i).details) {
    const auto to = static_cast<std::size_t>(detail.to);
    const bool is_name = !read_ip(host_of(judgement.member(to).address));
    if (!judgement.table.is_bad(i, to) || (detail.address.empty() && !(is_name && detail.answered_by >= 0))) continue;
    const std::string there =
        detail.answered_by >= 0 ? fmt::format(", where {} answers", judgement.named(static_cast<std::size_t>(detail.answered_by)).to_text())
                                : "";
    std::string right = host_of(judgement.member(to).from);
    if (!detail.address.empty()) {
      const std::map<std::string, std::size_t>& others = found[to];
      // The address that most find need not be listed.
      const std::size_t same = others.at(detail.address);
      if (same * 2 > reporters || (same > 1 && others.size() == 1 && reporters < 3)) continue;
      const auto most = std::max_element(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most->first != detail.address) right = most->first;
    }
    const std::string_view wrong = detail.address.empty() ? std::string_view("another address") : detail.address;
    if (++count <= 4)
      list += fmt::format("{}{} is {}{}, and {} for the others", count == 1 ? "" : "; ", judgement.member(to).address, wrong, there,
                          right.empty() ? "the right one" : right);
    judgement.table.explain(i, to);
  }
  if (count == 0) return;
  Finding& finding = judgement.add("names", FindingScope::host, {i});
  finding.action = FindingAction::fix_names;
  finding.text = fmt::format("{} finds wrong addresses for {} member{}: {}{}", judgement.named(i).to_text(), count, count == 1 ? "" : "s",
                             list, count > 4 ? fmt::format("; {} more", count - 4) : "");
  finding.hint = "look at /etc/hosts and at the name servers there";
}

void judge_unknown_names(Judgement& judgement) {
  std::vector<std::size_t> missing;  // most find no address for them
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    const ResultCounts seen = judgement.seen_of(i);
    if (seen.of(ProbeResult::unknown_name) * 2 <= seen.tested()) continue;
    Finding& finding = judgement.add("names", FindingScope::host, {i});
    finding.action = FindingAction::fix_names;
    finding.text = fmt::format("{} has a name without an address: {} do not find {}", judgement.named(i).to_text(),
                               part_text(seen.of(ProbeResult::unknown_name), seen.tested()), judgement.member(i).address);
    finding.hint = "add the name to DNS, or give addresses in the target";
    missing.push_back(i);
  }
  for (const std::size_t i : missing) judgement.blame(i);
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    std::vector<std::size_t> names;
    for (std::size_t to = 0; to < judgement.size(); ++to) {
      if (judgement.table.is_bad(i, to) && judgement.table.at(i, to) == ProbeResult::unknown_name) names.push_back(to);
    }
    if (names.empty()) continue;
    Finding& finding = judgement.add("names", FindingScope::host, {i});
    finding.action = FindingAction::fix_names;
    finding.text = fmt::format("{} finds no address for {} of the others, which they find: {}", judgement.named(i).to_text(), names.size(),
                               member_list(judgement.named(names), 4));
    finding.hint = "look at /etc/hosts and at the name servers there";
    for (const std::size_t to : names) judgement.table.explain(i, to);
  }
}

}  // namespace

void judge_identity(Judgement& judgement) {
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    std::vector<const IdentityClaim*> taken;
    std::vector<IdentityClaim> claims = judgement.member(i).claims;  // in an order that is not that of their arrival
    std::sort(claims.begin(), claims.end(), [](const IdentityClaim& a, const IdentityClaim& b) {
      return std::tie(a.from, a.why, a.text) < std::tie(b.from, b.why, b.text);
    });
    for (const IdentityClaim& claim : claims) {
      if (claim.why == "taken") {
        taken.push_back(&claim);
      } else {
        judge_claim(judgement, i, claim);
      }
    }
    if (!taken.empty()) judge_taken(judgement, i, taken);
  }
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    if (!judgement.is_blamed[i]) judge_answer(judgement, i);
  }
}

void judge_names(Judgement& judgement) {
  const FoundAddresses found = found_addresses(judgement);
  for (std::size_t i = 0; i < judgement.size(); ++i) judge_wrong_addresses(judgement, i, found);
  judge_unknown_names(judgement);
}

}  // namespace rollcall::preflight
