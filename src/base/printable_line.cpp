#include "base/printable_line.hpp"

#include "base/text.hpp"

namespace rollcall {

std::string printable_line(std::string_view text) { return printable(text, std::string_view::npos); }

}  // namespace rollcall
