// Memory of the bodies that are read at a time, and which body ends where it runs out.
#include "net/server/rules/body_room.hpp"

#include <catch2/catch.hpp>
#include <list>

using namespace rollcall;

namespace {

class HeldBody {
 public:
  explicit HeldBody(BodyRooms& all) : room(all, [](void* self) noexcept { ++static_cast<HeldBody*>(self)->ends; }, this) {}
  int ends = 0;
  BodyRoom room;
};

}  // namespace

TEST_CASE("A body has room for what has arrived of it, and gives it back", "[net]") {
  BodyRooms all(100);
  {
    HeldBody one(all);
    CHECK(all.taken() == 0);
    CHECK(one.room.hold(60));
    CHECK(one.room.hold(100));
    CHECK(all.taken() == 100);
    CHECK(one.room.hold(40));
    CHECK_FALSE(one.room.hold(101));
    CHECK_FALSE(one.room.is_ended());
  }
  CHECK(all.taken() == 0);
  BodyRooms unbounded(0);
  HeldBody large(unbounded);
  CHECK(large.room.hold(1 << 30));
}

TEST_CASE("Where the room runs out the largest body ends, of equal ones the oldest", "[net]") {
  BodyRooms all(100);
  HeldBody first(all);
  HeldBody second(all);
  HeldBody third(all);
  CHECK(first.room.hold(40));
  CHECK(second.room.hold(40));
  CHECK(third.room.hold(20));
  CHECK(third.room.hold(30));
  CHECK((first.ends == 1 && first.room.is_ended() && !second.room.is_ended()));
  CHECK(all.taken() == 70);
  CHECK_FALSE(first.room.hold(1));
  CHECK(third.room.hold(60));
  CHECK_FALSE(third.room.hold(61));  // it is the largest itself
  CHECK((second.ends == 0 && third.ends == 0));
}

TEST_CASE("A thousand bodies that are held keep out no small one", "[net]") {
  BodyRooms all(64 * 1000);
  std::list<HeldBody> held;
  for (int i = 0; i < 1000; ++i) {
    held.emplace_back(all);
    for (std::size_t bytes = 1; bytes <= 4096 && held.back().room.hold(bytes); bytes *= 2) {
    }
  }
  HeldBody small(all);
  CHECK(small.room.hold(32));
  CHECK(all.taken() <= 64 * 1000);
}
