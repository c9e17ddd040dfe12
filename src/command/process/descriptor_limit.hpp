// Raises the number of descriptors that a service may open: shells, managers and containers set a low soft limit, which a process may
// raise.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace rollcall::command {

/// Raises the soft limit to `wanted`, or as far as the hard limit allows. Not further: started programs inherit it, and some of them use
/// time or memory for each descriptor that they may have. Source: getrlimit(2), RLIMIT_NOFILE.
inline void raise_descriptor_limit(std::size_t wanted) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace rollcall::command
