#include "async/token_mask.hpp"

#include <algorithm>

namespace rollcall {
namespace {

constexpr std::string_view mask = "***";
constexpr std::size_t least_secret = 8;  // bytes; many tokens share their first few

}  // namespace

TokenMask::TokenMask(std::string_view token) : token_(token), searcher_(token_.begin(), token_.end()) {}

bool TokenMask::is_secret() const { return token_.size() >= least_secret; }

void TokenMask::hide_in_text(std::string& text) const {
  if (token_.empty()) return;
  const std::string_view start = token_.substr(0, least_secret);
  for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + mask.size())) {
    const std::string_view found = std::string_view(text).substr(at, token_.size());
    const auto ends = std::mismatch(found.begin(), found.end(), token_.begin());
    text.replace(at, static_cast<std::size_t>(ends.first - found.begin()), mask);
  }
}

void TokenMask::hide_in(Failure& failure) const {
  std::string what = failure.what();
  std::string hint = failure.hint();
  hide_in_text(what);
  hide_in_text(hint);
  failure.with_what(std::move(what)).with_hint(std::move(hint));
}

void TokenMask::hide_in_body(std::string& body) const {
  if (!is_secret()) return;
  std::string_view rest = body;
  auto found = std::search(rest.begin(), rest.end(), searcher_);
  if (found == rest.end()) return;
  std::string masked;
  for (; found != rest.end(); found = std::search(rest.begin(), rest.end(), searcher_)) {
    const auto before = static_cast<std::size_t>(found - rest.begin());
    masked.append(rest.substr(0, before)).append(mask);
    rest.remove_prefix(before + token_.size());
  }
  body = masked.append(rest);
}

// How long an end of `text` is the token's beginning.
std::size_t TokenMask::held_size(std::string_view text) const {
  std::string_view end = text.substr(text.size() - std::min(text.size(), token_.size() - 1));
  while (!end.empty() && !token_.starts_with(end)) {
    const std::size_t next = end.find(token_.front(), 1);
    end.remove_prefix(std::min(next, end.size()));
  }
  return end.size();
}

std::string_view TokenMask::next(std::string_view piece) {
  if (!is_secret()) return piece;
  const bool is_plain = held_.empty() && held_size(piece) == 0 && std::search(piece.begin(), piece.end(), searcher_) == piece.end();
  if (is_plain) return piece;
  shown_ = std::move(held_);
  shown_ += piece;
  hide_in_body(shown_);
  const std::size_t kept = shown_.size() - held_size(shown_);
  held_ = shown_.substr(kept);
  shown_.resize(kept);
  return shown_;
}

std::string_view TokenMask::rest() {
  shown_ = std::move(held_);
  held_.clear();
  return shown_;
}

}  // namespace rollcall
