// The memory in use, and the number of allocations: a list of nearly empty elements must be refused, not kept. Counted by live_bytes.cpp's
// operator new. Sanitizers have an operator new of their own: AddressSanitizer's hooks count instead, from count_by_hooks() on; with
// ThreadSanitizer nothing is counted.
#pragma once

#include <atomic>
#include <cstddef>

#include "support/sanitizers.hpp"

#ifdef ROLLCALL_HAS_ALLOCATION_HOOKS
#if __has_include(<sanitizer/allocator_interface.h>)
#include <sanitizer/allocator_interface.h>
#else  // GCC 12 has the functions in its run-time library, but not the header
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*, std::size_t),
                                                         void (*free_hook)(const volatile void*));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void* memory);
#endif
#endif

namespace rollcall::testing {

class LiveBytes {
 public:
  void add(std::size_t bytes) noexcept {
    allocations_.fetch_add(1, std::memory_order_relaxed);
    const std::size_t now = live_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (now > peak_.load(std::memory_order_relaxed)) peak_.store(now, std::memory_order_relaxed);
  }
  void remove(std::size_t bytes) noexcept { live_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t allocations() const noexcept { return allocations_.load(std::memory_order_relaxed); }
  std::size_t live() const noexcept { return live_.load(std::memory_order_relaxed); }
  /// The peak since begin_peak().
  std::size_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  void begin_peak() noexcept { peak_.store(live(), std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> allocations_ = 0;
  std::atomic<std::size_t> live_ = std::size_t{1} << 40;  // freed memory may have been allocated before counting began
  std::atomic<std::size_t> peak_ = 0;
};
inline LiveBytes live_bytes;

/// Called with memory before operator delete frees it; null: not called. Never called with sanitizers.
inline void (*before_free)(const char* memory, std::size_t size) = nullptr;

#ifdef ROLLCALL_HAS_ALLOCATION_HOOKS
inline void count_by_hooks() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, std::size_t size) { live_bytes.add(size); },
      [](const volatile void* memory) { live_bytes.remove(memory ? __sanitizer_get_allocated_size(const_cast<void*>(memory)) : 0); });
  static_cast<void>(installed);
}
#else
inline void count_by_hooks() {}
#endif

}  // namespace rollcall::testing
