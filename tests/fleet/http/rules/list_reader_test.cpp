// Numbers and positions of one reader of the list.
#include "fleet/http/rules/list_reader.hpp"

#include <catch2/catch.hpp>

using namespace rollcall::fleet;

TEST_CASE("a reader's lines are numbered from one, in the order in which they came to be") {
  ListReader reader(7);
  reader.number_all({1200, 37, 9000});
  CHECK(reader.number_of(37) == 1);
  CHECK(reader.number_of(1200) == 2);
  CHECK(reader.number_of(9000) == 3);
  CHECK(reader.number_of(9001) == 4);
  reader.number_all({37, 9001, 10000});  // two are gone: their numbers are not used again
  CHECK(reader.number_of(37) == 1);
  CHECK(reader.number_of(10000) == 5);
  CHECK(reader.number_of(1200) == 6);
}

TEST_CASE("a reader's positions count what was new for it") {
  ListReader reader(7);
  CHECK(reader.position_of(5000) == 0);
  CHECK_FALSE(reader.version_of(0));
  reader.note(500);
  reader.note(500);
  reader.note(400);  // another stream, which lags behind
  reader.note(7000);
  CHECK(reader.position_of(499) == 0);
  CHECK(reader.position_of(500) == 1);
  CHECK(reader.position_of(6999) == 1);
  CHECK(reader.position_of(8000) == 2);
  CHECK(reader.version_of(1) == 500);
  CHECK(reader.version_of(2) == 7000);
  CHECK_FALSE(reader.version_of(3));
  for (std::uint64_t version = 7001; version < 7101; ++version) reader.note(version);
  CHECK_FALSE(reader.version_of(2));  // a client that was away for so long gets all lines
  CHECK(reader.version_of(reader.position_of(7100)) == 7100);
  CHECK(reader.position_of(500) == 38);  // before the first remembered version
  CHECK_FALSE(reader.version_of(38));
}
