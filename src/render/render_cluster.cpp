#include "render/render_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "json/json_text.hpp"
#include "render/failure_fields.hpp"

namespace rollcall {

std::string render_failure_json(const TargetFailure& failed) {
  std::string out = "{";
  append_json_field(out, "target", failed.target);
  write_json_fields(out, failure_fields.fields, &failed.failure);
  return out + "}";
}

std::string render_failures_json(const std::vector<TargetFailure>& failures) {
  std::string out = "[";
  for (const TargetFailure& failure : failures) out += (out.size() > 1 ? "," : "") + render_failure_json(failure);
  return out + "]";
}

std::string render_json(const ClusterSpec& spec, const std::vector<TargetFailure>& failures) {
  return "{\"cluster\":" + spec.to_json() + ",\"failures\":" + render_failures_json(failures) + "}\n";
}

namespace {

// One word of a line; `kept` stores a word that must be built.
std::string_view word(std::string_view text, std::string& kept) {
  constexpr std::size_t max_bytes = 4096;
  if (text.empty()) return "\"\"";
  if (text.size() <= max_bytes && is_ascii_from(' ' + 1, text)) return text;
  kept = printable(text, max_bytes);
  for (std::size_t at = kept.find(' '); at != std::string::npos; at = kept.find(' ', at)) kept.replace(at, 1, "\\x20");
  return kept;
}

}  // namespace

std::string render_text(const ClusterSpec& spec, bool with_colour) {
  std::size_t job_width = 0;
  std::size_t index_width = 1;
  std::string kept;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    job_width = std::max(job_width, word(job.name, kept).size());
    if (!job.tasks.empty()) index_width = std::max(index_width, std::to_string(job.tasks.rbegin()->first).size());
  }
  job_width = std::min<std::size_t>(job_width, 32);
  const std::string_view bold = with_colour ? "\x1b[1m" : "";
  const std::string_view dim = with_colour ? "\x1b[2m" : "";
  const std::string_view plain = with_colour ? "\x1b[0m" : "";
  std::string out;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    std::string begin(bold);  // the same for all tasks of the job
    const std::string_view name = word(job.name, kept);
    begin.append(name).append(job_width > name.size() ? job_width - name.size() : 0, ' ').append(plain).append(" ").append(dim);
    const auto add_line = [&](std::string_view index, std::string_view address) {
      out.append(begin).append(index_width > index.size() ? index_width - index.size() : 0, ' ').append(index).append(plain);
      out.append(" ").append(address).append("\n");
    };
    if (job.tasks.empty()) add_line("-", "-");
    for (const auto& [index, address] : job.tasks) {
      const fmt::format_int digits(index);
      add_line(std::string_view(digits.data(), digits.size()), word(address, kept));
    }
  }
  return out;
}

}  // namespace rollcall
