// The end of a failed program's output, for a message.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// The last lines of `text`, printable, on one line, separated by ` | `; words that look like a secret (a token, a key, the text after
/// "password:") are `***`. Empty if there are none.
std::string last_words(std::string_view text);

}  // namespace rollcall
