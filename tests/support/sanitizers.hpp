// Which sanitizer the tests are built with. Each has an operator new of its own, and makes a test some ten times as slow.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ROLLCALL_HAS_ALLOCATION_HOOKS
#endif
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ROLLCALL_HAS_OWN_ALLOCATOR
#endif
#else
#ifdef __SANITIZE_ADDRESS__
#define ROLLCALL_HAS_ALLOCATION_HOOKS
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROLLCALL_HAS_OWN_ALLOCATOR
#endif
#endif

namespace rollcall::testing {

/// `all`, and with a sanitizer a quarter of it: random stories, or tasks. That finds errors of memory as well.
constexpr unsigned fewer_with_sanitizers(unsigned all) {
#ifdef ROLLCALL_HAS_OWN_ALLOCATOR
  return all / 4;
#else
  return all;
#endif
}

}  // namespace rollcall::testing
