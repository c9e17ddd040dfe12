// Blocks by the service, by members themselves, by addresses.
#include "preflight/rules/member_blocks.hpp"

#include <catch2/catch.hpp>

#include "preflight/planted.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using rollcall::preflight::set_blocks;
using Texts = std::vector<std::string>;

namespace {

PreflightEvidence at(const Texts& addresses) {
  PreflightEvidence evidence = Planted(addresses.size()).evidence;
  for (std::size_t i = 0; i < addresses.size(); ++i) evidence.members[i].address = addresses[i];
  return evidence;
}

Texts blocks_of(PreflightEvidence evidence, const std::map<std::string, std::string>& by_service = {}) {
  set_blocks(evidence, by_service);
  Texts blocks;
  for (const EvidenceMember& member : evidence.members) blocks.push_back(member.block);
  return blocks;
}

TEST_CASE("members with neighbouring addresses are a block") {
  CHECK(blocks_of(at({"10.0.3.1:1", "10.0.3.200:1", "10.0.4.1:1"})) == Texts{"10.0.3.0/24", "10.0.3.0/24", "10.0.4.0/24"});
  CHECK(blocks_of(at({"[fd00::3:0:0:0:1]:1", "[fd00:0:0:4::1]:1"})) == Texts{"fd00:0:0:3::/64", "fd00:0:0:4::/64"});
  CHECK(blocks_of(at({"10.0.3.1:1", "[fd00::1]:1"})) == Texts{"10.0.3.0/24", "fd00:0:0:0::/64"});
  CHECK(blocks_of(at({})).empty());
}

TEST_CASE("one network is no block, and of a name no network is known") {
  CHECK(blocks_of(at({"10.0.3.1:1", "10.0.3.2:1"})) == Texts{"", ""});
  CHECK(blocks_of(at({"10.0.3.1:1", "n7:1", "10.0.4.1:1"})) == Texts{"", "", ""});
}

TEST_CASE("what members say of themselves comes before their addresses, and the service's word before both") {
  PreflightEvidence evidence = at({"10.0.3.1:1", "10.0.3.2:1", "10.0.4.1:1"});
  evidence.members[0].block = "switch s1";
  evidence.members[2].block = "switch s2";
  CHECK(blocks_of(evidence) == Texts{"switch s1", "", "switch s2"});
  CHECK(blocks_of(evidence, {{"worker:0", "slice 0"}, {"worker:1", "slice 1"}}) == Texts{"slice 0", "slice 1", ""});
  CHECK(blocks_of(evidence, {{"worker:0", "slice 0"}, {"worker:1", "slice 0"}, {"worker:2", "slice 0"}}) == Texts{"", "", ""});
}

TEST_CASE("a slice that is not there is named as one, and so are switches that do not see each other") {
  Planted planted(12);
  for (std::size_t i = 0; i < 12; ++i) planted.evidence.members[i].block = i < 4 ? "slice 0" : i < 8 ? "slice 1" : "slice 2";
  for (std::size_t i = 4; i < 8; ++i) planted.absent(i, ProbeResult::refused);
  CHECK(lines_of(planted.judged()) ==
        "failure block absent [4,5,6,7]: slice 1: worker 4, worker 5, worker 6 and worker 7 (4 of 12 members): not started: the host "
        "answers, and nothing listens on port 29500\n");
  Planted apart(12);
  for (std::size_t i = 0; i < 12; ++i) apart.evidence.members[i].block = i < 4 ? "switch a" : i < 8 ? "switch b" : "switch c";
  apart.between({0, 4}, {4, 8}, ProbeResult::timed_out);
  CHECK_THAT(lines_of(apart.judged()), Catch::Matchers::Contains("failure block reach") && Catch::Matchers::Contains("switch "));
}

}  // namespace
