#include "render/render_preflight.hpp"

#include <fmt/format.h>

#include "base/append_formatted.hpp"
#include "base/duration.hpp"
#include "base/text.hpp"
#include "render/preflight_fields.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_line = 2000;

// `failed, 61 of 64 members are there, 2 failures, 1 warning, 6.2 s; judged by worker 0`
std::string verdict_line(const PreflightVerdict& verdict) {
  std::string line(verdict.passed ? "passed" : "failed");
  if (verdict.members > 1 || verdict.present < verdict.members)
    line += fmt::format(", {} of {} members are there", verdict.present, verdict.members);
  if (verdict.pairs_expected > 0) line += fmt::format(", {} of {} ways between them tested", verdict.pairs_tested, verdict.pairs_expected);
  for (const auto& [severity, word] : {std::pair(FindingSeverity::failure, "failure"), std::pair(FindingSeverity::warning, "warning")}) {
    if (const std::size_t count = verdict.count(severity)) line += fmt::format(", {} {}{}", count, word, count == 1 ? "" : "s");
  }
  if (!verdict.passed && !verdict.has_failed() && !verdict.unknown.empty()) line += fmt::format(", {} not judged", verdict.unknown.size());
  if (verdict.took.count() > 0) line += fmt::format(", {}", duration_text(verdict.took));
  if (!verdict.judged_by.empty()) line += fmt::format("; judged by {}", verdict.judged_by);
  return line;
}

}  // namespace

std::string member_list(const std::vector<FindingMember>& members, std::size_t most) {
  std::string text;
  const std::size_t shown = members.size() <= most ? members.size() : most;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_last = i + 1 == members.size();
    if (i > 0) text += is_last ? " and " : ", ";
    text += members[i].to_text();
  }
  if (shown < members.size()) text += fmt::format(" and {} more", members.size() - shown);
  return text;
}

std::string render_preflight_text(std::string_view subject, const PreflightVerdict& verdict) {
  std::string out;
  if (subject.ends_with(':')) subject.remove_suffix(1);  // of a target without a name, such as `slurm:`
  append_formatted(out, "{}: {}\n", printable(subject, max_line), printable(verdict_line(verdict), max_line));
  for (const Finding& finding : verdict.findings) {
    append_formatted(out, "{}  {}\n", finding.severity == FindingSeverity::failure ? "FAIL" : "warn", printable(finding.text, max_line));
    if (!finding.hint.empty()) append_formatted(out, "      -> {}\n", printable(finding.hint, max_line));
  }
  if (verdict.findings_left_out > 0) append_formatted(out, "      and {} findings more\n", verdict.findings_left_out);
  for (const PreflightUnknown& unknown : verdict.unknown) {
    const std::string members = member_list(unknown.members);
    const std::string of = members.empty() ? std::string() : fmt::format(" of {}", members);
    append_formatted(out, "?     {}{} was not judged: {}\n", printable(unknown.check), printable(of, max_line),
                     printable(unknown.why, max_line));
  }
  return out;
}

std::string render_preflight_json(const PreflightVerdict& verdict) { return to_json(preflight_verdict_fields, verdict) + "\n"; }

}  // namespace rollcall
