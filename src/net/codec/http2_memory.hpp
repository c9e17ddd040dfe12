// The memory of nghttp2 for one connection: limited, and wiped before it is freed, since it contains heads.
#pragma once

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "rollcall/secret.hpp"

namespace rollcall {

class Http2Memory {
 public:
  explicit Http2Memory(std::size_t max) : max_(max) {}
  nghttp2_mem calls() noexcept { return nghttp2_mem{this, allocate, release, allocate_zeroed, reallocate}; }

 private:
  static constexpr std::size_t front = alignof(std::max_align_t);  // offset of the stored size

  static std::size_t size_of(const void* block) noexcept {
    std::size_t size = 0;
    std::memcpy(&size, static_cast<const char*>(block) - front, sizeof size);
    return size;
  }
  static void* allocate(std::size_t size, void* self) noexcept {
    auto& memory = *static_cast<Http2Memory*>(self);
    if (size > memory.max_ - memory.used_) return nullptr;
    char* const block = static_cast<char*>(std::malloc(front + size));
    if (!block) return nullptr;
    std::memcpy(block, &size, sizeof size);
    memory.used_ += size;
    return block + front;
  }
  static void release(void* block, void* self) noexcept {
    if (!block) return;
    const std::size_t size = size_of(block);
    static_cast<Http2Memory*>(self)->used_ -= size;
    wipe(block, size);
    std::free(static_cast<char*>(block) - front);
  }
  static void* allocate_zeroed(std::size_t count, std::size_t size, void* self) noexcept {
    if (size != 0 && count > SIZE_MAX / size) return nullptr;
    void* const block = allocate(count * size, self);
    if (block) std::memset(block, 0, count * size);
    return block;
  }
  static void* reallocate(void* block, std::size_t size, void* self) noexcept {
    void* const larger = allocate(size, self);
    if (!larger || !block) return larger;
    std::memcpy(larger, block, std::min(size, size_of(block)));
    release(block, self);
    return larger;
  }

  std::size_t max_;
  std::size_t used_ = 0;
};

}  // namespace rollcall
