#include "render/render_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"

namespace rollcall {
namespace {

std::string word(std::string_view text) {
  std::string out;
  for (const char c : printable(text, 4096)) {
    if (c == ' ') {
      out += "\\x20";
    } else {
      out += c;
    }
  }
  return out.empty() ? "\"\"" : out;
}

}  // namespace

std::string render_text(const ClusterSpec& spec, bool with_colour) {
  std::size_t job_width = 0;
  std::size_t index_width = 1;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    job_width = std::max(job_width, word(job.name).size());
    if (!job.tasks.empty()) index_width = std::max(index_width, fmt::formatted_size("{}", job.tasks.rbegin()->first));
  }
  job_width = std::min<std::size_t>(job_width, 32);
  const std::string_view bold = with_colour ? "\x1b[1m" : "";
  const std::string_view dim = with_colour ? "\x1b[2m" : "";
  const std::string_view plain = with_colour ? "\x1b[0m" : "";
  std::string out;
  for (const ClusterSpec::Job& job : spec.job_list()) {
    const std::string name = word(job.name);
    const auto line = [&](std::string_view index, std::string_view address) {
      fmt::format_to(std::back_inserter(out), "{}{:<{}}{} {}{:>{}}{} {}\n", bold, name, job_width, plain, dim, index, index_width, plain,
                     address);
    };
    if (job.tasks.empty()) line("-", "-");
    for (const auto& [index, address] : job.tasks) line(fmt::format_int(index).c_str(), word(address));
  }
  return out;
}

}  // namespace rollcall
