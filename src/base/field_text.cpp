#include "base/field_text.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {

bool is_graphic(std::string_view text) noexcept { return !text.empty() && is_ascii_from(' ' + 1, text); }

bool is_field_name(std::string_view text) noexcept {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [marks](char c) { return is_alnum(c) || marks.find(c) != std::string_view::npos; });
}

const char* field_value_fault(std::string_view text) noexcept {
  const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == '\x7f'; };
  if (std::any_of(text.begin(), text.end(), is_control)) return "holds a line break or another control character";
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  if (!text.empty() && (is_blank(text.front()) || is_blank(text.back()))) return "begins or ends with a blank";
  return nullptr;
}

}  // namespace rollcall
