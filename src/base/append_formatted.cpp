#include "base/append_formatted.hpp"

#include <fmt/format.h>
#include <iterator>

namespace rollcall {

void append_formatted_values(std::string& out, fmt::string_view form, fmt::format_args values) {
  fmt::vformat_to(std::back_inserter(out), form, values);
}

}  // namespace rollcall
