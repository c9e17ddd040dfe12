#include "resolvers/kubernetes/wire/base64.hpp"

#include <catch2/catch.hpp>

using rollcall::base64_decode;

TEST_CASE("base64") {
  CHECK(base64_decode("") == "");
  CHECK(base64_decode("Zg==") == "f");
  CHECK(base64_decode("Zm8=") == "fo");
  CHECK(base64_decode("Zm9v\nYmFy\n") == "foobar");
  CHECK(base64_decode("+/+/") == "\xfb\xff\xbf");
  for (const char* const bad : {"Z", "Zg", "Zg=", "Zg===", "Zg==Zg==", "Z=g=", "Zm9-", "====", "Zg==="}) {
    INFO(bad);
    CHECK_FALSE(base64_decode(bad));
  }
}
