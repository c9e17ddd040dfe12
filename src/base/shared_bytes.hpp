// Bytes to be sent, in pieces, the large ones of which others may have too: what is told to many is in memory once.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace rollcall {

class SharedBytes {
 public:
  SharedBytes() {}
  explicit SharedBytes(std::string_view bytes) { add(bytes); }

  void add(std::string_view bytes);
  /// Not copied, unless they are few.
  void share(std::shared_ptr<const std::string> bytes);
  void add(SharedBytes more);
  /// Copies from the front to `into`, and forgets what was copied; returns how many bytes that were.
  std::size_t take(char* into, std::size_t room) noexcept;

  std::size_t size() const noexcept { return size_; }
  /// Of all that was added, the bytes that others do not have.
  std::size_t own() const noexcept { return own_; }
  std::string text() const;

 private:
  class Piece {
   public:
    std::string_view bytes() const noexcept { return shared ? std::string_view(*shared) : std::string_view(own); }
    std::string own;
    std::shared_ptr<const std::string> shared;  // null: own
  };
  std::deque<Piece> pieces_;
  std::size_t taken_ = 0;  // of the first
  std::size_t size_ = 0;
  std::size_t own_ = 0;
};

}  // namespace rollcall
