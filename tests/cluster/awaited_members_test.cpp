// Awaited members, counted in runs.
#include "cluster/awaited_members.hpp"

#include <catch2/catch.hpp>

using rollcall::AwaitedMembers;
using rollcall::MemberRange;

TEST_CASE("awaited members are counted individually and in runs") {
  AwaitedMembers members;
  CHECK(members.empty());
  members.set(MemberRange("worker", 3, 3), false);
  members.set(MemberRange("worker", 3, 3), false);
  CHECK(members.count(false) == 1);
  members.set(MemberRange("worker", 17, 65535), false);
  CHECK(members.count(false) == 1 + 65519);
  members.set(MemberRange("worker", 20, 20), true);
  CHECK(members.count(true) == 1);
  CHECK(members.count(false) == 65519);
  members.set(MemberRange("worker", 0, 2147483646), false);
  CHECK(members.count(true) == 0);
  CHECK(members.count(false) == 2147483647);
  members.set(MemberRange("worker", 0, 2147483646), true);
  members.set(MemberRange("two words", 5, 5), false);
  CHECK(members.count(true) == 2147483647);
  CHECK(members.count(false) == 1);
  members.set(MemberRange(), false);
  CHECK(members.count(false) == 1);
}

TEST_CASE("runs of members that meet are one, so that thousands cost no more than a few") {
  AwaitedMembers members;
  for (int i = 0; i < 200'000; ++i) members.set(MemberRange("worker", i, i), false);
  CHECK(members.count(false) == 200'000);
  for (int i = 199'999; i >= 0; --i) members.set(MemberRange("worker", i, i), true);
  CHECK(members.count(true) == 200'000);
  CHECK(members.count(false) == 0);
}
