// Replaces operator new, and the aligned_alloc by which Asio makes coroutine frames, to count. Include in exactly one file of a program.
#pragma once

#include <malloc.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace bench {
std::uint64_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++bench::allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++bench::allocations;
  return memalign(alignment, size);
}
