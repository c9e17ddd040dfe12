// How many descriptors a service may open: shells, managers and containers give a small number, and let the process ask for more.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace rollcall::command {

/// Raises the soft limit to `wanted`, or as far as the hard one allows. No further: programs that are started inherit it, and some take
/// time or memory for each descriptor that they may have. Source: getrlimit(2), RLIMIT_NOFILE.
inline void raise_descriptor_limit(std::size_t wanted) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace rollcall::command
