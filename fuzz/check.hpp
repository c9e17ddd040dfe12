// The requirements of every fuzz target for a failure: a bounded message without control characters.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "json/limits.hpp"
#include "rollcall/error.hpp"
#include "support/live_bytes.hpp"

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

/// Reads `text` with a memory budget that a hostile input of a few kilobytes exceeds; `Parser` is constructed from ParseLimits. A growing
/// vector has its old elements and its new ones.
template <class Parser>
void require_bounded(std::string_view text) {
  ParseLimits limits;
  limits.max_memory = 64 << 10;
  testing::count_by_hooks();
  testing::live_bytes.begin_peak();
  const std::size_t before = testing::live_bytes.live();
  {
    Parser parser(limits);
    Result<void> result = parser.feed(text);
    if (result) result = parser.finish();
    require_sane(result);
  }
  require(testing::live_bytes.peak() - before <= limits.max_memory * 3 / 2 + 4 * text.size() + (64 << 10));
}

/// Feeds `text` in pieces of `step` bytes, each in a separate allocation, so that reading past its end is detected.
template <class Parser>
Result<void> feed_in_pieces(Parser& parser, std::string_view text, std::size_t step) {
  Result<void> result;
  for (std::size_t at = 0; at < text.size() && result; at += step) result = parser.feed(std::string(text.substr(at, step)));
  if (result) result = parser.finish();
  require_sane(result);
  return result;
}

/// The first byte selects one of `readers` for the rest, with a quarter of a megabyte of memory.
inline int read_as_chosen(const std::uint8_t* data, std::size_t size,
                          std::initializer_list<void (*)(std::string_view text, const ParseLimits& limits)> readers) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1),
                         size - 1);  // a separate allocation, so that reading past its end is detected
  ParseLimits limits;
  limits.max_memory = 256 << 10;
  readers.begin()[data[0] % readers.size()](text, limits);
  return 0;
}

}  // namespace rollcall
