// Places of a server, and how many of them one client may take.
#include "net/server/rules/fair_shares.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

int entered(FairShares& shares, const std::string& holder) {
  int count = 0;
  while (count < 10'000 && shares.enter(holder)) ++count;
  return count;
}

}  // namespace

TEST_CASE("One client holds no more places than are free, and the next client finds some", "[fleet]") {
  FairShares shares(1000);
  CHECK(entered(shares, "a") == 500);
  CHECK(entered(shares, "b") == 250);
  CHECK(entered(shares, "c") == 125);
  CHECK(entered(shares, "a") == 0);
  CHECK(shares.enter("d"));
  shares.leave("d");
  for (int i = 0; i < 400; ++i) shares.leave("a");
  CHECK(entered(shares, "b") > 50);
  CHECK_FALSE(shares.is_full());
  // An uncounted holder may take all remaining places.
  CHECK(entered(shares, "") > 100);
  CHECK(shares.is_full());
  CHECK_FALSE(shares.enter("e"));
  shares.leave("");
  CHECK(shares.enter("e"));
  CHECK(entered(shares, "f") == 0);
}

TEST_CASE("Shares of several places at once are fair, too", "[fleet]") {
  FairShares bytes(1000);
  CHECK_FALSE(bytes.enter("a", 501));
  CHECK(bytes.enter("a", 500));
  CHECK_FALSE(bytes.enter("a", 1));
  CHECK(bytes.enter("b", 250));
  CHECK_FALSE(bytes.enter("", 251));
  CHECK(bytes.enter("", 250));
  CHECK(bytes.is_full());
  bytes.leave("a", 400);
  CHECK(bytes.taken() == 600);
  CHECK(bytes.enter("a", 100));
  CHECK_FALSE(bytes.enter("a", static_cast<std::size_t>(-1)));
}

TEST_CASE("Without a limit every client gets a place", "[fleet]") {
  FairShares shares(0);
  CHECK(entered(shares, "a") == 10'000);
  CHECK_FALSE(shares.is_full());
}
