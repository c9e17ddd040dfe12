// Cuts and pads text to a number of columns. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rollcall::command {

/// Counts characters that are wide on most terminals, such as CJK, as two columns, others as one.
std::size_t columns_of(std::string_view text) noexcept;

/// At most `width` columns of `text`; a cut end shows as "…".
std::string cut_line(std::string_view text, std::size_t width);

/// `text`, cut to `width` columns or padded with blanks to that many.
std::string in_column(std::string_view text, std::size_t width);

}  // namespace rollcall::command
