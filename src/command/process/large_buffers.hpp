// Keeps the memory of a program small that runs for months and repeatedly reads answers of several megabytes.
//
// Decision: glibc raises its mmap threshold to the largest block that was freed, up to 32 MB. From then on the bodies of lists lie between
// long-lived blocks, and leave holes: a service of 1,000 clusters grew from 100 to 370 MB within ten minutes. With a fixed threshold it
// stays at 150 MB.
#pragma once

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace rollcall::command {

/// Call it before large allocations. Does nothing with other C libraries' allocators. Source: mallopt(3), M_MMAP_THRESHOLD.
inline void keep_large_buffers_apart() noexcept {
#if defined(__GLIBC__)
  constexpr int from = 1 << 20;  // bytes
  mallopt(M_MMAP_THRESHOLD, from);
  mallopt(M_TRIM_THRESHOLD, from);
#endif
}

}  // namespace rollcall::command
