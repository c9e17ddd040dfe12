// Serialized requests, and requests that are never sent.
#include "call/token_rules.hpp"
#include "net/codec/request_writer.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;

namespace {

HttpRequest request_to(std::string_view url) { return HttpRequest(Url::parse(url).value()); }

std::string written(const HttpRequest& request) {
  REQUIRE(check_request(request).has_value());
  std::string out;
  append_request(out, request, "rollcall");
  return out;
}

Errc refused(const HttpRequest& request) {
  const auto checked = check_request(request);
  REQUIRE(checked.has_error());
  return checked.error().code();
}

}  // namespace

TEST_CASE("a request's bytes") {
  HttpRequest get = request_to("http://example.org:8080/a?b=c");
  get.headers.add("Metadata-Flavor", "Google");
  CHECK(
      written(get) ==
      "GET /a?b=c HTTP/1.1\r\nHost: example.org:8080\r\nUser-Agent: rollcall\r\nAccept-Encoding: gzip\r\nMetadata-Flavor: Google\r\n\r\n");

  HttpRequest post = request_to("https://[::1]/x");
  post.method = HttpMethod::post;
  post.body = "{}";
  post.bearer = Secret<std::string>("ya29.token");
  CHECK(written(post) ==
        "POST /x HTTP/1.1\r\nHost: [::1]\r\nUser-Agent: rollcall\r\nAccept-Encoding: gzip\r\nAuthorization: Bearer ya29.token\r\n"
        "Content-Length: 2\r\n\r\n{}");
  post.body.clear();
  CHECK_THAT(written(post), Catch::EndsWith("Content-Length: 0\r\n\r\n"));
}

TEST_CASE("the buffer has room for the whole request from the start, so that no copy of a token is left") {
  HttpRequest request = request_to("https://[fd00::1]:65535/" + std::string(3000, 'p'));
  request.method = HttpMethod::delete_;
  for (const std::size_t size : {1, 300, 5000, 70'000}) {
    request.bearer = Secret<std::string>(std::string(size, 't'));
    request.body = std::string(size * 3, 'b');
    for (int i = 0; i < 40; ++i) request.headers.add("X", "");
    request.headers.add("X-Long", std::string(size, 'v'));
    std::string out;
    out.reserve(request_room(request, "rollcall/1.2"));
    const char* const place = out.data();
    append_request(out, request, "rollcall/1.2");
    CHECK(out.data() == place);
  }
}

TEST_CASE("bytes that could split a request are refused") {
  for (const std::string& bad : {std::string("a\r\nX: y"), std::string("a\nb"), std::string("a\rb"), std::string("a\x7f")}) {
    HttpRequest request = request_to("http://h/");
    request.url.target = "/" + bad;
    CHECK(refused(request) == Errc::invalid_argument);
    request = request_to("http://h/");
    request.url.host = bad;
    CHECK(refused(request) == Errc::invalid_argument);
    request = request_to("https://h/");
    request.bearer = Secret<std::string>(bad);
    CHECK(refused(request) == Errc::invalid_argument);
  }
  HttpRequest request = request_to("http://h/");
  request.headers.add("X-A", "a\x01");
  CHECK(refused(request) == Errc::invalid_argument);
  request = request_to("http://h/");
  request.headers.add("X A", "b");
  CHECK(refused(request) == Errc::invalid_argument);
  request = request_to("http://h/");
  request.url.target = std::string("/a\0b", 4);
  CHECK(refused(request) == Errc::invalid_argument);
  request.url.target = "/a b";
  CHECK(refused(request) == Errc::invalid_argument);
  request.url.target = "";
  CHECK(refused(request) == Errc::invalid_argument);
}

TEST_CASE("an invalid field is refused by its name and without its value") {
  for (const std::string_view bad : {std::string_view("hush\r\nX-B: c"), std::string_view("hush\n"), std::string_view("hu\0sh", 5),
                                     std::string_view(" hush"), std::string_view("hush\t"), std::string_view("hu\x7fsh")}) {
    HttpRequest request = request_to("https://h/");
    request.headers.add("X-Fine", "1");
    request.headers.add("Impersonate-User", bad);
    const auto checked = check_request(request);
    REQUIRE(checked.has_error());
    CHECK(checked.error().code() == Errc::invalid_argument);
    CHECK_THAT(checked.error().message(), Catch::Contains("Impersonate-User") && !Catch::Contains("sh"));
    CHECK_THAT(check_request(request_to("https://h/"), bad).error().message(), Catch::Contains("user agent"));
  }
  HttpRequest request = request_to("https://h/");
  request.headers.add("X-A\r\nX-B", "c");
  CHECK_THAT(check_request(request).error().message(), Catch::Contains("X-A\\x0d"));
  CHECK(check_request(request_to("https://h/"), "").has_value());
}

TEST_CASE("fields that the transport sets are refused") {
  for (const char* name : {"Host", "content-length", "Transfer-Encoding", "CONNECTION", "Expect", "Accept-Encoding", "User-Agent"}) {
    HttpRequest request = request_to("http://h/");
    request.headers.add(name, "1");
    CHECK(refused(request) == Errc::invalid_argument);
  }
}

TEST_CASE("a token goes to https and to loopback only") {
  for (const char* url :
       {"https://api.example/", "http://127.0.0.1:1/", "http://127.255.3.4/", "http://[::1]/", "http://localhost/", "http://LocalHost/"}) {
    HttpRequest request = request_to(url);
    request.bearer = Secret<std::string>("t");
    CHECK(check_request(request).has_value());
  }
  for (const char* url : {"http://api.example/", "http://128.0.0.1/", "http://metadata.google.internal/", "http://169.254.169.254/",
                          "http://localhost.example/", "http://127.0.0.1.example/"}) {
    HttpRequest request = request_to(url);
    CHECK(check_request(request).has_value());
    request.bearer = Secret<std::string>("t");
    CHECK(refused(request) == Errc::refused_by_policy);
    request.bearer.clear();
    request.headers.add("authorization", "Basic eA==");
    CHECK(refused(request) == Errc::refused_by_policy);
  }
  for (const char* host : {"127.0.0.1", "127.255.255.254", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::ffff:7f01:203", "::1%lo",
                           "localhost", "localhost.", "a.b.localhost", "LOCALHOST"})
    CHECK(is_loopback(host));
  for (const char* host : {"::ffff:10.0.0.1",
                           "::127.0.0.1",
                           "64:ff9b::7f00:1",
                           "::2",
                           "[::1]",
                           "localhost.example",
                           "notlocalhost",
                           "localhost..",
                           "127.0.0.1%lo",
                           "2130706433",
                           "0x7f000001",
                           "127.1",
                           "127.0.0.1.",
                           "127.0.0.01",
                           "127.0.0.256",
                           "127.0.0.1.1",
                           "",
                           "0.0.0.0",
                           "::",
                           "0127.0.0.1"})
    CHECK_FALSE(is_loopback(host));
}
