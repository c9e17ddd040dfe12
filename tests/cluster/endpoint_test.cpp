// Hosts and ports.
#include "rollcall/endpoint.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;

TEST_CASE("endpoints are read and printed") {
  struct Row {
    const char* text;
    const char* host;
    std::optional<std::uint16_t> port;
    const char* printed;
  };
  for (const Row& row :
       {Row{"10.0.0.1:8470", "10.0.0.1", 8470, "10.0.0.1:8470"}, Row{"host", "host", {}, "host"},
        Row{"a-b_c.example.", "a-b_c.example.", {}, "a-b_c.example."}, Row{"h:1", "h", 1, "h:1"}, Row{"h:65535", "h", 65535, "h:65535"},
        Row{"h:008470", "h", 8470, "h:8470"}, Row{"[fd00::1]:8470", "fd00::1", 8470, "[fd00::1]:8470"},
        Row{"[fd00::1]", "fd00::1", {}, "[fd00::1]"}, Row{"fd00::1", "fd00::1", {}, "[fd00::1]"}, Row{"::", "::", {}, "[::]"},
        Row{"fe80::1%eth0", "fe80::1%eth0", {}, "[fe80::1%eth0]"},
        Row{"[::ffff:1.2.3.4]:80", "::ffff:1.2.3.4", 80, "[::ffff:1.2.3.4]:80"}}) {
    CAPTURE(row.text);
    const Result<Endpoint> endpoint = Endpoint::parse(row.text);
    REQUIRE(endpoint);
    CHECK(endpoint->host == row.host);
    CHECK(endpoint->port == row.port);
    CHECK(endpoint->to_text() == row.printed);
    CHECK(Endpoint::parse(endpoint->to_text()).value() == *endpoint);
  }
}

TEST_CASE("malformed endpoints are refused with their text") {
  for (const char* text : {"",           ":",        ":80",         "h:",     "h:0",      "h:65536", "h:70000", "h:-1",
                           "h:+1",       "h:8a",     "h: 80",       " h",     "h ",       "h:1:2",   "[::1",    "::1]",
                           "[::1]80",    "[::1]:",   "[::1]:0",     "[h]:80", "[]",       "[]:80",   "a]b",     "grpc://h:1",
                           "http://h",   "a/b",      "u@h",         "h\n",    "h\x1b[2J", "h\x7f",   "hé",      "h:99999999999999999999999",
                           "fd00::1::2", "fe80::1%", "fe80::1%\x1b"}) {
    CAPTURE(text);
    const Result<Endpoint> endpoint = Endpoint::parse(text);
    REQUIRE_FALSE(endpoint);
    CHECK(endpoint.error().code() == Errc::invalid_argument);
    CHECK(endpoint.error().message().find('\x1b') == std::string::npos);
  }
  const Result<Endpoint> huge = Endpoint::parse(std::string(10'000'000, 'h'));
  REQUIRE_FALSE(huge);
  CHECK(huge.error().message().size() < 1000);
  CHECK_FALSE(Endpoint::parse(std::string_view("h\0x", 3)));
}

TEST_CASE("endpoint lists") {
  const auto texts = [](std::string_view list) {
    std::string joined;
    const Result<std::vector<Endpoint>> endpoints = parse_endpoint_list(list);
    if (!endpoints) return std::string(to_string(endpoints.error().code()));
    for (const Endpoint& endpoint : *endpoints) joined += endpoint.to_text() + " ";
    return joined;
  };
  CHECK(texts("grpc://10.0.0.1:8470") == "10.0.0.1:8470 ");
  CHECK(texts("grpc://10.0.0.1:1,grpc://10.0.0.2") == "10.0.0.1:1 10.0.0.2:8470 ");
  CHECK(texts("10.0.0.1,10.0.0.2:2") == "10.0.0.1:8470 10.0.0.2:2 ");
  CHECK(texts(" a:1 ,, grpc:// , b:2 ,") == "a:1 b:2 ");
  CHECK(texts("grpc://[fd00::1]:8470,[fd00::2],fd00::3") == "[fd00::1]:8470 [fd00::2]:8470 [fd00::3]:8470 ");
  CHECK(texts("") == "invalid_argument");
  CHECK(texts(" , ,grpc://,") == "invalid_argument");
  CHECK(texts("a:1,b:0") == "invalid_argument");
  CHECK(texts("http://a:1") == "invalid_argument");
  std::string many;
  for (int i = 0; i < 65537; ++i) many += "h,";
  CHECK(texts(many) == "limit_exceeded");
  CHECK(texts(std::string(10'000'000, ',')) == "invalid_argument");
}
