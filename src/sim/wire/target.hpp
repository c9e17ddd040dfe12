// A request target taken apart: decoded path segments and query pairs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/glob.hpp"

namespace rollcall::sim {

struct ParsedTarget {
  std::string path;                   // decoded, without the query
  std::vector<std::string> segments;  // decoded one by one; a trailing slash gives a last empty one
  std::vector<std::pair<std::string, std::string>> query;

  std::optional<std::string_view> get(std::string_view name) const;
  bool is_true(std::string_view name) const;
  /// As servers in Go read it: without the query's pairs that have a `;` or a wrong escape.
  ParsedTarget as_go_reads() const;

  std::string raw_query;  // as sent
};

ParsedTarget parse_target(std::string_view target);
std::string percent_decode(std::string_view text, bool plus_is_space);

}  // namespace rollcall::sim
