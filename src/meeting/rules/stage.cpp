#include "rollcall/stage.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rollcall {

Result<void> check_stage_name(std::string_view name) {
  if (name.empty()) return Failure(Errc::invalid_argument, "the name of a stage is empty");
  if (name.size() > max_stage_name_bytes)
    return Failure(Errc::invalid_argument, fmt::format("{} is too long for the name of a stage: {} bytes, and {} are allowed",
                                                       quoted(name, 80), name.size(), max_stage_name_bytes));
  if (printable_line(name) == name && trim(name) == name) return {};
  return Failure(Errc::invalid_argument,
                 fmt::format("{} is no name of a stage: invisible characters, or blanks at an end", quoted(name, 80)));
}

}  // namespace rollcall
