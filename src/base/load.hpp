// Loads several bytes of a text as one number.
#pragma once

#include <cstring>

namespace rollcall {

/// The `sizeof(Word)` bytes at `from`, without alignment, in the machine's byte order.
template <class Word>
Word load(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

}  // namespace rollcall
