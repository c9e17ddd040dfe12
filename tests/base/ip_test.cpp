// IPv4 literals in the syntax of inet_pton(3), which is used for connecting.
#include "base/ip.hpp"

#include <arpa/inet.h>

#include <catch2/catch.hpp>
#include <random>

using namespace rollcall;

namespace {

void check_as_inet_pton(const std::string& text) {
  CAPTURE(text);
  std::uint8_t expected[4] = {};
  const bool is_taken = inet_pton(AF_INET, text.c_str(), expected) == 1;
  REQUIRE(is_ipv4_literal(text) == is_taken);
  if (!is_taken) return;
  const std::optional<IpBytes> bytes = read_ip(text);
  REQUIRE(bytes);
  CHECK(std::equal(expected, expected + 4, bytes->begin() + 12));
}

}  // namespace

TEST_CASE("IPv4 literals are those that inet_pton accepts") {
  for (const char* text : {"",         ".",         "1",         "1.2.3",           "1.2.3.",    ".1.2.3",    "1.2.3.4",
                           "1.2.3.4.", "1.2.3.4.5", "0.0.0.0",   "255.255.255.255", "256.1.1.1", "1.1.1.256", "1.1.1.999",
                           "01.2.3.4", "1.02.3.4",  "1.2.3.00",  "1.2.3.0",         "1..2.3",    "1.2.3.4 ",  " 1.2.3.4",
                           "1.2.3.-4", "+1.2.3.4",  "0x1.2.3.4", "1.2.3.0004",      "1.2.3.4a",  "127.0.0.1", "1234.1.1.1"}) {
    check_as_inet_pton(text);
  }
  CHECK_FALSE(is_ipv4_literal(std::string_view("1.2.3.4\0", 8)));
  std::mt19937 random(7);
  constexpr std::string_view letters = "0123456789...12";
  for (int i = 0; i < 200'000; ++i) {
    std::string text(random() % 16, '.');
    for (char& c : text) c = letters[random() % letters.size()];
    check_as_inet_pton(text);
  }
}
