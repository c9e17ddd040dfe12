// Bytes in pieces, the large ones of which are shared.
#include "base/shared_bytes.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("shared bytes are not copied, and come in order, for any size of pieces", "[base]") {
  const auto large = std::make_shared<const std::string>(5000, 'l');
  const auto small = std::make_shared<const std::string>("small");
  SharedBytes bytes("one");
  bytes.share(large);
  bytes.share(small);
  SharedBytes more;
  more.share(large);
  more.add("two");
  bytes.add(std::move(more));
  const std::string all = "one" + *large + "small" + *large + "two";
  CHECK(bytes.text() == all);
  CHECK(bytes.size() == all.size());
  CHECK(bytes.own() == 11);
  CHECK(large.use_count() == 3);
  CHECK(small.use_count() == 1);
  std::string taken;
  char room[7];
  for (std::size_t count = bytes.take(room, sizeof room); count > 0; count = bytes.take(room, sizeof room)) {
    taken.append(room, count);
    REQUIRE(bytes.size() == all.size() - taken.size());
    if (taken.size() % 700 == 0) REQUIRE(taken + bytes.text() == all);
  }
  CHECK(taken == all);
  CHECK(large.use_count() == 1);
}

TEST_CASE("empty texts are no pieces", "[base]") {
  SharedBytes bytes;
  CHECK(bytes.text().empty());
  char room[4];
  CHECK(bytes.take(room, sizeof room) == 0);
  bytes.add("");
  bytes.add("a");
  CHECK(bytes.take(room, sizeof room) == 1);
  CHECK(bytes.size() == 0);
}
