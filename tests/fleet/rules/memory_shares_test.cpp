// Which status gives up its memory when the memory of all is used up.
#include <catch2/catch.hpp>

#include "fleet/rules/memory_shares.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace std::chrono_literals;

namespace {

using Gone = std::optional<std::vector<std::size_t>>;

Gone these(std::vector<std::size_t> gone) { return gone; }

MemoryClaim claim_of(std::size_t bytes, std::size_t number, std::string_view resource, const std::vector<std::string>* namers = nullptr) {
  MemoryClaim claim;
  claim.bytes = bytes;
  claim.number = number;
  claim.resource = resource;
  claim.namers = namers;
  return claim;
}

MemoryClaim left(MemoryClaim claim, Duration at) {
  claim.is_listened_to = false;
  claim.left_at = SteadyTime(at);
  return claim;
}

}  // namespace

TEST_CASE("many names of one resource give way to another one, the last named first") {
  const std::vector<MemoryClaim> held = {claim_of(10, 1, "big"), claim_of(10, 2, "big"), claim_of(10, 3, "big"), claim_of(5, 4, "other")};
  CHECK(which_ends_first(held, claim_of(8, 5, "new"), 8) == these({2}));
  CHECK(which_ends_first(held, claim_of(12, 5, "new"), 12) == these({2, 1}));
  CHECK(which_ends_first(held, claim_of(10, 5, "big"), 10) == std::nullopt);   // its client takes the most
  CHECK(which_ends_first(held, claim_of(30, 5, "new"), 30) == std::nullopt);   // its client would take the most
  CHECK(which_ends_first(held, claim_of(10, 5, "other"), 10) == these({2}));
  CHECK(which_ends_first({}, claim_of(10, 1, "new"), 1) == std::nullopt);
}

TEST_CASE("what has no listeners gives way first, the longest left at the beginning, to what has some") {
  const std::vector<MemoryClaim> held = {claim_of(10, 1, "a"), left(claim_of(10, 2, "b"), 20s), left(claim_of(10, 3, "c"), 10s)};
  CHECK(which_ends_first(held, claim_of(10, 4, "d"), 5) == these({2}));
  CHECK(which_ends_first(held, claim_of(10, 4, "d"), 15) == these({2, 1}));
  CHECK(which_ends_first(held, claim_of(10, 4, "d"), 25) == std::nullopt);
  CHECK(which_ends_first(held, left(claim_of(10, 4, "d"), 30s), 5) == std::nullopt);
}

TEST_CASE("a client that names more than others is out of room first, with any names") {
  const std::vector<std::string> greedy = {"google:p/greedy"};
  const std::vector<std::string> modest = {"google:p/modest"};
  const std::vector<std::string> both = {"google:p/greedy", "google:p/modest"};
  const std::vector<MemoryClaim> held = {claim_of(10, 1, "a", &greedy), claim_of(10, 2, "b", &both), claim_of(10, 3, "c", &greedy),
                                         claim_of(10, 4, "d", &modest)};
  const std::vector<std::string> third = {"google:p/third"};
  CHECK(which_ends_first(held, claim_of(10, 5, "e", &third), 10) == these({2}));
  // A topic of both is charged to the client that takes less.
  CHECK(which_ends_first(held, claim_of(10, 5, "e", &third), 20) == these({2, 3}));
  CHECK(which_ends_first(held, claim_of(10, 5, "e", &greedy), 10) == std::nullopt);
  CHECK(which_ends_first(held, claim_of(5, 5, "e", &modest), 5) == these({2}));
}
