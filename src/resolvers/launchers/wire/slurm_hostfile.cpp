#include "resolvers/launchers/wire/slurm_hostfile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "cluster/host_lines.hpp"
#include "rollcall/host_list.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_repeats = 1'048'576;

// The end of the entry at the start of `text`: commas within brackets belong to a list.
std::size_t end_of_entry(std::string_view text) {
  bool is_in_brackets = false;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    const char c = text[end];
    if (c == '[') is_in_brackets = true;
    if (c == ']') is_in_brackets = false;
    if (!is_in_brackets && (c == ',' || c == ' ' || c == '\t' || c == '\r')) break;
  }
  return end;
}

Result<void> add_entry(std::string_view entry, std::size_t max, std::vector<std::string>& nodes) {
  const std::size_t star = entry.find('*');
  std::size_t times = 1;
  if (star != std::string_view::npos) {
    const auto number = parse_decimal<std::size_t>(entry.substr(star + 1), 1, max_repeats);
    if (!number) return Failure(Errc::invalid_argument, fmt::format("{} is not repeated by a number from 1", quoted(entry, 80)));
    times = *number;
  }
  const Result<std::vector<std::string>> hosts = expand_host_list(entry.substr(0, star));
  if (!hosts) return hosts.error();
  if (hosts->empty()) return Failure(Errc::invalid_argument, fmt::format("{} names no node", quoted(entry, 80)));
  for (std::size_t i = 0; i < times && nodes.size() < max; ++i) {
    for (const std::string& host : *hosts) {
      if (nodes.size() < max) nodes.push_back(host);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> parse_slurm_hostfile(std::string_view text, std::size_t max) {
  std::vector<std::string> nodes;
  const Result<void> read = each_line(text, [&nodes, max](std::size_t number, std::string_view line) -> Result<void> {
    while (!line.empty() && nodes.size() < max) {
      const std::size_t entry = end_of_entry(line);
      if (entry > 0) {
        const Result<void> added = add_entry(line.substr(0, entry), max, nodes);
        if (!added) return Failure(added.error().code(), fmt::format("line {}: {}", number, added.error().what()));
      }
      line.remove_prefix(std::min(entry + 1, line.size()));
    }
    return {};
  });
  if (!read) return read.error();
  return nodes;
}

}  // namespace rollcall
