// Finds keys of an object by their lengths: few known keys have the same length, and most keys that a service writes are unknown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/load.hpp"

namespace rollcall {

/// A Row has a `key` of at most `max` bytes. The rows must be in the order of their keys' lengths and live as long.
template <class Row, std::size_t max>
class KeyTable {
 public:
  constexpr KeyTable() {}
  constexpr explicit KeyTable(std::span<const Row> rows) : rows_(rows.data()) {
    for (std::size_t length = 0, at = 0; length < first_.size(); ++length) {
      while (at < rows.size() && rows[at].key.size() < length) ++at;
      first_[length] = static_cast<std::uint8_t>(at);
    }
    for (std::size_t at = 1; at < rows.size(); ++at) {
      if (rows[at].key.size() < rows[at - 1].key.size()) throw "the rows are not in the order of their lengths";
    }
    if (first_.back() != rows.size()) throw "a key is too long";
  }

  /// Null: it is none of them.
  const Row* find(std::string_view key) const noexcept {
    if (key.size() > max) return nullptr;
    for (std::size_t at = first_[key.size()]; at < first_[key.size() + 1]; ++at) {
      if (is_same(rows_[at].key.data(), key.data(), key.size())) return &rows_[at];
    }
    return nullptr;
  }

 private:
  // Most keys are short: two loads, which may overlap, cost less than a call.
  static bool is_same(const char* a, const char* b, std::size_t size) noexcept {
    // Long keys of one length often begin alike and end differently.
    if (size > 16) return load<std::uint64_t>(a + size - 8) == load<std::uint64_t>(b + size - 8) && std::memcmp(a, b, size - 8) == 0;
    if (size >= 8)
      return load<std::uint64_t>(a) == load<std::uint64_t>(b) && load<std::uint64_t>(a + size - 8) == load<std::uint64_t>(b + size - 8);
    if (size >= 4)
      return load<std::uint32_t>(a) == load<std::uint32_t>(b) && load<std::uint32_t>(a + size - 4) == load<std::uint32_t>(b + size - 4);
    for (std::size_t i = 0; i < size; ++i) {
      if (a[i] != b[i]) return false;
    }
    return true;
  }

  const Row* rows_ = nullptr;
  std::array<std::uint8_t, max + 2> first_{};  // first row whose key has at least this length
};

}  // namespace rollcall
