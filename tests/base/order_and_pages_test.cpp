// Natural order and iteration over a list's pages.
#include <catch2/catch.hpp>

#include <algorithm>
#include <vector>

#include "base/order.hpp"
#include "base/page_cursor.hpp"

using namespace rollcall;

namespace {
bool is_before(std::string_view a, std::string_view b) { return natural_order(a, b) < 0; }
}  // namespace

TEST_CASE("natural order compares numbers by value") {
  std::vector<std::string> names = {"w-10",  "w-2", "w",  "w-02", "w-1", "w-10a", "", "w-9x", "a100", "a99999999999999999999",
                                    "a99b1", "w-",  "W-3"};
  std::sort(names.begin(), names.end(), is_before);
  CHECK(names == std::vector<std::string>{"", "W-3", "a99b1", "a100", "a99999999999999999999", "w", "w-", "w-1", "w-2", "w-02", "w-9x",
                                          "w-10", "w-10a"});
}

TEST_CASE("natural order is a total order: only equal texts are equal") {
  const std::vector<std::string> texts = {"",      "0",     "00", "1", "01", "a",  "a0",   "a00", "a0b",
                                          "a1b01", "a01b1", "1a", "/", ":",  "0:", "\xff", "9",   "10"};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      CHECK((natural_order(a, b) == 0) == (a == b));
      CHECK(is_before(a, b) == (natural_order(b, a) > 0));
      for (const std::string& c : texts) {
        if (natural_order(a, b) < 0 && natural_order(b, c) < 0) CHECK(is_before(a, c));
      }
    }
  }
}

TEST_CASE("iteration over pages ends") {
  PageCursor pages("the list", 3);
  CHECK(pages.token().empty());
  CHECK(pages.advance("a").value());
  CHECK(pages.token() == "a");
  CHECK_FALSE(pages.advance("").value());
  PageCursor circle("the list", 100);
  CHECK(circle.advance("a").value());
  CHECK(circle.advance("b").value());
  CHECK(circle.advance("a").error().code() == Errc::malformed_response);
  PageCursor endless("the list", 3);
  CHECK(endless.advance("a").value());
  CHECK(endless.advance("b").value());
  CHECK(endless.advance("c").error().code() == Errc::limit_exceeded);
  CHECK_THAT(endless.advance("d").error().what(), Catch::Contains("the list: more than 3 pages"));
}
