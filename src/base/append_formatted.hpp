// Formatted text at the end of another. fmt::format_to() would compile all of fmt's formatting again in each file that has it.
#pragma once

#include <fmt/core.h>
#include <string>

namespace rollcall {

void append_formatted_values(std::string& out, fmt::string_view form, fmt::format_args values);

/// Appends what fmt::format(form, values…) returns.
template <class... Values>
void append_formatted(std::string& out, fmt::format_string<Values...> form, Values&&... values) {
  append_formatted_values(out, form, fmt::make_format_args(values...));
}

}  // namespace rollcall
