// Blocks by the addresses of members.
#include "preflight/rules/address_blocks.hpp"

#include <catch2/catch.hpp>

using rollcall::preflight::address_blocks;
using Texts = std::vector<std::string>;

namespace {

TEST_CASE("members with neighbouring addresses are a block") {
  CHECK(address_blocks({"10.0.3.1", "10.0.3.200", "10.0.4.1"}) == Texts{"10.0.3.0/24", "10.0.3.0/24", "10.0.4.0/24"});
  CHECK(address_blocks({"fd00::3:0:0:0:1", "fd00:0:0:4::1"}) == Texts{"fd00:0:0:3::/64", "fd00:0:0:4::/64"});
  CHECK(address_blocks({"10.0.3.1", "fd00::1"}) == Texts{"10.0.3.0/24", "fd00:0:0:0::/64"});
  CHECK(address_blocks({}).empty());
}

TEST_CASE("one network is no block, and of a name no network is known") {
  CHECK(address_blocks({"10.0.3.1", "10.0.3.2"}) == Texts{"", ""});
  CHECK(address_blocks({"10.0.3.1", "n7"}) == Texts{"", ""});
}

}  // namespace
