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

/// Made once for a token and looked things up in for all that is read while the token is in use. Looking costs time in proportion to the
/// text, whatever the text and the token are.
class TokenTable {
 public:
  /// A shorter token is too likely to be a word of what it is looked for in.
  static constexpr std::size_t least_token = 8;
  /// So many bytes of a token that follow one another are a part that is to be hidden; of a shorter token all of it.
  static constexpr std::size_t least_run = 12;

  /// `token` has at least `least_token` bytes.
  explicit TokenTable(const Secret<std::string>& token);

  const Secret<std::string>& token() const noexcept { return token_; }
  /// How long a run must be.
  std::size_t run() const noexcept { return run_; }
  /// Whether the token has that letter, in capitals or not.
  bool has(char c) const noexcept { return letters_[static_cast<unsigned char>(c)]; }

  /// What of `text` is part of a run, regardless of case: in order, without overlaps.
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
