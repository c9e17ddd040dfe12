// The forms in which a server may repeat a secret that it received: unchanged, and encoded. Pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/secret.hpp"

namespace rollcall {

/// The texts that represent `secret` in others: itself, with `+` for each blank, and Base64 of both alphabets at each offset in the encoded
/// text, such as after the user's name in `Basic`. Of Base64 only the characters that are determined by the secret alone. Escapes of single
/// characters (JSON, percent, entities) are not listed here: TokenMask decodes them.
std::vector<Secret<std::string>> spellings_of(const Secret<std::string>& secret);

}  // namespace rollcall
