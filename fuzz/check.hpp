// What every fuzz target demands of a failure: a bounded message without control characters.
#pragma once

#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

inline void require(bool holds) {
  if (!holds) __builtin_trap();
}

inline void require_printable(std::string_view text) {
  require(text.size() < 4096);
  for (const unsigned char c : text) require(c >= ' ' && c != 0x7f);
}

template <class T>
void require_sane(const Result<T>& result) {
  if (result) return;
  const Failure failure = result.error();
  require(!failure.what().empty());
  require_printable(failure.message());
}

}  // namespace rollcall
