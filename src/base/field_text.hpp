// Checks for text that is sent in the head of an HTTP message. Other text is refused by the sender: removing or replacing characters would
// change its meaning.
#pragma once

#include <string_view>

namespace rollcall {

/// Visible ASCII, at least one byte: the characters of a token, a host or a request's target. It can neither end a line nor split it.
bool is_graphic(std::string_view text) noexcept;

/// The name of a header field (RFC 9110, 5.6.2).
bool is_field_name(std::string_view text) noexcept;

/// Why `text` cannot be the value of a header field (RFC 9110, 5.5): "holds a line break or …", to follow the field's name in a message.
/// Null: it can. Blanks at its ends would be lost in transit.
const char* field_value_fault(std::string_view text) noexcept;

}  // namespace rollcall
