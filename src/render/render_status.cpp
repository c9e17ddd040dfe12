#include "render/render_status.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include "base/timestamp.hpp"
#include "json/json_text.hpp"

namespace rollcall {
namespace {

std::int64_t whole_milliseconds(Duration duration) { return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count(); }

std::string member_json(const Member& member, bool with_uid = false) {
  std::string out = "{";
  append_json_field(out, "job", member.job);
  fmt::format_to(std::back_inserter(out), ",\"index\":{}", member.index);
  append_json_field(out, "name", member.name);
  append_json_field(out, "address", member.address);
  append_json_field(out, "state", to_string(member.state.level));
  append_json_field(out, "state_text", member.state.text);
  append_json_field(out, "health", to_string(member.health.level));
  append_json_field(out, "health_text", member.health.text);
  if (with_uid) append_json_field(out, "uid", member.uid);
  return out + "}";
}

std::string condition_json(const Condition& condition) {
  std::string out = "{";
  append_json_field(out, "level", to_string(condition.level));
  append_json_field(out, "text", condition.text);
  return out + "}";
}

std::string notice_json(const Notice& notice) {
  std::string out = "{";
  append_json_field(out, "kind", to_string(notice.kind));
  append_json_field(out, "subject", notice.subject);
  append_json_field(out, "text", notice.text);
  return out + "}";
}

// A list with the output of `render` for each.
template <class T, class Render>
void append_list(std::string& out, std::string_view name, const std::vector<T>& list, Render render) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":[", name);
  for (const T& one : list) {
    if (out.back() != '[') out += ',';
    out += render(one);
  }
  out += ']';
}

void append_jobs(std::string& out, const std::vector<std::string>& jobs) {
  append_list(out, "jobs", jobs, [](const std::string& job) {
    std::string text;
    append_json_string(text, job);
    return text;
  });
}

std::string status_json(const ClusterStatus& status, bool is_whole) {
  Condition health;  // the worst of all
  for (const Member& member : status.members) {
    if (member.health.level > health.level) health = member.health;
  }
  std::string out = fmt::format("{{\"phase\":\"{}\",\"state\":{},\"health\":{},\"cluster\":{},\"expected\":{}", to_string(status.phase),
                                condition_json(status.state), condition_json(health), status.spec().to_json(), status.expected);
  if (is_whole && !status.accelerator_type.empty()) append_json_field(out, "accelerator_type", status.accelerator_type);
  if (is_whole) append_jobs(out, status.jobs);
  append_list(out, "members", status.members, [is_whole](const Member& member) { return member_json(member, is_whole); });
  append_list(out, "notices", status.notices, notice_json);
  return out + "}";
}

}  // namespace

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
    fmt::format_to(std::back_inserter(out), "{{\"index\":{}", one.member.index);
    if (one.count > 1) fmt::format_to(std::back_inserter(out), ",\"last_index\":{}", one.last_index());
    append_json_field(out, "job", one.member.job);
    append_json_field(out, "name", one.member.name);
    append_json_field(out, "address", one.member.address);
    append_json_field(out, "why", one.why);
    fmt::format_to(std::back_inserter(out), ",\"for_ms\":{}}}", whole_milliseconds(progress.at - one.begun()));
  }
  out += "]";
  if (left > 0) fmt::format_to(std::back_inserter(out), ",\"missing_more\":{}", left);
  append_json_field(out, "trouble", progress.trouble);
  append_json_field(out, "line", progress.line());
  return out + "}";
}

std::string render_change_json(const ClusterChange& change, WallTime when) {
  std::string out = "{";
  append_json_field(out, "time", format_rfc3339(std::chrono::floor<std::chrono::seconds>(when)));
  append_json_field(out, "change", to_string(change.kind));
  append_json_field(out, "text", change.text);
  if (is_about_member(change.kind)) out += ",\"member\":" + member_json(change.member);
  if (change.kind == ChangeKind::member_changed) out += ",\"before\":" + member_json(change.before);
  if (change.kind == ChangeKind::notice) {
    out += ",\"notice\":" + notice_json(change.notice);
  }
  return out + "}";
}

std::string render_status_json(const ClusterStatus& status) { return status_json(status, false); }

std::string render_whole_status_json(const ClusterStatus& status) { return status_json(status, true); }

std::string render_status_parts_json(const ClusterStatus& status, std::string_view members_name) {
  std::string out = fmt::format("\"phase\":\"{}\",\"state\":{}", to_string(status.phase), condition_json(status.state));
  append_jobs(out, status.jobs);
  fmt::format_to(std::back_inserter(out), ",\"expected\":{}", status.expected);
  append_list(out, members_name, status.members, [](const Member& member) { return member_json(member, true); });
  append_list(out, "notices", status.notices, notice_json);
  return out;
}

}  // namespace rollcall
