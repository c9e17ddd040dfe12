// Text that fits a number of columns. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rollcall::command {

/// Characters that are wide on most terminals, such as CJK, are taken for two columns wide, the others for one.
std::size_t columns_of(std::string_view text) noexcept;

/// At most `width` columns of `text`: what is left out at its end shows as "…".
std::string cut_line(std::string_view text, std::size_t width);

/// `text`, cut to `width` columns or filled up with blanks to that many.
std::string in_column(std::string_view text, std::size_t width);

}  // namespace rollcall::command
