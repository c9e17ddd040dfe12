// A server may repeat the token that it was sent, to say what it did not like. The token must not appear in a message about the answer.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "call/token_table.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// Hides the parts of one token: `***` stands where one was. A part is whatever TokenTable::find() finds; escapes as JSON has them
/// (`\u0041`, `\/`) are seen through.
class TokenMask {
 public:
  /// None: nothing is hidden.
  explicit TokenMask(std::shared_ptr<const TokenTable> table) : table_(std::move(table)) {}

  void hide_in(Failure& failure) const;
  void hide_in(std::string& text) const;

  /// The same, piece by piece: what `piece` adds to the document. An end that may be the beginning of a part is held back until more
  /// comes, or rest(). The view is good until the next call.
  std::string_view next(std::string_view piece);
  /// How much of `piece` to hand to next() at once: less than all of it where something is held back, so that only little is copied.
  std::string_view front(std::string_view piece) const;
  std::string_view rest();

 private:
  std::shared_ptr<const TokenTable> table_;
  std::string held_;           // read, but not handed out yet
  std::size_t hidden_ = 0;     // so much of its beginning belongs to a part whose place was marked already
  std::string joined_;
  std::string shown_;
};

}  // namespace rollcall
