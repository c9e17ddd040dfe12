// Members that did not come: what the others saw of their ports says why. And what members found out about themselves.
#include <fmt/format.h>

#include <map>
#include <set>

#include "base/ip.hpp"
#include "preflight/rules/host_numbers.hpp"
#include "preflight/rules/judgement.hpp"
#include "render/render_preflight.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall::preflight {
namespace {

class Absence {
 public:
  Absence() {}
  std::string why;   // after the member's name
  std::string hint;
  FindingAction action = FindingAction::none;
};

Absence absence_by(ProbeResult seen, const std::string& port, bool has_joined) {
  Absence absence;
  absence.action = FindingAction::start_process;
  absence.hint = "look at its log, and start it again";
  switch (seen) {
    case ProbeResult::refused:
      if (has_joined) break;
      absence.why = fmt::format("not started: the host answers, and nothing listens on {}", port);
      absence.hint = "start it, or look there why it ended";
      return absence;
    case ProbeResult::timed_out:
    case ProbeResult::no_route:
      absence.why = fmt::format("down or cut off: the host does not answer on {} ({})", port, result_text(seen));
      absence.hint = fmt::format("look whether the host is up, and whether a firewall lets the others to its {}", port);
      absence.action = FindingAction::check_path;
      return absence;
    case ProbeResult::silent: absence.why = fmt::format("hung: {} takes connections, and no process answers", port); return absence;
    case ProbeResult::other_program:
      absence.why = fmt::format("not there: another program answers on {}", port);
      absence.hint = "end that program, or give the cluster another port";
      absence.action = FindingAction::free_port;
      return absence;
    case ProbeResult::unknown_name:
      absence.why = "not there: its name has no address";
      absence.hint = "add the name to DNS, or give addresses in the target";
      absence.action = FindingAction::fix_names;
      return absence;
    case ProbeResult::ok:
    case ProbeResult::large_out:
      if (has_joined) break;
      absence.why = fmt::format("cut off: the others reach its {}, and it reached none of the members that gather reports", port);
      absence.hint = "look at the rules for what it sends, and at the packet size (MTU) of its interface";
      absence.action = FindingAction::check_path;
      return absence;
    default:
      if (has_joined) break;
      absence.why = "not there: it was not heard from";
      absence.hint = "start it, or look there why it ended";
      return absence;
  }
  absence.why = "lost: it came, and has not reported what it saw";
  return absence;
}

// 4 or 6; 0: the list has a name.
int family_of(const Judgement& judgement, std::size_t i) {
  const Result<Endpoint> at = Endpoint::parse(judgement.member(i).address);
  if (!at || !read_ip(at->host)) return 0;
  return at->host.find(':') == std::string::npos ? 4 : 6;
}

// How many members have an address of the other family, if they are most of all. 0: they are not.
std::size_t of_other_family(const Judgement& judgement, std::size_t i) {
  const int family = family_of(judgement, i);
  std::size_t count = 0;
  for (std::size_t other = 0; other < judgement.size(); ++other) {
    const int of_other = family_of(judgement, other);
    if (of_other != 0 && of_other != family) ++count;
  }
  return family != 0 && count * 2 > judgement.size() ? count : 0;
}

// They have no route to this one.
void judge_family(const Judgement& judgement, std::size_t i, Absence& absence) {
  const int family = family_of(judgement, i);
  const std::size_t others = of_other_family(judgement, i);
  if (others == 0) return;
  absence.why = fmt::format("cut off: its address is of IPv{}, those of {} others are of IPv{}, and they have no route to it", family,
                            others, family == 4 ? 6 : 4);
  absence.hint = "give all members addresses of one family in the target, or routes for both";
}

// It came, and its report may be lost on the way as the large messages of most others are: that is the cause.
bool is_behind_black_hole(const Judgement& judgement, std::size_t i) {
  std::size_t reporters = 0;
  std::size_t large = 0;
  for (std::size_t other = 0; other < judgement.size(); ++other) {
    if (!judgement.has_reported(other) || judgement.is_blamed[other]) continue;
    ++reporters;
    const bool is_large = judgement.table.at(other, i) == ProbeResult::large_out || judgement.table.at(i, other) == ProbeResult::large_out;
    large += is_large ? 1 : 0;
  }
  return judgement.member(i).state == EvidenceState::joined && large >= 2 && large * 2 > reporters;
}

}  // namespace

void judge_own_findings(Judgement& judgement) {
  HostNumbers hosts;
  std::set<std::pair<std::size_t, std::string>> seen;  // by host, so that several tasks of one host say it once
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    const EvidenceMember& member = judgement.member(i);
    const std::size_t host = hosts.of(member);
    for (const PreflightUnknown& own : member.unknown) judgement.add_unknown(own.check, {i}, own.why);
    judgement.is_incomplete = judgement.is_incomplete || !member.is_host_known;
    for (const Finding& own : member.findings) {
      const bool is_port = own.check == "port" && own.severity == FindingSeverity::failure;
      if (!is_port && !seen.emplace(host, own.check + " " + own.device + " " + own.text).second) continue;
      Finding& finding = judgement.verdict.findings.emplace_back(own);
      finding.members = {judgement.named(i)};
      finding.text = fmt::format("{}: {}", judgement.named(i).to_text(), own.text);
      // Its port is not its own: what the others see there is not this member.
      for (std::size_t from = 0; is_port && from < judgement.size(); ++from) judgement.table.explain(from, i);
    }
  }
}

void judge_absence(Judgement& judgement) {
  using Kind = std::pair<ProbeResult, bool>;  // what was seen of it, and whether it had joined
  std::map<Kind, std::vector<std::size_t>> absent;
  std::vector<ProbeResult> reasons(judgement.size());
  for (std::size_t i = 0; i < judgement.size(); ++i) {
    if (judgement.has_reported(i) || judgement.is_blamed[i] || is_behind_black_hole(judgement, i)) continue;
    const ResultCounts all = judgement.seen_of(i);
    const ProbeResult seen = all.of(ProbeResult::ok) * 2 > all.tested() ? ProbeResult::ok : all.main_fault();
    // A host that is down has no route as well, once its neighbours have asked for it and had no answer.
    const bool is_down = seen == ProbeResult::no_route && of_other_family(judgement, i) == 0;
    const Kind kind(is_down ? ProbeResult::timed_out : seen, judgement.member(i).state == EvidenceState::joined);
    absent[kind].push_back(i);
    reasons[i] = seen;
  }
  std::map<std::string, std::size_t> block_sizes;
  for (const EvidenceMember& member : judgement.evidence.members) ++block_sizes[member.block];
  for (const auto& [kind, members] : absent) {
    std::set<std::string> blocks;
    for (const std::size_t i : members) blocks.insert(judgement.member(i).block);
    const std::string& block = *blocks.begin();
    const bool is_a_block = blocks.size() == 1 && !block.empty() && block_sizes.at(block) == members.size();
    const bool is_third = members.size() * 3 >= judgement.size();
    ResultCounts of_group;
    for (const std::size_t i : members) of_group.add(reasons[i]);
    const ProbeResult main = of_group.main_fault();
    const Absence first = absence_by(main, judgement.port_of(members.front()), kind.second);
    if (members.size() >= 2 && (is_a_block || is_third)) {
      Finding& finding = judgement.add("absent", FindingScope::block, members);
      finding.action = first.action;
      finding.measured = to_string(main);
      const std::string name = is_a_block ? fmt::format("{}: ", block) : std::string();
      finding.text =
          fmt::format("{}{} ({} of {} members): {}", name, member_list(finding.members), members.size(), judgement.size(), first.why);
      finding.hint = first.hint;
      continue;
    }
    for (const std::size_t i : members) {
      const ProbeResult why = reasons[i];
      Absence absence = absence_by(why, judgement.port_of(i), kind.second);
      if (why == ProbeResult::no_route) judge_family(judgement, i, absence);
      Finding& finding = judgement.add("absent", FindingScope::host, {i});
      finding.action = absence.action;
      finding.measured = to_string(why);
      finding.text = fmt::format("{}: {}", judgement.named(i).to_text(), absence.why);
      finding.hint = absence.hint;
    }
  }
  for (const auto& [kind, members] : absent) {
    for (const std::size_t i : members) judgement.blame(i);
  }
}

}  // namespace rollcall::preflight
