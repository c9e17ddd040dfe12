// SOCKS5 byte for byte: each message, and every answer in words.
#include "net/dial/wire/socks5.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::string socks_bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text += static_cast<char>(value);
  return text;
}

ProxyUrl socks_proxy(const std::string& credentials = "") {
  return value_of(ProxyUrl::parse("socks5h://" + credentials + "proxy:1080", "ALL_PROXY"));
}

// Puts the answer in pieces of `size` bytes; returns all bytes to send, or the failure.
Result<std::string> put_in_pieces(Socks5& socks, const std::string& answer, std::size_t size) {
  std::string sent;
  for (std::size_t at = 0; at < answer.size(); at += size) {
    const Result<Secret<std::string>> next = socks.put(std::string_view(answer).substr(at, size));
    if (!next) return next.error();
    sent += next->reveal();
  }
  return sent;
}

const std::string open_reply = socks_bytes({5, 0, 0, 1, 10, 0, 0, 1, 0, 80});

}  // namespace

TEST_CASE("a SOCKS5 tunnel without credentials, to a name and to addresses, for every division into pieces") {
  const std::size_t size = GENERATE(1, 2, 3, 100);
  const auto [host, address] = GENERATE(table<std::string, std::string>({
      {"tpu.example.com", socks_bytes({3, 15}) + "tpu.example.com"},
      {"10.1.2.3", socks_bytes({1, 10, 1, 2, 3})},
      {"fd00::1", socks_bytes({4, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1})},
  }));
  const std::string reply = GENERATE(std::string(open_reply), socks_bytes({5, 0, 0, 4}) + std::string(18, 'x'),
                                     socks_bytes({5, 0, 0, 3, 4}) + "name" + socks_bytes({1, 2}), socks_bytes({5, 0, 0, 3, 0, 1, 2}));
  const ProxyUrl proxy = socks_proxy();
  Socks5 socks(proxy, host, 0x1234);
  CHECK(socks.greeting() == socks_bytes({5, 1, 0}));
  CHECK(value_of(put_in_pieces(socks, socks_bytes({5, 0}), size)) == socks_bytes({5, 1, 0}) + address + socks_bytes({0x12, 0x34}));
  CHECK_FALSE(socks.is_open());
  CHECK(value_of(put_in_pieces(socks, reply, size)).empty());
  CHECK(socks.is_open());
}

TEST_CASE("a SOCKS5 proxy may ask for the user and the password, or may not") {
  const ProxyUrl proxy = socks_proxy("me:p%40ss@");
  Socks5 socks(proxy, "h", 443);
  CHECK(socks.greeting() == socks_bytes({5, 2, 0, 2}));
  SECTION("it does") {
    CHECK(value_of(put_in_pieces(socks, socks_bytes({5, 2}), 1)) == socks_bytes({1, 2}) + "me" + socks_bytes({4}) + "p@ss");
    SECTION("and takes them") {
      CHECK(value_of(put_in_pieces(socks, socks_bytes({1, 0}), 1)) == socks_bytes({5, 1, 0, 3, 1}) + "h" + socks_bytes({1, 0xbb}));
      CHECK(value_of(put_in_pieces(socks, open_reply, 100)).empty());
      CHECK(socks.is_open());
    }
    SECTION("and refuses them") {
      const Result<std::string> refused = put_in_pieces(socks, socks_bytes({1, 1}), 1);
      check_failure(refused, Errc::unauthenticated, "refused the user and the password");
      CHECK_THAT(refused.error().message(), Catch::Contains("ALL_PROXY") && !Catch::Contains("p@ss"));
    }
    SECTION("and answers in another version") {
      check_failure(put_in_pieces(socks, socks_bytes({5, 0}), 2), Errc::malformed_response, "SOCKS5");
    }
  }
  SECTION("it does not") { CHECK(value_of(put_in_pieces(socks, socks_bytes({5, 0}), 2)).substr(0, 3) == socks_bytes({5, 1, 0})); }
  SECTION("it wants something else") {
    check_failure(put_in_pieces(socks, socks_bytes({5, 0xff}), 2), Errc::unauthenticated, "accepts none of the ways");
  }
}

TEST_CASE("a SOCKS5 proxy that requires credentials is reported with the place to set them") {
  const ProxyUrl proxy = socks_proxy();
  Socks5 socks(proxy, "h", 443);
  const Result<std::string> refused = put_in_pieces(socks, socks_bytes({5, 0xff}), 2);
  check_failure(refused, Errc::unauthenticated, "accepts none");
  CHECK_THAT(refused.error().hint(), Catch::Contains("USER:PASSWORD@ before the host in ALL_PROXY"));
}

TEST_CASE("every code of a SOCKS5 proxy has words") {
  const auto [code, errc, words] = GENERATE(table<int, Errc, std::string>({
      {1, Errc::unreachable, "general SOCKS server failure"},
      {2, Errc::permission_denied, "does not allow the connection by its rules"},
      {3, Errc::unreachable, "network unreachable"},
      {4, Errc::unreachable, "host unreachable"},
      {5, Errc::unreachable, "connection refused"},
      {6, Errc::unreachable, "TTL expired"},
      {7, Errc::unimplemented, "does not know the command CONNECT"},
      {8, Errc::unimplemented, "does not take this type of address"},
      {9, Errc::malformed_response, "unknown code 9"},
      {255, Errc::malformed_response, "unknown code 255"},
  }));
  const bool is_short = GENERATE(true, false);
  const ProxyUrl proxy = socks_proxy();
  Socks5 socks(proxy, "h", 443);
  value_of(put_in_pieces(socks, socks_bytes({5, 0}), 2));
  check_failure(put_in_pieces(socks, socks_bytes({5, code}) + (is_short ? "" : std::string(8, '\0')), 100), errc, words);
}

TEST_CASE("a server with another protocol, or with excess data, is no SOCKS5 proxy") {
  const ProxyUrl proxy = socks_proxy();
  Socks5 socks(proxy, "h", 443);
  SECTION("HTTP") { check_failure(socks.put("HTTP/1.1 400 Bad Request\r\n"), Errc::malformed_response, "does not speak SOCKS5"); }
  SECTION("SOCKS4") { check_failure(socks.put(socks_bytes({0})), Errc::malformed_response, "does not speak SOCKS5"); }
  SECTION("a method that was not offered") {
    check_failure(socks.put(socks_bytes({5, 2})), Errc::malformed_response, "method 2, which was not");
  }
  SECTION("GSSAPI") { check_failure(socks.put(socks_bytes({5, 1})), Errc::malformed_response, "method 1, which was not"); }
  SECTION("more than the method") { check_failure(socks.put(socks_bytes({5, 0, 5})), Errc::malformed_response, "bytes of its own"); }
  SECTION("after the method") {
    value_of(socks.put(socks_bytes({5, 0})));
    SECTION("another version") { check_failure(socks.put(socks_bytes({4, 0})), Errc::malformed_response, "does not speak SOCKS5"); }
    SECTION("an unknown address") { check_failure(socks.put(socks_bytes({5, 0, 0, 2, 0})), Errc::malformed_response, "unknown type 2"); }
    SECTION("bytes into the tunnel") { check_failure(socks.put(open_reply + "x"), Errc::malformed_response, "bytes of its own"); }
    SECTION("a flood") { check_failure(socks.put(open_reply + std::string(1 << 20, 'x')), Errc::malformed_response, "bytes of its own"); }
  }
}

TEST_CASE("a name that is too long for SOCKS5 is refused") {
  const ProxyUrl proxy = socks_proxy();
  for (const std::size_t size : {std::size_t{0}, std::size_t{256}}) {
    Socks5 socks(proxy, std::string(size, 'n'), 443);
    check_failure(socks.put(socks_bytes({5, 0})), Errc::invalid_argument, "255 bytes");
  }
}
