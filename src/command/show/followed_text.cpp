#include "command/show/followed_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "launch/job_environment.hpp"
#include "render/render_status.hpp"

namespace rollcall::command {

namespace {

// Leaves out a text that a program would take for an option or for two lines.
std::string word_for_program(const std::string& text) { return is_word_for_program(text) ? text : std::string(); }

}  // namespace

std::string change_line(const ClusterChange& change, WallTime when) {
  return fmt::format("{} {} {}", format_rfc3339(std::chrono::floor<std::chrono::seconds>(when)), to_string(change.kind),
                     printable_line(change.text));
}

HookVariables change_variables(const ClusterChange& change, const ClusterStatus& status) {
  HookVariables variables = {{"ROLLCALL_CHANGE", std::string(to_string(change.kind))},
                             {"ROLLCALL_TEXT", printable_line(change.text)},
                             {"ROLLCALL_CLUSTER", status.spec().to_json()}};
  if (is_about_member(change.kind)) {
    variables.emplace_back("ROLLCALL_JOB", word_for_program(change.member.job));
    variables.emplace_back("ROLLCALL_INDEX", std::to_string(change.member.index));
    variables.emplace_back("ROLLCALL_ADDRESS", word_for_program(change.member.address));
    variables.emplace_back("ROLLCALL_MEMBER", word_for_program(change.member.name));
  }
  return variables;
}

}  // namespace rollcall::command
