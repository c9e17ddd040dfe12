#include "base/base64.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

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

TEST_CASE("base64 encoding") {
  // RFC 4648, section 10.
  CHECK(base64_encode("") == "");
  CHECK(base64_encode("f") == "Zg==");
  CHECK(base64_encode("fo") == "Zm8=");
  CHECK(base64_encode("foo") == "Zm9v");
  CHECK(base64_encode("foobar") == "Zm9vYmFy");
  CHECK(base64_encode("\xfb\xff\xfe") == "+//+");
  CHECK(base64url_encode("\xfb\xff\xfe") == "-__-");
  CHECK(base64url_encode("f") == "Zg");
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
  CHECK(base64_decode(base64_encode(bytes)) == bytes);
}

TEST_CASE("base64url is decoded strictly: each text has one spelling") {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    CHECK(base64url_decode(base64url_encode(bytes)) == bytes);
    bytes.push_back(static_cast<char>(i));
  }
  for (const char* const bad : {"Z", "Zh", "Zm9", "Zg==", "Zm 8", "+//+", "Zm9v=", "Zm9v\n"}) {
    INFO(bad);
    CHECK_FALSE(base64url_decode(bad));
  }
  CHECK(base64url_decode("-__-") == "\xfb\xff\xfe");
}
