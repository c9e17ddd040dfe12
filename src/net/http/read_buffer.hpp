// The read buffer of all connections of a transport. Its content is used up before the code that read it suspends.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace rollcall {

class ReadBuffer {
 public:
  static constexpr std::size_t size = 64 * 1024;
  std::span<char> get() {
    if (!bytes_) bytes_ = std::make_unique_for_overwrite<char[]>(size);  // few answers need all of it
    return std::span(bytes_.get(), size);
  }

 private:
  std::unique_ptr<char[]> bytes_;
};

}  // namespace rollcall
