// A node of ordinary size costs few allocations apart from the texts that are kept.
#include "support/live_bytes.hpp"

#ifndef ROLLCALL_HAS_OWN_ALLOCATOR

#include <catch2/catch.hpp>

#include "resolvers/tpu/wire/tpu_node.hpp"
#include "support/parse_result.hpp"

TEST_CASE("parsing a node allocates little") {
  const std::string text = rollcall::testing::read_sample("tpu/node.v2.v4-32.json");
  const std::size_t before = rollcall::testing::live_bytes.allocations();
  const auto node = rollcall::parse_tpu_node(text);
  const std::size_t used = rollcall::testing::live_bytes.allocations() - before;
  REQUIRE(node.has_value());
  // name, uid and runtime_version are longer than a string holds inline; a vector of four endpoints grows three times.
  CHECK(used <= 3 + 3);
}

#endif
