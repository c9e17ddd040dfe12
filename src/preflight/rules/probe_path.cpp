#include "preflight/rules/probe_path.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/text.hpp"

namespace rollcall::preflight {

std::string probe_path(std::string_view run, std::string_view kind, std::size_t place, std::size_t from) {
  return fmt::format("{}{}/{}/{}/{}", all_preflights, run, kind, place, from);
}

std::optional<ProbePath> read_probe_path(std::string_view path) {
  if (!path.starts_with(all_preflights)) return std::nullopt;
  const std::vector<std::string_view> parts = split(path.substr(all_preflights.size()), '/');
  if (parts.size() != 4) return std::nullopt;
  const auto to = parse_decimal<std::size_t>(parts[2]);
  const auto from = parse_decimal<std::size_t>(parts[3]);
  if (!to || !from) return std::nullopt;
  ProbePath read;
  read.run = parts[0];
  read.kind = parts[1];
  read.to = *to;
  read.from = *from;
  return read;
}

}  // namespace rollcall::preflight
