// The keys of an object that are looked for, by their lengths: hardly two have the same one, and most keys that a service writes are none of
// them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace rollcall {

/// A Row has a `key` of at most `longest` bytes. The rows must be in the order of their keys' lengths and live as long.
template <class Row, std::size_t longest>
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
    if (key.size() > longest) return nullptr;
    for (std::size_t at = first_[key.size()]; at < first_[key.size() + 1]; ++at) {
      if (rows_[at].key == key) return &rows_[at];
    }
    return nullptr;
  }

 private:
  const Row* rows_ = nullptr;
  std::array<std::uint8_t, longest + 2> first_{};  // of the rows whose keys are at least so long
};

}  // namespace rollcall
