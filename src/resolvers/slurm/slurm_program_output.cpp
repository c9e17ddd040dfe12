#include "resolvers/slurm/slurm_program_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "base/text.hpp"
#include "programs/helpful_lines.hpp"

namespace rollcall {
namespace {

// Texts of slurm_errno.c, and of the commands themselves.
constexpr std::string_view controller_words[] = {"Unable to contact slurm controller",
                                                 "Socket timed out",
                                                 "Zero Bytes were transmitted",
                                                 "Communication connection failure",
                                                 "Communication shutdown failure",
                                                 "Message receive failure",
                                                 "Message send failure",
                                                 "Slurm backup controller in standby mode",
                                                 "Connection refused",
                                                 "Connection reset",
                                                 "Connection timed out",
                                                 "Transport endpoint is not connected",
                                                 "Resource temporarily unavailable",
                                                 "Slurm temporarily unable to accept"};
constexpr std::string_view sign_in_words[] = {"uthentication", "unge ", "munged", "Invalid authentication credential", "SLURM_JWT"};
constexpr std::string_view denied_words[] = {"Access/permission denied", "Access denied"};
constexpr std::string_view absent_words[] = {"Invalid job id", "Invalid node name", "Invalid partition name"};

bool says_any(std::string_view errors, std::span<const std::string_view> texts) {
  return std::any_of(texts.begin(), texts.end(), [errors](std::string_view text) { return errors.find(text) != std::string_view::npos; });
}

// `Node n9 not found`, `Partition x not found`: not of a plugin, a library or a file.
bool names_absent_thing(std::string_view errors) {
  for (const std::string_view line : split(errors, '\n')) {
    std::string_view text = trim(line);
    if (text.starts_with("scontrol: error: ")) text.remove_prefix(17);
    const bool is_of_thing = text.starts_with("Node ") || text.starts_with("Partition ") || text.starts_with("Reservation ");
    if (is_of_thing && text.find(" not found") != std::string_view::npos) return true;
  }
  return says_any(errors, absent_words);
}

}  // namespace

std::string_view json_in_output(std::string_view text) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    const bool is_object = next != std::string_view::npos && (text[next] == '"' || text[next] == '}');
    if (!is_object) continue;
    const std::size_t end = text.rfind('}');
    return text.substr(at, end == std::string_view::npos || end < at ? std::string_view::npos : end + 1 - at);
  }
  return text;
}

std::vector<SlurmLine> slurm_lines_of_name(std::string_view text, std::string_view name) {
  std::vector<SlurmLine> found;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t first = line.find('|');
    const std::size_t second = first == std::string_view::npos ? first : line.find('|', first + 1);
    if (second == std::string_view::npos || line.substr(second + 1) != name) continue;
    const auto id = parse_decimal<std::int64_t>(trim(line.substr(0, first)), 1);
    const std::string_view state = trim(line.substr(first + 1, second - first - 1));
    if (!id) continue;
    SlurmLine& one = found.emplace_back();
    one.id = *id;
    one.is_live = state == "PENDING" || state == "RUNNING" || state == "SUSPENDED" || state == "CONFIGURING" || state == "COMPLETING" ||
                  state == "STOPPED" || state.starts_with("REQUEUE") || state == "SPECIAL_EXIT" || state == "RESIZING";
  }
  return found;
}

std::vector<std::string> slurm_ids_in(std::string_view text) {
  std::set<std::int64_t> ids;
  for (const std::string_view line : split(text, '\n')) {
    if (const auto id = parse_decimal<std::int64_t>(trim(line), 1)) ids.insert(*id);
  }
  std::vector<std::string> texts;
  for (const std::int64_t id : ids) texts.push_back(std::to_string(id));
  return texts;
}

bool is_without_json(const ProgramOutput& output) {
  return output.exit_code != 0 &&
         (output.errors.find("unrecognized option") != std::string::npos || output.errors.find("invalid option") != std::string::npos ||
          output.errors.find("--json") != std::string::npos);
}

std::string slurm_by_hand(const std::vector<std::string>& words) {
  return "run it by hand: " + printable(fmt::format("{}", fmt::join(words, " ")), 200);
}

Failure slurm_program_failure(const std::vector<std::string>& words, const ProgramOutput& output) {
  const std::string said = helpful_lines(output.errors);
  const std::string how =
      output.signal != 0 ? fmt::format("was ended by signal {}", output.signal) : fmt::format("ended with exit code {}", output.exit_code);
  Failure failure(Errc::failed_precondition, fmt::format("{} {}{}{}", words.front(), how, said.empty() ? "" : ": ", said));
  failure.with_hint(slurm_by_hand(words));
  if (says_any(output.errors, sign_in_words))
    return std::move(
        failure.with_code(Errc::unauthenticated).with_hint("munge, sackd or SLURM_JWT lets a program ask: run scontrol ping by hand"));
  if (says_any(output.errors, controller_words))
    return std::move(failure.with_code(Errc::unavailable).with_hint("check with scontrol ping that slurmctld runs"));
  if (says_any(output.errors, denied_words))
    return std::move(failure.with_code(Errc::permission_denied).with_hint("ask as the job's user, or as an operator of the cluster"));
  if (names_absent_thing(output.errors)) failure.with_code(Errc::not_found);
  return failure;
}

}  // namespace rollcall
