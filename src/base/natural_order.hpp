// The order in which people count: worker-2 before worker-10.
#pragma once

#include <compare>
#include <string_view>

namespace rollcall {

/// Runs of digits compare as numbers of any length, everything else byte by byte. Numbers of equal value with more leading zeros come
/// after those with fewer when nothing else differs, so that only equal texts are equal.
std::strong_ordering natural_order(std::string_view a, std::string_view b) noexcept;

}  // namespace rollcall
