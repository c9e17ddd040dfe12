// Foreign text, whole, as one line that shows what is in it.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// All of `text` as printable() has it: line ends are escaped, too. Once more changes nothing.
std::string printable_line(std::string_view text);

}  // namespace rollcall
