// Hides secrets in answers: a server may repeat the token or password that it rejects, and messages about the answer must not show it. A
// table of the byte runs of their spellings finds the parts, and a mask hides them.
#pragma once

#include <bitset>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {

/// Bytes of a text, from `begin` to before `end`.
class TextSpan {
 public:
  TextSpan(std::size_t from, std::size_t to) : begin(from), end(to) {}
  std::size_t begin;
  std::size_t end;
};

/// Built once for a token, or for all secrets of a request; used for every answer that is read while they are in use. A search takes time
/// proportional to the text, for every text and all secrets.
class TokenTable {
 public:
  /// A shorter token is too likely to be a common word.
  static constexpr std::size_t min_token = 8;
  /// A run of this many bytes of a spelling is hidden; if a token is shorter, of its length.
  static constexpr std::size_t min_run = 12;

  /// `token` has at least `min_token` bytes.
  explicit TokenTable(const Secret<std::string>& token);
  /// At least one, and each of them has at least `min_token` bytes.
  explicit TokenTable(std::vector<Secret<std::string>> secrets);

  const std::vector<Secret<std::string>>& secrets() const noexcept { return secrets_; }
  /// The minimum length of a run.
  std::size_t run() const noexcept { return run_; }
  /// True if a spelling has that letter, in either case.
  bool has(char c) const noexcept { return letters_[static_cast<unsigned char>(c)]; }

  /// The parts of `text` that are runs of a spelling, regardless of case: in order, without overlaps.
  std::vector<TextSpan> find(std::string_view text) const;

 private:
  class Slot {
   public:
    std::uint32_t hash = 0;
    std::uint32_t place = 0;  // in spellings_, plus 1; 0: free
  };
  void add(std::size_t begin, std::size_t size);
  std::uint32_t hash_of(const char* run) const noexcept;
  std::size_t slot_of(const char* run, std::uint32_t hash) const noexcept;
  bool is_run(const char* text) const noexcept { return runs_[slot_of(text, hash_of(text))].place != 0; }

  std::vector<Secret<std::string>> secrets_;
  Secret<std::string> spellings_;  // concatenated
  std::size_t run_ = min_run;
  std::bitset<256> letters_;
  std::vector<unsigned char> filter_;   // not 0 for each short piece of a spelling
  std::vector<Slot> runs_;              // a hash table of the runs, each once
};

/// Hides the parts of secrets: each is replaced by `***`. The parts are those that TokenTable::find() finds; escapes of JSON (`\u0041`,
/// `\/`), URLs (`%41`) and HTML (`&#65;`, `&amp;`) are decoded first.
class TokenMask {
 public:
  /// None: nothing is hidden.
  explicit TokenMask(std::shared_ptr<const TokenTable> table) : table_(std::move(table)) {}

  void hide_in(Failure& failure) const;
  void hide_in(std::string& text) const;

 private:
  friend class TokenMaskStream;
  std::shared_ptr<const TokenTable> table_;
};

/// The same for a document that arrives in pieces.
class TokenMaskStream {
 public:
  explicit TokenMaskStream(const TokenMask& mask) : table_(mask.table_) {}

  /// The output for `piece`. An end that may be the beginning of a part is held back until more arrives, or rest(). The view is valid until
  /// the next call.
  std::string_view next(std::string_view piece);
  /// How much of `piece` to pass to next() at once: less than all of it if text is held back, so that only little is copied.
  std::string_view front(std::string_view piece) const;
  std::string_view rest();

 private:
  std::shared_ptr<const TokenTable> table_;
  std::string held_;  // read, but not returned yet
  std::size_t hidden_ = 0;  // this many bytes at its beginning belong to a part that was already replaced
  std::string joined_;
  std::string shown_;
};

}  // namespace rollcall
