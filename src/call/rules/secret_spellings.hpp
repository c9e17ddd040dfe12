// How a secret may come back from whom it was sent to: as it is, and as the encoders write it. Pure.
#pragma once

#include <string>
#include <vector>

#include "rollcall/secret.hpp"

namespace rollcall {

/// The texts that stand for `secret` in others: itself, with `+` for each blank, and Base64 of both alphabets, wherever in the encoded text
/// the secret begins, such as behind the user's name of `Basic`. Of Base64 only the characters that the secret alone decides. What escapes
/// single characters (JSON, percent, entities) is no spelling here: TokenMask sees through it.
std::vector<Secret<std::string>> spellings_of(const Secret<std::string>& secret);

}  // namespace rollcall
