// The bytes of one member of a JSON object, found without reading the rest.
#pragma once

#include <optional>
#include <string_view>

namespace rollcall {

/// The text of the value of `key` in the object `text`, blanks around it removed; the last one if there are several. None: no such key, or
/// the part that was read is no object. The value itself is not validated: its parser does that. Keys with escapes are not found.
std::optional<std::string_view> raw_json_member(std::string_view text, std::string_view key) noexcept;

}  // namespace rollcall
