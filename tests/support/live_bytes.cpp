#include "support/live_bytes.hpp"

#ifndef ROLLCALL_HAS_OWN_ALLOCATOR

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {
std::size_t count = 0;
std::size_t live = 0;
std::size_t peak = 0;
}  // namespace

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size ? size : 1);
  if (!memory) throw std::bad_alloc();
  ++count;
  live += malloc_usable_size(memory);
  peak = std::max(peak, live);
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory) live -= malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace rollcall::testing {

std::size_t allocations() noexcept { return count; }
std::size_t live_bytes() noexcept { return live; }
std::size_t peak_bytes() noexcept { return peak; }
void begin_peak() noexcept { peak = live; }

}  // namespace rollcall::testing

#endif
