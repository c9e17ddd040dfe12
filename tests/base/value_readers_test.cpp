// Values of options and settings, and the words of their refusals.
#include "base/value_readers.hpp"

#include "support/result.hpp"

using namespace rollcall;

namespace {
constexpr std::string_view fruit[] = {"apple", "pear", "plum"};
}  // namespace

TEST_CASE("a word is read as its position among the words, or refused with the nearest one") {
  CHECK(index_among("apple", fruit) == 0);
  CHECK(index_among("plum", fruit) == 2);
  CHECK(index_among("Plum", fruit) == std::nullopt);
  CHECK(*choice_among("pear", fruit) == 1);
  const Result<std::size_t> close = choice_among("pears", fruit);
  REQUIRE_FALSE(close);
  CHECK(close.error().code() == Errc::invalid_argument);
  CHECK(close.error().what() == "'pears' is not accepted; accepted are apple, pear, plum");
  CHECK(close.error().hint() == "did you mean pear?");
  CHECK(choice_among("tractor", fruit).error().hint().empty());
  CHECK(nearest_or_known("aple", fruit) == ", did you mean 'apple'?");
  CHECK(nearest_or_known("tractor", fruit) == "; known are apple, pear, plum");
}

TEST_CASE("a flag is true or false") {
  CHECK(parse_flag("true") == true);
  CHECK(parse_flag("false") == false);
  for (const char* other : {"", "True", "yes", "1", "true "}) CHECK(parse_flag(other) == std::nullopt);
}

TEST_CASE("a number has both bounds") {
  CHECK(*number_between("1", "port", 1, 9) == 1);
  CHECK(*number_between("9", "port", 1, 9) == 9);
  for (const char* other : {"0", "10", "", "-1", "1x", "99999999999999999999"}) {
    const Result<int> number = number_between(other, "port", 1, 9);
    REQUIRE_FALSE(number);
    CHECK(number.error().what() == "'" + std::string(other) + "' is no port; accepted are 1 to 9");
  }
}
