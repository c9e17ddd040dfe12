// Iterates over the pages of a list, with a bound and with detection of cycles.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

class PageCursor {
 public:
  /// `list` names it in messages: "TPU list".
  PageCursor(std::string list, std::size_t max_pages) : list_(std::move(list)), max_pages_(max_pages) {}

  /// The token for the request of the next page; empty for the first.
  const std::string& token() const noexcept { return token_; }
  /// Takes the token of the next page from a page. False: it was the last page. Errors: malformed_response for a token that came before,
  /// limit_exceeded for more pages than allowed.
  Result<bool> advance(std::string_view next);

 private:
  std::string list_;
  std::size_t max_pages_;
  std::string token_;
  std::set<std::string, std::less<>> seen_;
};

inline Result<bool> PageCursor::advance(std::string_view next) {
  token_ = next;
  if (token_.empty()) return false;
  if (!seen_.insert(token_).second) return Failure(Errc::malformed_response, list_ + ": the same page token came twice");
  if (seen_.size() >= max_pages_) return Failure(Errc::limit_exceeded, fmt::format("{}: more than {} pages", list_, max_pages_));
  return true;
}

}  // namespace rollcall
