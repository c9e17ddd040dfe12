#include "render/render_why.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/append_formatted.hpp"
#include "json/json_text.hpp"
#include "render/status_fields.hpp"
#include "rollcall/cause_text.hpp"
#include "rollcall/missing_groups.hpp"
#include "rollcall/warned_members.hpp"

namespace rollcall {
namespace {

void write_groups(std::string& out, const std::vector<MissingMember>& members) {
  constexpr std::size_t max_groups = 10'000;
  out += '[';
  const std::vector<MissingGroup> groups = group_by_chain(members);
  for (std::size_t i = 0; i < std::min(groups.size(), max_groups); ++i) {
    const MissingMember& first = *groups[i].members.front();
    if (i > 0) out += ',';
    append_formatted(out, "{{\"count\":{}", groups[i].count());
    append_json_field(out, "members", groups[i].who());
    append_json_field(out, "job", first.member.job);
    append_json_field(out, "state", to_string(groups[i].state()));
    append_json_field(out, "why", first.why);
    out += ",\"causes\":";
    write_causes_json(out, first.member.causes);
    if (!first.member.causes.empty() && !remedy_of(first.member.causes.front()).empty())
      append_json_field(out, "remedy", remedy_of(first.member.causes.front()));
    out += '}';
  }
  out += ']';
}

}  // namespace

void write_causes_json(std::string& out, const std::vector<Cause>& causes) {
  out += '[';
  for (const Cause& cause : causes) {
    if (out.back() != '[') out += ',';
    write_json(out, cause_fields, cause);
  }
  out += ']';
}

std::string render_why_json(const ClusterVerdict& verdict, const std::vector<std::string>& unread) {
  const WaitProgress& progress = verdict.progress;
  std::string out =
      fmt::format("{{\"is_ready\":{},\"ready\":{},\"total\":{},\"groups\":", verdict.is_ready, progress.ready, progress.total);
  write_groups(out, progress.missing);
  out += ",\"warnings\":";
  write_groups(out, warned_members(progress.status));
  out += ",\"unread\":[";
  for (const std::string& note : unread) {
    if (out.back() != '[') out += ',';
    append_json_string(out, note);
  }
  out += "],\"status\":";
  write_json(out, shown_status_fields, progress.status);
  return out + "}";
}

}  // namespace rollcall
