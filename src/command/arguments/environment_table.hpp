// The environment variables that the command reads, as help and the manual show them.
#pragma once

#include <span>
#include <string_view>

namespace rollcall::command {

struct VariableRow {
  std::string_view names;  ///< joined by commas
  std::string_view meaning;
};

std::span<const VariableRow> environment_variables() noexcept;

}  // namespace rollcall::command
