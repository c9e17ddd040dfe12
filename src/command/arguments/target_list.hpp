// Targets from a file: one a line, `#` comments, blank lines ignored.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall::tools {

inline constexpr std::size_t max_target_list_bytes = 10 * 1024 * 1024;
inline constexpr std::size_t max_targets = 100'000;

class ListedTarget {
 public:
  ListedTarget() {}
  ListedTarget(std::string target, std::string origin) : text(std::move(target)), where(std::move(origin)) {}
  std::string text;
  std::string where;  ///< `file:line`, empty for the command line
};

/// A `#` starts a comment at the start of a line or after a blank. Errors: invalid_argument with `name:line`, limit_exceeded.
Result<std::vector<ListedTarget>> parse_target_list(std::string_view text, std::string_view name);

/// `-` is standard input. Errors: as parse_target_list; a file that cannot be read is invalid_argument.
Result<std::vector<ListedTarget>> read_target_list(const std::string& path);

}  // namespace rollcall::tools
