// The process's descriptors: lists the open ones, and leaves none free.
#pragma once

#include <dirent.h>
#include <sys/resource.h>

#include <cstdlib>
#include <set>

namespace rollcall::testing {

inline std::set<int> open_descriptors() {
  std::set<int> all;
  DIR* const directory = ::opendir("/proc/self/fd");
  while (const dirent* const entry = ::readdir(directory)) {
    const int descriptor = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && descriptor != ::dirfd(directory)) all.insert(descriptor);
  }
  ::closedir(directory);
  return all;
}

// The smallest limit that leaves no descriptor free.
class NoDescriptors {
 public:
  // UBSan opens a pipe to check memory, and reports every object as invalid if it cannot.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool is_sanitized = true;
#elif defined(__has_feature)
  static constexpr bool is_sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
  static constexpr bool is_sanitized = false;
#endif

  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit tight = before_;
    const std::set<int> all = open_descriptors();
    int first_free = 0;
    while (all.contains(first_free)) ++first_free;
    tight.rlim_cur = static_cast<rlim_t>(first_free);
    ::setrlimit(RLIMIT_NOFILE, &tight);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

}  // namespace rollcall::testing
