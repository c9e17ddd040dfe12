#include "base/last_line.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("the last line that says something") {
  CHECK(last_line("one\ntwo\r\n \n\n") == "two");
  CHECK(last_line("  one  ") == "one");
  CHECK(last_line("10 %\r100 %\r") == "100 %");
  CHECK(last_line(" \n") == "");
  CHECK(last_line("") == "");
}
