// Objects with a duplicate key, at any depth.
#include "json/unique_keys.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("a duplicate key in one object is found") {
  const auto is_fine = [](std::string_view text) { return check_unique_keys("the document", text).has_value(); };
  CHECK(is_fine(R"({"a":1,"b":{"a":2},"c":[{"a":1},{"a":2}]})"));
  CHECK(is_fine(R"([1,"a","a"])"));
  CHECK_FALSE(is_fine(R"({"a":1,"a":1})"));
  CHECK_FALSE(is_fine(R"({"a":1,"\u0061":1})"));
  CHECK_FALSE(is_fine(R"([[{"x":{"a":[],"b":{},"a":{}}}]])"));
  CHECK_FALSE(is_fine(R"({"":1,"":2})"));
  const Result<void> twice = check_unique_keys("the document", R"({"secret":1,"secret":2})");
  CHECK(twice.error().what() == "the document has the same key twice");
  CHECK_FALSE(is_fine(R"({"a":1)"));
  CHECK_FALSE(is_fine(""));
}
