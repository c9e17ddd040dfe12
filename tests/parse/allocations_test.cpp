// A node of ordinary size costs few allocations beyond the texts that are kept.
// Left out under sanitizers, which bring an operator new of their own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ROLLCALL_HAS_OWN_ALLOCATOR
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROLLCALL_HAS_OWN_ALLOCATOR
#endif
#ifndef ROLLCALL_HAS_OWN_ALLOCATOR

#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "parse/tpu_node.hpp"
#include "support.hpp"

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("parsing a node allocates little") {
  const std::string text = rollcall::testing::read_sample("tpu/node.v2.v4-32.json");
  const std::size_t before = allocations;
  const auto node = rollcall::parse_tpu_node(text);
  const std::size_t used = allocations - before;
  REQUIRE(node.has_value());
  // name, uid and runtime_version are longer than a string holds inline; a vector of four endpoints grows three times.
  CHECK(used <= 3 + 3);
}

#endif
