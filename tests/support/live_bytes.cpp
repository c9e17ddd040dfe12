#include "support/live_bytes.hpp"

#ifndef ROLLCALL_HAS_OWN_ALLOCATOR

#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <new>

void* operator new(std::size_t size) {
  void* const memory = std::malloc(size ? size : 1);
  if (!memory) throw std::bad_alloc();
  rollcall::testing::live_bytes.add(malloc_usable_size(memory));
  if (rollcall::testing::before_free) std::memset(memory, 0, malloc_usable_size(memory));  // earlier content is not shown
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory) rollcall::testing::live_bytes.remove(malloc_usable_size(memory));
  if (memory && rollcall::testing::before_free) {
    rollcall::testing::before_free(static_cast<const char*>(memory), malloc_usable_size(memory));
  }
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

#endif
