// Memory of a program that runs for months, and reads answers of megabytes again and again.
//
// Decision: glibc moves the size from which it maps memory of its own up to the largest that was freed, 32 MB at most. From then on the
// bodies of lists lie among what is kept, and leave holes: a service of 1,000 clusters grew from 100 to 370 MB within ten minutes. With a
// size that stays it has 150 MB.
#pragma once

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace rollcall::command {

/// Before anything is allocated in earnest. Does nothing with other C libraries' allocators. Source: mallopt(3), M_MMAP_THRESHOLD.
inline void keep_large_buffers_apart() noexcept {
#if defined(__GLIBC__)
  constexpr int from = 1 << 20;  // bytes
  mallopt(M_MMAP_THRESHOLD, from);
  mallopt(M_TRIM_THRESHOLD, from);
#endif
}

}  // namespace rollcall::command
