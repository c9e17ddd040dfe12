// Hosts and pairs between which something fails, when the larger causes are known.
#include <fmt/format.h>

#include <algorithm>

#include "preflight/rules/judgement.hpp"
#include "render/render_preflight.hpp"

namespace rollcall::preflight {
namespace {

// The faults of one host that have no cause yet.
class HostFaults {
 public:
  HostFaults() {}
  std::vector<std::size_t> others;  // with which it has a fault, either way
  std::size_t in = 0;
  std::size_t out = 0;
  ResultCounts seen;
  std::size_t tested = 0;      // others with which a way was tested
  std::size_t tested_in = 0;   // of them those that probed it; where all probe all, all of them
  std::size_t tested_out = 0;  // and those that it probed
};

HostFaults faults_of(const Judgement& judgement, std::size_t host) {
  HostFaults faults;
  const PairTable& table = judgement.table;
  for (std::size_t other = 0; other < judgement.size(); ++other) {
    if (other == host || judgement.is_blamed[other]) continue;
    const bool is_in = table.is_bad(other, host);
    const bool is_out = table.is_bad(host, other);
    const bool was_tested = table.at(other, host) != ProbeResult::untested || table.at(host, other) != ProbeResult::untested;
    if (was_tested && !(table.is_explained(other, host) && table.is_explained(host, other))) ++faults.tested;
    if (table.at(other, host) != ProbeResult::untested && !table.is_explained(other, host)) ++faults.tested_in;
    if (table.at(host, other) != ProbeResult::untested && !table.is_explained(host, other)) ++faults.tested_out;
    if (!is_in && !is_out) continue;
    faults.others.push_back(other);
    if (is_in) ++faults.in, faults.seen.add(table.at(other, host));
    if (is_out) ++faults.out, faults.seen.add(table.at(host, other));
  }
  if (judgement.evidence.probes_each == 0) faults.tested_in = faults.tested_out = faults.tested;
  return faults;
}

// With more than half of the others. Where each probes some alone, those that probe it are others than those that it probes.
bool is_with_most(const HostFaults& faults) {
  return faults.others.size() * 2 > faults.tested || faults.in * 2 > faults.tested_in || faults.out * 2 > faults.tested_out;
}

std::string_view direction_of(const HostFaults& faults) {
  const auto [less, more] = std::minmax(faults.in, faults.out);
  if (less * 4 >= more) return "both";
  return faults.in > faults.out ? "in" : "out";
}

void write_large(const Judgement& judgement, std::size_t host, const HostFaults& faults, Finding& finding) {
  const int size = judgement.size_that_passes({host});
  const std::string_view way = finding.direction == "in" ? "to" : finding.direction == "out" ? "from" : "to and from";
  finding.check = "large_packets";
  finding.measured = size > 0 ? fmt::format("{} bytes", size) : "";
  finding.text = fmt::format("{}: {} on the way {} it, for {} others", judgement.named(host).to_text(),
                             result_text(ProbeResult::large_out, size), way, part_text(faults.others.size(), faults.tested));
  finding.hint = "look at the packet size (MTU) of its interface, and of its port of the switch";
  finding.action = FindingAction::check_path;
}

void write_in(const Judgement& judgement, std::size_t host, const HostFaults& faults, ProbeResult why, Finding& finding) {
  const std::string port = judgement.port_of(host);
  finding.text = fmt::format("{} is not reached on {} by {} others ({})", judgement.named(host).to_text(), port,
                             part_text(faults.in, faults.tested_in), result_text(why));
  const std::string_view whom = judgement.evidence.probes_each == 0 ? "them" : "those that it probed";
  finding.text +=
      faults.out == 0 ? fmt::format(", and reaches {}", whom) : fmt::format(", and reaches {} of {}", faults.tested_out - faults.out, whom);
  if (why == ProbeResult::other_program) {
    finding.hint = fmt::format("end the program that listens on {} there, or give the cluster another port", port);
    finding.action = FindingAction::free_port;
  } else if (why == ProbeResult::refused) {
    finding.hint = fmt::format("let it listen on {} of all its addresses, and look for a firewall that refuses", port);
    finding.action = FindingAction::open_port;
  } else {
    finding.hint = fmt::format("open {} there for the others: a firewall on it, or before it, is the usual cause", port);
    finding.action = FindingAction::open_port;
  }
}

void write_host(const Judgement& judgement, std::size_t host, const HostFaults& faults, Finding& finding) {
  const ProbeResult why = faults.seen.main_fault();
  finding.direction = direction_of(faults);
  finding.measured = to_string(why);
  finding.action = FindingAction::check_path;
  const std::string name = judgement.named(host).to_text();
  if (why == ProbeResult::large_out) {
    write_large(judgement, host, faults, finding);
  } else if (finding.direction == "in") {
    write_in(judgement, host, faults, why, finding);
  } else if (finding.direction == "out") {
    finding.text = fmt::format("{} does not reach {} others ({}){}", name, part_text(faults.out, faults.tested_out), result_text(why),
                               faults.in > 0                         ? ""
                               : judgement.evidence.probes_each == 0 ? ", and is reached by them"
                                                                     : ", and is reached");
    finding.hint = "look there at the rules for what it sends, and at its routes";
  } else {
    finding.text = fmt::format("{} and {} others do not reach each other ({})", name, part_text(faults.others.size(), faults.tested),
                               result_text(why));
    finding.hint = "look at its network interface, its routes and its firewall";
  }
}

// Of each host how many others it has a fault with.
std::vector<std::size_t> count_faults(const Judgement& judgement) {
  std::vector<std::size_t> counts(judgement.size());
  const PairTable& table = judgement.table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = i + 1; j < table.size() && !judgement.is_blamed[i]; ++j) {
      if (judgement.is_blamed[j] || !(table.is_bad(i, j) || table.is_bad(j, i))) continue;
      ++counts[i];
      ++counts[j];
    }
  }
  return counts;
}

// The one with the most faults is blamed, since one bad host must not blame the good ones that it fails to see. A host with several faults,
// and most ways good, is one finding as well, not one for each pair.
void judge_faulty(Judgement& judgement, std::size_t fewest, bool is_all) {
  std::vector<std::size_t> counts = count_faults(judgement);
  for (;;) {
    const auto most = std::max_element(counts.begin(), counts.end());
    if (most == counts.end() || *most < fewest) return;
    const auto host = static_cast<std::size_t>(most - counts.begin());
    const HostFaults faults = faults_of(judgement, host);
    if (is_all && !is_with_most(faults)) return;
    Finding& finding = judgement.add("reach", FindingScope::host, {host});
    write_host(judgement, host, faults, finding);
    if (!is_all) finding.text += fmt::format(": {}", member_list(judgement.named(faults.others)));
    for (const std::size_t other : faults.others) {
      --counts[other];
      judgement.table.explain(host, other);
      judgement.table.explain(other, host);
    }
    counts[host] = 0;
    if (is_all) judgement.blame(host);
  }
}

}  // namespace

void judge_hosts(Judgement& judgement) {
  judge_faulty(judgement, 2, true);
  judge_faulty(judgement, 3, false);
}

void judge_pairs(Judgement& judgement) {
  const PairTable& table = judgement.table;
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = i + 1; j < table.size(); ++j) {
      const bool is_there = table.is_bad(i, j);
      const bool is_back = table.is_bad(j, i);
      if (!is_there && !is_back) continue;
      const std::size_t from = is_there ? i : j;
      const std::size_t to = is_there ? j : i;
      const ProbeResult why = table.at(from, to);
      Finding& finding = judgement.add("reach", FindingScope::pair, {from, to});
      finding.direction = is_there && is_back ? "both" : "first_to_second";
      finding.action = FindingAction::check_path;
      const bool is_large = why == ProbeResult::large_out;
      const int size = is_large ? judgement.size_that_passes({from, to}) : 0;
      if (is_large) finding.check = "large_packets";
      finding.measured = size > 0 ? fmt::format("{} bytes", size) : std::string(to_string(why));
      finding.text = fmt::format("{} does not reach {}{}: {}", finding.members[0].to_text(), finding.members[1].to_text(),
                                 is_there && is_back ? ", nor the other way" : "", result_text(why, size));
      finding.hint = is_large ? "look at the packet size (MTU) on that way" : "look at routes and firewalls between the two";
    }
  }
}

}  // namespace rollcall::preflight
