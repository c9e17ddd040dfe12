// What a failed program said, for a message: the lines that name the error and the command that helps.
#pragma once

#include <string>
#include <string_view>

namespace rollcall {

/// The lines of `text`, printable, on one line, separated by ` | `. Of a long text the first and last line with an error, those with
/// advice, the last line and the first, in their order, with ` … ` where others are left out. Lines that repeat an earlier one, colours
/// and other terminal sequences are left out; words that look like a secret (a token, a key, the text after "password:") are `***`. Empty
/// if there are no lines. At most 2 kB.
std::string helpful_lines(std::string_view text);

}  // namespace rollcall
