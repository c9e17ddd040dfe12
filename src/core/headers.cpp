// HeaderList: fields in one buffer, separated by NUL.
#include "core/text.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {
namespace {

// NUL separates; a line break would start another header when the field is sent.
void append_safely(std::string& out, std::string_view text) {
  if (text.find_first_of(std::string_view("\0\r\n", 3)) == std::string_view::npos) {
    out.append(text);
    return;
  }
  for (const char c : text) {
    if (c != '\0' && c != '\r' && c != '\n') out.push_back(c);
  }
}

}  // namespace

void HeaderList::add(std::string_view name, std::string_view value) {
  append_safely(text_, name);
  text_.push_back('\0');
  append_safely(text_, value);
  text_.push_back('\0');
}

std::optional<std::string_view> HeaderList::get(std::string_view name) const {
  std::optional<std::string_view> found;
  each([&](std::string_view field, std::string_view value) {
    if (!found && equals_ignoring_case(field, name)) found = value;
  });
  return found;
}

}  // namespace rollcall
