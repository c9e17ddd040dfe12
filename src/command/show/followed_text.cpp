#include "command/show/followed_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "json/json_text.hpp"
#include "render/job_environment.hpp"

namespace rollcall::tools {
namespace {

// Not through the middle of a character.
std::string cut(std::string line, std::size_t width) {
  if (line.size() <= width) return line;
  while (width > 0 && (static_cast<unsigned char>(line[width]) & 0xC0) == 0x80) --width;
  line.resize(width);
  return line;
}

std::int64_t milliseconds(Duration duration) { return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count(); }

}  // namespace

ShownProgress::ShownProgress(const WaitProgress& progress) {
  head.started = progress.started;
  head.ready = progress.ready;
  head.total = progress.total;
  head.status.state = progress.status.state;
  head.trouble = progress.trouble;
  constexpr std::size_t most_rows = 500;  // no terminal is higher
  std::vector<const MissingMember*> missing;
  missing.reserve(progress.missing.size());
  for (const MissingMember& one : progress.missing) {
    missing.push_back(&one);
    count += one.count;
  }
  const auto shown = static_cast<std::ptrdiff_t>(std::min(missing.size(), most_rows));
  std::partial_sort(missing.begin(), missing.begin() + shown, missing.end(), [](const MissingMember* a, const MissingMember* b) {
    if (a->begun() != b->begun()) return a->begun() < b->begun();
    return std::tie(a->member.job, a->member.index) < std::tie(b->member.job, b->member.index);
  });
  for (auto one = missing.begin(); one != missing.begin() + shown; ++one) head.missing.push_back(**one);
}

std::vector<std::string> wait_table(const ShownProgress& progress, SteadyTime now, std::size_t width, std::size_t height) {
  const std::vector<MissingMember>& missing = progress.head.missing;
  WaitProgress whole = progress.head;
  whole.missing.clear();
  std::vector<std::string> lines;
  lines.push_back(cut(fmt::format("{} · {}", whole.line(), coarse_duration_text(now - whole.started)), width));
  const std::size_t rows = std::min(missing.size(), height > 0 ? height - 1 : 0);
  std::size_t label_width = 0;
  std::size_t why_width = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    label_width = std::max(label_width, missing[i].label().size());
    why_width = std::max(why_width, printable_line(missing[i].why).size());
  }
  std::int64_t left = progress.count;
  for (std::size_t i = 0; i < rows; ++i) {
    if (lines.size() + 1 == height && left > missing[i].count) {
      lines.push_back(fmt::format("  and {} more", left));
      break;
    }
    lines.push_back(cut(fmt::format("  {:<{}}  {:<{}}  {}", missing[i].label(), label_width, printable_line(missing[i].why), why_width,
                                    coarse_duration_text(now - missing[i].begun())),
                        width));
    left -= missing[i].count;
  }
  return lines;
}

std::string wait_json(const WaitProgress& progress) {
  std::string out = fmt::format("{{\"at_ms\":{},\"ready\":{},\"total\":{},\"phase\":\"{}\"", milliseconds(progress.at - progress.started),
                                progress.ready, progress.total, to_string(progress.status.phase));
  append_json_field(out, "state", progress.status.state.text);
  out += ",\"missing\":[";
  constexpr std::size_t most_entries = 10'000;
  std::int64_t left = 0;
  std::size_t entries = 0;
  for (const MissingMember& one : progress.missing) {
    if (++entries > most_entries) {
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
    fmt::format_to(std::back_inserter(out), ",\"for_ms\":{}}}", milliseconds(progress.at - one.begun()));
  }
  out += "]";
  if (left > 0) fmt::format_to(std::back_inserter(out), ",\"missing_more\":{}", left);
  append_json_field(out, "trouble", progress.trouble);
  append_json_field(out, "line", progress.line());
  return out + "}";
}

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
    out += ",\"notice\":" + notice_json(change.notice);
  }
  return out + "}";
}

std::string status_json(const ClusterStatus& status) {
  Condition health;  // the worst of all
  for (const Member& member : status.members) {
    if (member.health.level > health.level) health = member.health;
  }
  std::string out =
      fmt::format("{{\"phase\":\"{}\",\"state\":{},\"health\":{},\"cluster\":{},\"expected\":{},\"members\":[", to_string(status.phase),
                  condition_json(status.state), condition_json(health), status.spec().to_json(), status.expected);
  for (const Member& member : status.members) {
    if (out.back() != '[') out += ',';
    out += member_json(member);
  }
  out += "],\"notices\":[";
  for (const Notice& notice : status.notices) {
    if (out.back() != '[') out += ',';
    out += notice_json(notice);
  }
  return out + "]}";
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
