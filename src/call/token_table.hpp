// The runs of bytes that make up a token, as a table: where a text repeats any of them.
#pragma once

#include <bitset>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rollcall/secret.hpp"

namespace rollcall {

/// Bytes of a text, from `begin` to before `end`.
class TextSpan {
 public:
  TextSpan(std::size_t from, std::size_t to) : begin(from), end(to) {}
  std::size_t begin;
  std::size_t end;
};

/// Made once for a token; every answer that is read while the token is in use is searched by it. A search takes time in proportion to the
/// text, whatever the text and the token are.
class TokenTable {
 public:
  /// A shorter token is too likely to be a word of the text.
  static constexpr std::size_t least_token = 8;
  /// A run of so many bytes of the token is hidden; of a shorter token, the whole token.
  static constexpr std::size_t least_run = 12;

  /// `token` has at least `least_token` bytes.
  explicit TokenTable(const Secret<std::string>& token);

  const Secret<std::string>& token() const noexcept { return token_; }
  /// How long a run must be.
  std::size_t run() const noexcept { return run_; }
  /// Whether the token has that letter, in capitals or not.
  bool has(char c) const noexcept { return letters_[static_cast<unsigned char>(c)]; }

  /// The parts of `text` that are runs of the token, regardless of case: in order, without overlaps.
  std::vector<TextSpan> find(std::string_view text) const;

 private:
  class Slot {
   public:
    std::uint32_t hash = 0;
    std::uint32_t place = 0;  // in the token, plus 1; 0: free
  };
  std::uint32_t hash_of(const char* run) const noexcept;
  std::size_t slot_of(const char* run, std::uint32_t hash) const noexcept;
  bool is_run(const char* text) const noexcept { return runs_[slot_of(text, hash_of(text))].place != 0; }

  Secret<std::string> token_;
  std::size_t run_;
  std::bitset<256> letters_;
  std::vector<std::uint64_t> filter_;   // a bit for each short piece of the token
  std::vector<Slot> runs_;              // a hash table; each run once
  int filter_shift_ = 0;
};

}  // namespace rollcall
