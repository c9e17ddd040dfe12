// URLs, header lists, secrets.
#include "rollcall/http_message.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/field_text.hpp"
#include "base/url.hpp"
#include "support/result.hpp"

using namespace rollcall;

TEST_CASE("URLs are split") {
  const Url url = Url::parse("HTTPS://TPU.googleapis.com/v2/x%20y?alt=json#frag").value();
  CHECK(url.is_https);
  CHECK(url.host == "tpu.googleapis.com");
  CHECK(url.port == 443);
  CHECK(url.target == "/v2/x%20y?alt=json");
  CHECK(url.origin() == "https://tpu.googleapis.com");
  CHECK(url.authority() == "tpu.googleapis.com");
  CHECK(url.without_query() == "https://tpu.googleapis.com/v2/x%20y");
  CHECK(Url::parse("http://h").value().target == "/");
  CHECK(Url::parse("http://h?q").value().target == "/?q");
  CHECK(Url::parse("http://h:").value().port == 80);
  CHECK(Url::parse("http://h:443").value().origin() == "http://h:443");
  CHECK(Url::parse("https://h:443/").value().origin() == "https://h");
}

TEST_CASE("IPv6 in URLs needs brackets and keeps them when printed") {
  const Url url = Url::parse("http://[FD00::1]:8080/a").value();
  CHECK(url.host == "fd00::1");
  CHECK(url.port == 8080);
  CHECK(url.authority() == "[fd00::1]:8080");
}

TEST_CASE("bad URLs are refused") {
  // clang-format off
  for (const char* text : {"", "h", "/path", "ftp://h", "http:/h", "http://", "http:///p", "http://:80", "http://u:p@h", "http://h:0", "http://h:65536",
                           "http://h:99999999999999999999", "http://h:8a", "http://[::1", "http://[::1]x", "http://[h]", "http://[]", "http://::1/",
                           "http://a b", "http://h/\x1b[2J", "http://h/\n", "http://h\r\nX: y", "http://hé", "http://h%41", "http://a,b"}) {
  // clang-format on
    CAPTURE(text);
    const Result<Url> url = Url::parse(text);
    REQUIRE_FALSE(url);
    CHECK(url.error().code() == Errc::invalid_argument);
    CHECK(url.error().message().find('\x1b') == std::string::npos);
  }
  CHECK_FALSE(Url::parse("http://" + std::string(300, 'a')));
  CHECK_FALSE(Url::parse("http://h/" + std::string(10'000'000, 'a')));
}

TEST_CASE("errors about URLs show neither queries nor passwords") {
  CHECK(Url::parse("ftp://h/p?key=sesame").error().message().find("sesame") == std::string::npos);
  // clang-format off
  for (const char* text : {"http://user:sesame@h/p", "user:sesame@host", "u:sesame@127.0.0.1:1/", "//user:sesame@h", "http:/user:sesame@h", "http://u:se?same/sesame@h",
                           "http://u:1#sesame@h", "http://u:sesame@x@h", "http://h?key=u@sesame", "ftp://h?a=b@c/sesame", "http://u:sesame@h h/"}) {
  // clang-format on
    CAPTURE(text);
    const Result<Url> url = Url::parse(text);
    CHECK((url ? url->without_query() : url.error().message()).find("sesame") == std::string::npos);
  }
  CHECK(Url::parse("user:sesame@h/p").error().message().find("'***@h/p'") != std::string::npos);
}

TEST_CASE("path segments are escaped") {
  CHECK(percent_encode_path_segment("a-b.c_d~1") == "a-b.c_d~1");
  CHECK(percent_encode_path_segment("a/b?c#d e%") == "a%2Fb%3Fc%23d%20e%25");
  CHECK(percent_encode_path_segment("\xc3\xbc\n") == "%C3%BC%0A");
}

TEST_CASE("header names compare without case, the first wins, order is kept") {
  HeaderList headers;
  CHECK(headers.empty());
  headers.add("Retry-After", "1");
  headers.add("retry-after", "2");
  headers.add("X-Empty", "");
  CHECK(headers.get("RETRY-AFTER") == "1");
  CHECK(headers.get("x-empty") == "");
  CHECK_FALSE(headers.get("missing"));
  std::string all;
  headers.each([&](std::string_view name, std::string_view value) { all += fmt::format("{}={};", name, value); });
  CHECK(all == "Retry-After=1;retry-after=2;X-Empty=;");
}

TEST_CASE("headers are stored unchanged: invalid ones are not replaced") {
  HeaderList headers;
  const std::string_view name("a\0b", 3);
  const std::string_view value("1\0\r\nEvil: 2", 12);
  const std::string long_value(70'000, 'v');
  headers.add(name, value);
  headers.add("c", "3");
  headers.add("long", long_value);
  headers.add("254", std::string(254, 'x'));
  headers.add("255", std::string(255, 'x'));
  headers.add("", "");
  CHECK(headers.get(name) == value);
  CHECK_FALSE(headers.get("ab"));
  CHECK(headers.get("c") == "3");
  CHECK(headers.get("long") == long_value);
  CHECK(headers.get("254") == std::string(254, 'x'));
  CHECK(headers.get("255") == std::string(255, 'x'));
  CHECK(headers.get("") == "");
}

TEST_CASE("valid values of a header field") {
  for (const std::string_view value :
       {"", "a", "a b", "a\tb", "system:serviceaccount:train:launcher", "m\xc3\xbcller@example.com", "#+,;=\"\\"})
    CHECK(field_value_fault(value) == nullptr);
  for (const std::string_view value : {std::string_view("a\r\nb"), std::string_view("a\n"), std::string_view("\ra"),
                                       std::string_view("a\0b", 3), std::string_view("\x1b[0m"), std::string_view("a\x7f"),
                                       std::string_view(" a"), std::string_view("a "), std::string_view("a\t"), std::string_view(" ")})
    CHECK(field_value_fault(value) != nullptr);
  CHECK(is_field_name("X-A"));
  for (const std::string_view name : {"", "X A", "X:", "X\r\nY", "\xc3\xbc"}) CHECK_FALSE(is_field_name(name));
}

TEST_CASE("secrets print as stars and are wiped") {
  Secret<std::string> secret(std::string("sesame"));
  CHECK(fmt::format("{}", secret) == "***");
  CHECK(secret.reveal() == "sesame");
  Secret<std::string> taken(std::move(secret));
  CHECK(secret.empty());
  CHECK(taken.reveal() == "sesame");
  // A short text lies within the object itself.
  const auto object = [&secret] { return std::string_view(reinterpret_cast<const char*>(&secret), sizeof secret); };
  CHECK(object().find("esam") == std::string_view::npos);
  secret = std::move(taken);
  CHECK(object().find("esam") != std::string_view::npos);
  taken = std::move(secret);
  CHECK(object().find("esam") == std::string_view::npos);
  CHECK(taken.reveal() == "sesame");
  Secret<std::string> bearer(std::string(200, 'y'));
  const char* const place = bearer.reveal().data();
  const Secret<std::string> moved(std::move(bearer));
  CHECK(moved.reveal().data() == place);  // nothing is copied, so that no copy stays in memory
  char bytes[4] = {'a', 'b', 'c', 'd'};
  wipe(bytes, sizeof bytes);
  CHECK(std::string_view(bytes, 4) == std::string_view("\0\0\0\0", 4));
  wipe(nullptr, 0);
}
