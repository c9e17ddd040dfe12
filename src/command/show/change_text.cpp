#include "command/show/change_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <iterator>

#include "base/text.hpp"
#include "json/json_text.hpp"
#include "render/job_environment.hpp"

namespace rollcall::tools {
namespace {

std::string utc(WallTime when) {
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%S}Z",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::time_point_cast<std::chrono::system_clock::duration>(when))));
}

bool is_about_member(ChangeKind kind) {
  return kind == ChangeKind::member_joined || kind == ChangeKind::member_left || kind == ChangeKind::member_changed;
}

std::string member_json(const Member& member) {
  std::string out = "{";
  append_json_field(out, "job", member.job);
  fmt::format_to(std::back_inserter(out), ",\"index\":{}", member.index);
  append_json_field(out, "name", member.name);
  append_json_field(out, "address", member.address);
  append_json_field(out, "state", to_string(member.state.level));
  append_json_field(out, "state_text", member.state.text);
  append_json_field(out, "health", to_string(member.health.level));
  append_json_field(out, "health_text", member.health.text);
  return out + "}";
}

// What a program would take for an option, or a line for two, is left out.
std::string word_for_program(const std::string& text) { return is_word_for_program(text) ? text : std::string(); }

}  // namespace

std::string change_line(const ClusterChange& change, WallTime when) {
  return fmt::format("{} {} {}", utc(when), to_string(change.kind), printable_line(change.text));
}

std::string change_json(const ClusterChange& change, WallTime when) {
  std::string out = "{";
  append_json_field(out, "time", utc(when));
  append_json_field(out, "change", to_string(change.kind));
  append_json_field(out, "text", change.text);
  if (is_about_member(change.kind)) out += ",\"member\":" + member_json(change.member);
  if (change.kind == ChangeKind::member_changed) out += ",\"before\":" + member_json(change.before);
  if (change.kind == ChangeKind::notice) {
    out += ",\"notice\":{";
    append_json_field(out, "kind", to_string(change.notice.kind));
    append_json_field(out, "subject", change.notice.subject);
    append_json_field(out, "text", change.notice.text);
    out += "}";
  }
  return out + "}";
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

}  // namespace rollcall::tools
