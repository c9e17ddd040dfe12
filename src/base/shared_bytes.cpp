#include "base/shared_bytes.hpp"

#include <algorithm>

namespace rollcall {
namespace {

constexpr std::size_t copied_at_most = 1024;

}  // namespace

void SharedBytes::add(std::string_view bytes) {
  if (pieces_.empty() || pieces_.back().shared) pieces_.emplace_back();
  pieces_.back().own.append(bytes);
  size_ += bytes.size();
  own_ += bytes.size();
}

void SharedBytes::share(std::shared_ptr<const std::string> bytes) {
  if (bytes->size() <= copied_at_most) return add(*bytes);
  size_ += bytes->size();
  pieces_.emplace_back().shared = std::move(bytes);
}

void SharedBytes::add(SharedBytes more) {
  for (Piece& piece : more.pieces_) {
    if (piece.shared) {
      share(std::move(piece.shared));
    } else {
      add(piece.own);
    }
  }
}

std::size_t SharedBytes::take(char* into, std::size_t room) noexcept {
  std::size_t done = 0;
  while (done < room && !pieces_.empty()) {
    const std::string_view rest = pieces_.front().bytes().substr(taken_);
    const std::size_t count = std::min(rest.size(), room - done);
    std::copy_n(rest.data(), count, into + done);
    done += count;
    taken_ += count;
    if (count < rest.size()) break;
    pieces_.pop_front();
    taken_ = 0;
  }
  size_ -= done;
  return done;
}

std::string SharedBytes::text() const {
  std::string all;
  all.reserve(size_);
  for (const Piece& piece : pieces_) all.append(piece.bytes());
  return all.substr(taken_);
}

}  // namespace rollcall
