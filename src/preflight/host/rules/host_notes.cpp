#include "preflight/host/rules/host_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/order.hpp"
#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_finding_text = 1000;

FindingAction action_of_expected(const HostFact& fact) {
  const bool is_version =
      fact.check == "driver" || fact.check == "kernel" || fact.check == "os" || fact.check == "libraries" || fact.check == "packages";
  return is_version ? FindingAction::align_versions : FindingAction::none;
}

// Facts are for comparing, and a host may have fewer of them. Health, and what the user has asked for, must have been tested.
bool leaves_open(const PreflightUnknown& unknown) { return unknown.check == "gpu" || unknown.check.find(':') != std::string::npos; }

}  // namespace

bool HostNotes::wants(std::string_view check) const {
  // Checks with a value, such as disk:/data, are there because they were asked for.
  if (check == "shm" && checks_.shm_bytes) return true;
  if (check == "limits" && (checks_.open_files || checks_.locked_memory)) return true;
  return checks_.wants(check) || check.find(':') != std::string_view::npos || check.starts_with(others_prefix);
}

void HostNotes::fact(std::string_view check, std::string_view name, std::string_view value) {
  if (!trim(value).empty()) report_.facts.emplace_back(std::string(check), std::string(name), printable(trim(value), max_finding_text));
}

void HostNotes::failure(std::string_view check, std::string_view text, FindingParts parts) {
  add(FindingSeverity::failure, check, text, std::move(parts));
}

void HostNotes::warning(std::string_view check, std::string_view text, FindingParts parts) {
  add(FindingSeverity::warning, check, text, std::move(parts));
}

void HostNotes::unknown(std::string_view check, std::string_view why) {
  if (wants(check)) report_.unknown.emplace_back(std::string(check), std::vector<FindingMember>(), printable(why, max_finding_text));
}

void HostNotes::add(FindingSeverity severity, std::string_view check, std::string_view text, FindingParts parts) {
  if (!wants(check)) return;
  Finding& finding = report_.findings.emplace_back();
  finding.severity = severity;
  finding.scope = parts.device.empty() ? FindingScope::host : FindingScope::device;
  finding.check = check;
  finding.device = printable(parts.device, max_finding_text);
  finding.measured = printable(parts.measured, max_finding_text);
  finding.expected = printable(parts.expected, max_finding_text);
  finding.action = parts.action;
  finding.text = printable(parts.device.empty() ? std::string(text) : fmt::format("{}: {}", parts.device, text), max_finding_text);
  finding.hint = printable(parts.hint, max_finding_text);
}

void HostNotes::finish() {
  for (const ExpectedFact& expected : checks_.expected) {
    const std::string check = "expect:" + expected.name;
    const HostFact* const fact = report_.fact(expected.name);
    FindingParts parts;
    parts.expected = expected.value;
    if (!fact) {
      failure(check, fmt::format("{} is not known here, and {} is expected", expected.name, expected.value), parts);
    } else if (fact->value != expected.value) {
      parts.measured = fact->value;
      parts.action = action_of_expected(*fact);
      failure(check, fmt::format("{} is {}, and {} is expected", expected.name, fact->value, expected.value), parts);
    }
  }
  std::erase_if(report_.facts, [this](const HostFact& fact) { return !wants(fact.check) && !checks_.expects({fact.name}); });
  sort_stably(report_.findings, [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
}

std::string size_text(std::uint64_t bytes) {
  struct UnitRow {
    int shift;
    std::string_view name;
  };
  static constexpr UnitRow rows[] = {{40, "TiB"}, {30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const UnitRow& row : rows) {
    const double value = static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << row.shift);
    if (value >= 1)
      return value < 10 && bytes % (std::uint64_t{1} << row.shift) != 0 ? fmt::format("{:.1f} {}", value, row.name)
                                                                        : fmt::format("{:.0f} {}", value, row.name);
  }
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

const HostFact* HostReport::fact(const std::string& name) const {
  const auto found = std::find_if(facts.begin(), facts.end(), [&name](const HostFact& one) { return one.name == name; });
  return found == facts.end() ? nullptr : &*found;
}

std::vector<Finding> HostReport::findings_of(const FindingMember& member) const {
  std::vector<Finding> named = findings;
  const std::string name = member.to_text();
  for (Finding& finding : named) {
    finding.members = {member};
    if (!name.empty()) finding.text = fmt::format("{}{} {}", name, finding.device.empty() ? ":" : "", finding.text);
  }
  return named;
}

PreflightVerdict HostReport::verdict() const {
  FindingMember member;
  member.name = host;
  PreflightVerdict verdict;
  verdict.members = 1;
  verdict.present = 1;
  verdict.findings = findings_of(member);
  verdict.unknown = unknown;
  for (PreflightUnknown& one : verdict.unknown) one.members = {member};
  verdict.passed = !verdict.has_failed() && std::none_of(unknown.begin(), unknown.end(), leaves_open);
  return verdict;
}

}  // namespace rollcall
