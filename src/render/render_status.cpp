#include "render/render_status.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "base/append_formatted.hpp"
#include "base/timestamp.hpp"
#include "json/json_text.hpp"
#include "render/render_why.hpp"
#include "render/status_fields.hpp"

namespace rollcall {
namespace {

std::int64_t whole_milliseconds(Duration duration) { return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count(); }

template <class T, std::size_t N>
void append_object(std::string& out, std::string_view name, const JsonObject<T, N>& fields, const T& value) {
  append_formatted(out, ",\"{}\":", name);
  write_json(out, fields, value);
}

}  // namespace

void status_detail::write_worst_health(std::string& out, const ClusterStatus& status) {
  const Condition* worst = nullptr;
  for (const Member& member : status.members) {
    if (member.health.level > (worst ? worst->level : MemberState::ready)) worst = &member.health;
  }
  write_json(out, condition_fields, worst ? *worst : Condition());
}

bool is_about_member(ChangeKind kind) noexcept {
  return kind == ChangeKind::member_joined || kind == ChangeKind::member_left || kind == ChangeKind::member_changed;
}

std::string render_progress_json(const WaitProgress& progress) {
  std::string out = fmt::format("{{\"at_ms\":{},\"ready\":{},\"listed\":{},\"total\":{},\"phase\":\"{}\"",
                                whole_milliseconds(progress.at - progress.started), progress.ready, progress.listed, progress.total,
                                to_string(progress.status.phase));
  append_json_field(out, "state", progress.status.state.text);
  out += ",\"missing\":[";
  constexpr std::size_t max_entries = 10'000;
  std::int64_t left = 0;
  std::size_t entries = 0;
  for (const MissingMember& one : progress.missing) {
    if (++entries > max_entries) {
      left += one.count;
      continue;
    }
    if (out.back() != '[') out += ',';
    append_formatted(out, "{{\"index\":{}", one.member.index);
    if (one.count > 1) append_formatted(out, ",\"last_index\":{}", one.last_index());
    append_json_field(out, "job", one.member.job);
    append_json_field(out, "name", one.member.name);
    append_json_field(out, "address", one.member.address);
    append_json_field(out, "why", one.why);
    if (!one.member.causes.empty()) {
      out += ",\"causes\":";
      write_causes_json(out, one.member.causes);
    }
    append_formatted(out, ",\"for_ms\":{}}}", whole_milliseconds(progress.at - one.begun()));
  }
  out += "]";
  if (left > 0) append_formatted(out, ",\"missing_more\":{}", left);
  append_json_field(out, "trouble", progress.trouble);
  append_json_field(out, "line", progress.line());
  return out + "}";
}

std::string render_change_json(const ClusterChange& change, WallTime when) {
  std::string out = "{";
  append_json_field(out, "time", format_rfc3339(std::chrono::floor<std::chrono::seconds>(when)));
  append_json_field(out, "change", to_string(change.kind));
  append_json_field(out, "text", change.text);
  if (is_about_member(change.kind)) append_object(out, "member", member_fields, change.member);
  if (change.kind == ChangeKind::member_changed) append_object(out, "before", member_fields, change.before);
  if (change.kind == ChangeKind::notice) append_object(out, "notice", notice_fields, change.notice);
  return out + "}";
}

std::string render_status_json(const ClusterStatus& status) { return to_json(shown_status_fields, status); }

}  // namespace rollcall
