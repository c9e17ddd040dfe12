// Bytes to be sent, in pieces. Large pieces may be shared with other queues: data that many clients get is in memory once.
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
  /// Keeps a reference; copies only short texts.
  void share(std::shared_ptr<const std::string> bytes);
  void add(SharedBytes more);
  /// Moves bytes from the front into `into`; returns their number.
  std::size_t take(char* into, std::size_t room) noexcept;

  std::size_t size() const noexcept { return size_; }
  /// The number of added bytes that are not shared.
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
  std::size_t taken_ = 0;  // bytes taken from the first piece
  std::size_t size_ = 0;
  std::size_t own_ = 0;
};

}  // namespace rollcall
