#include "core/printable_line.hpp"

#include "core/text.hpp"

namespace rollcall {

std::string printable_line(std::string_view text) { return printable(text, std::string_view::npos); }

}  // namespace rollcall
