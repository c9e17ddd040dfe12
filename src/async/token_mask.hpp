// A server may repeat the token that it was sent, to say what it did not like: nobody is to read it in what is told of its answer.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// Hides one token: `***` stands where it was.
class TokenMask {
 public:
  /// `token` must stay where it is.
  explicit TokenMask(std::string_view token);

  /// In the texts that are shown: hides beginnings of the token too, for the rest may have been cut off.
  void hide_in(Failure& failure) const;

  /// For whole documents: the token alone. One that is too short to be a secret is left, it may be a word of the document.
  void hide_in_body(std::string& body) const;

  /// The same, piece by piece: what `piece` adds to the document. An end that may be the token's beginning is held back until more
  /// comes, or rest(). The view is good until the next call.
  std::string_view next(std::string_view piece);
  std::string_view rest();

 private:
  using Searcher = std::boyer_moore_horspool_searcher<std::string_view::const_iterator>;

  void hide_in_text(std::string& text) const;
  bool is_secret() const;
  std::size_t held_size(std::string_view text) const;

  std::string_view token_;
  Searcher searcher_;  // skips nearly the token's length at each step
  std::string held_;
  std::string shown_;
};

}  // namespace rollcall
