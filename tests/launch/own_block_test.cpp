// What a host is on, by what schedulers say in the environment.
#include "launch/own_block.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

std::string by(std::map<std::string, std::string, std::less<>> variables) { return own_block(*fixed_environment(std::move(variables))); }

TEST_CASE("the block of a host is the last switch before it, or its slice") {
  CHECK(by({{"SLURM_TOPOLOGY_ADDR", "s0.s1.n7"}, {"SLURM_TOPOLOGY_ADDR_PATTERN", "switch.switch.node"}}) == "switch s1");
  CHECK(by({{"SLURM_TOPOLOGY_ADDR", "b3.n7"}, {"SLURM_TOPOLOGY_ADDR_PATTERN", "block.node"}}) == "block b3");
  CHECK(by({{"MEGASCALE_SLICE_ID", "2"}}) == "slice 2");
}

TEST_CASE("a host of which nothing is said, or what cannot be read, has no block") {
  CHECK(by({}).empty());
  CHECK(by({{"SLURM_TOPOLOGY_ADDR", "n7"}, {"SLURM_TOPOLOGY_ADDR_PATTERN", "node"}}).empty());
  CHECK(by({{"SLURM_TOPOLOGY_ADDR", "s0.n7"}}).empty());
  CHECK(by({{"SLURM_TOPOLOGY_ADDR", "s0.n7"}, {"SLURM_TOPOLOGY_ADDR_PATTERN", "switch.switch.node"}}).empty());
  CHECK(by({{"MEGASCALE_SLICE_ID", "two"}}).empty());
}

}  // namespace
