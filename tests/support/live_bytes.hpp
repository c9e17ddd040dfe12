// What the parsers' tests allocate: how often, and how much of it lives at a time. Not there under sanitizers, which bring an operator new
// of their own.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ROLLCALL_HAS_OWN_ALLOCATOR
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROLLCALL_HAS_OWN_ALLOCATOR
#endif

#ifndef ROLLCALL_HAS_OWN_ALLOCATOR
namespace rollcall::testing {

std::size_t allocations() noexcept;
std::size_t live_bytes() noexcept;
/// The most that lived since begin_peak().
std::size_t peak_bytes() noexcept;
void begin_peak() noexcept;

}  // namespace rollcall::testing
#endif
