#include "tools/wait_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "core/coarse_duration.hpp"
#include "core/json_text.hpp"
#include "core/text.hpp"

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

std::vector<std::string> wait_table(const WaitProgress& progress, SteadyTime now, std::size_t width, std::size_t height) {
  std::vector<const MissingMember*> missing;
  for (const MissingMember& one : progress.missing) missing.push_back(&one);
  std::sort(missing.begin(), missing.end(), [](const MissingMember* a, const MissingMember* b) {
    return std::tie(a->since, a->member.job, a->member.index) < std::tie(b->since, b->member.job, b->member.index);
  });
  WaitProgress whole;
  whole.ready = progress.ready;
  whole.total = progress.total;
  whole.status.state = progress.status.state;
  whole.trouble = progress.trouble;
  std::vector<std::string> lines;
  lines.push_back(cut(fmt::format("{} · {}", whole.line(), coarse_duration_text(now - progress.started)), width));
  std::size_t label_width = 0;
  std::size_t why_width = 0;
  for (const MissingMember* one : missing) {
    label_width = std::max(label_width, one->member.label().size());
    why_width = std::max(why_width, one->why.size());
  }
  for (std::size_t i = 0; i < missing.size() && lines.size() < height; ++i) {
    if (lines.size() + 1 == height && i + 1 < missing.size()) {
      lines.push_back(fmt::format("  and {} more", missing.size() - i));
      break;
    }
    lines.push_back(cut(fmt::format("  {:<{}}  {:<{}}  {}", missing[i]->member.label(), label_width, missing[i]->why, why_width,
                                    coarse_duration_text(now - missing[i]->since)),
                        width));
  }
  return lines;
}

std::string wait_json(const WaitProgress& progress) {
  std::string out = fmt::format("{{\"at_ms\":{},\"ready\":{},\"total\":{},\"phase\":\"{}\"", milliseconds(progress.at - progress.started),
                                progress.ready, progress.total, to_string(progress.status.phase));
  append_json_field(out, "state", progress.status.state.text);
  out += ",\"missing\":[";
  for (const MissingMember& one : progress.missing) {
    if (out.back() != '[') out += ',';
    fmt::format_to(std::back_inserter(out), "{{\"index\":{}", one.member.index);
    append_json_field(out, "job", one.member.job);
    append_json_field(out, "name", one.member.name);
    append_json_field(out, "address", one.member.address);
    append_json_field(out, "why", one.why);
    fmt::format_to(std::back_inserter(out), ",\"for_ms\":{}}}", milliseconds(progress.at - one.since));
  }
  out += "]";
  append_json_field(out, "trouble", progress.trouble);
  append_json_field(out, "line", progress.line());
  return out + "}";
}

}  // namespace rollcall::tools
