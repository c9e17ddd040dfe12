// How much memory a target makes of its input: a list of elements that are next to nothing must be refused, not kept. Counted by the
// sanitizer's hooks, or by replay_main.cpp's operator new.
#pragma once

#include <atomic>
#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROLLCALL_SANITIZER_COUNTS
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define ROLLCALL_SANITIZER_COUNTS
#endif
#ifdef ROLLCALL_SANITIZER_COUNTS
#if __has_include(<sanitizer/allocator_interface.h>)
#include <sanitizer/allocator_interface.h>
#else  // GCC 12 has the functions, in its run-time library, but not the header
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*malloc_hook)(const volatile void*, std::size_t),
                                                         void (*free_hook)(const volatile void*));
extern "C" std::size_t __sanitizer_get_allocated_size(const volatile void* memory);
#endif
#endif

namespace rollcall {

class LiveBytes {
 public:
  void add(std::size_t bytes) noexcept {
    const std::size_t now = live_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (now > peak_.load(std::memory_order_relaxed)) peak_.store(now, std::memory_order_relaxed);
  }
  void remove(std::size_t bytes) noexcept { live_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t live() const noexcept { return live_.load(std::memory_order_relaxed); }
  std::size_t peak() const noexcept { return peak_.load(std::memory_order_relaxed); }
  void begin_peak() noexcept { peak_.store(live(), std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> live_ = std::size_t{1} << 40;  // what is freed may have been made before anybody counted
  std::atomic<std::size_t> peak_ = 0;
};
inline LiveBytes live_bytes;

#ifdef ROLLCALL_SANITIZER_COUNTS
inline void count_allocations() {
  static const int installed = __sanitizer_install_malloc_and_free_hooks(
      [](const volatile void*, std::size_t size) { live_bytes.add(size); },
      [](const volatile void* memory) { live_bytes.remove(memory ? __sanitizer_get_allocated_size(const_cast<void*>(memory)) : 0); });
  static_cast<void>(installed);
}
#else
inline void count_allocations() {}
#endif

/// The most that one parser may take whose limits' max_memory is `budget`: a vector that grows has its old elements and its new ones.
constexpr std::size_t most_live_bytes(std::size_t budget, std::size_t input) { return budget * 3 / 2 + 4 * input + (64 << 10); }

}  // namespace rollcall
