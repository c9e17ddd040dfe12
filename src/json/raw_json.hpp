// The bytes of one member of a JSON object, found without reading the rest.
#pragma once

#include <optional>
#include <string_view>

namespace rollcall {

/// The text of the value of `key` in the object `text`, blanks around it removed; the last one if there are several. None: it has no such
/// key, or is no object as far as was looked. The value itself is not checked: whoever parses it does that. Keys with escapes are
/// not found.
std::optional<std::string_view> raw_json_member(std::string_view text, std::string_view key) noexcept;

}  // namespace rollcall
