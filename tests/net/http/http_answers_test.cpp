// Answers of real servers, and of broken or hostile ones.
#include "net/http/http_client_fixture.hpp"
#include "sim/wire/encoding.hpp"

#include <asio/post.hpp>

using namespace rollcall;
using namespace rollcall::testing;
using rollcall::sim::gzip;

namespace {

std::string head(std::string_view fields) { return "HTTP/1.1 200 OK\r\n" + std::string(fields) + "\r\n"; }
std::string with_length(std::string_view fields, std::string_view body) {
  return head(std::string(fields) + "Content-Length: " + std::to_string(body.size()) + "\r\n") + std::string(body);
}

void check_fails(const std::string& text, Errc code, const std::string& part, ExchangeOptions options = {}, bool stays_open = true) {
  INFO(text.substr(0, 100));
  HttpFixture net(raw(text, stays_open));
  const OutcomePtr whole = net.finish(net.start("/path?secret=1", options));
  REQUIRE(whole->result->has_error());
  CHECK(whole->code() == code);
  CHECK_THAT(whole->what(), Catch::Contains(part) && Catch::Contains("/path") && !Catch::Contains("secret"));
  CHECK(whole->result->error().phase() == Phase::response);
  const OutcomePtr stream = net.finish(net.start_stream(net.request(), options));
  CHECK(stream->code() == code);
  CHECK(net.is_idle());
  net.until([&] { return net.server.connections_open() == 0; });
}

// Sends the same bytes repeatedly until the client closes.
HttpServer::Handler endless(std::string first, std::string again) {
  return [first, again](ServerExchange& exchange) -> asio::awaitable<void> {
    bool is_there = co_await exchange.write_raw(first);
    while (is_there) is_there = co_await exchange.write_raw(again);
  };
}

}  // namespace

TEST_CASE("bodies arrive whole, however they are framed") {
  std::string big;
  for (int i = 0; i < 100'000; ++i) big += std::to_string(i * 7919);
  std::string chunked;
  for (std::size_t at = 0; at < big.size(); at += 5000) {
    const std::string piece = big.substr(at, 5000);
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    chunked += size + piece + "\r\n";
  }
  chunked += "0\r\n\r\n";
  const std::string packed = gzip(big);
  for (const std::string& text :
       {with_length("", big), head("Transfer-Encoding: chunked\r\n") + chunked, with_length("Content-Encoding: gzip\r\n", packed),
        head("Connection: close\r\n") + big, head("Content-Encoding: gzip\r\n") + packed}) {
    HttpFixture net(raw(text, false));
    const auto answer = net.get("/");
    REQUIRE(answer.has_value());
    CHECK(answer->body == big);
    const OutcomePtr stream = net.finish(net.start_stream(net.request()));
    REQUIRE(stream->result->has_value());
    CHECK((*stream->result)->body == big);
    for (const std::size_t size : *net.sizes) CHECK((size > 0 && size <= 65536));
  }
}

TEST_CASE("a redirect and an error are answers") {
  HttpFixture net(raw("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://elsewhere/\r\nContent-Length: 0\r\n\r\n"));
  const auto answer = net.get("/");
  CHECK(answer.value().status == 307);
  CHECK(answer.value().headers.get("location") == "http://elsewhere/");
  CHECK(net.server.requests() == 1);
}

TEST_CASE("interim answers are skipped; 204 and 304 keep the connection") {
  HttpFixture net(raw("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"));
  CHECK(net.get("/").value().status == 204);
  CHECK(net.is_idle());
  CHECK(net.server.connections_open() == 1);
}

TEST_CASE("faulty answers") {
  check_fails("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", Errc::malformed_response, "HTTP/1");
  check_fails("SSH-2.0-OpenSSH_9.2\r\n", Errc::malformed_response, "HTTP/1");
  check_fails(head("Transfer-Encoding: chunked\r\n") + "xyz\r\n", Errc::malformed_response, "HTTP/1");
  check_fails(head("Content-Length: 10\r\n") + "abc", Errc::unreachable, "closed after 3 of 10 bytes", {}, false);
  check_fails("HTTP/1.1 200 OK\r\nConte", Errc::unreachable, "inside the answer's header", {}, false);
  check_fails("", Errc::unreachable, "before an answer", {}, false);
  check_fails(with_length("Content-Encoding: br\r\n", "abc"), Errc::malformed_response, "encoding");
}

TEST_CASE("faulty gzip") {
  const std::string packed = gzip("hello hello hello hello");
  const std::string field = "Content-Encoding: gzip\r\n";
  check_fails(with_length(field, "plain"), Errc::malformed_response, "gzip");
  check_fails(with_length(field, packed + "garbage"), Errc::malformed_response, "gzip");
  check_fails(with_length(field, packed.substr(0, packed.size() - 3)), Errc::malformed_response, "too early");
  check_fails(head(field) + packed.substr(0, 10), Errc::malformed_response, "too early", {}, false);
}

TEST_CASE("limits") {
  ExchangeOptions options;
  options.max_header_bytes = 10'000;
  options.max_body_bytes = 100'000;
  const std::string chunked = head("Transfer-Encoding: chunked\r\n");
  check_fails(with_length("", std::string(100'001, 'a')), Errc::limit_exceeded, "over 100000 bytes", options);
  check_fails(with_length("Content-Encoding: gzip\r\n", gzip(std::string(10'000'000, 'a'))), Errc::limit_exceeded, "after decoding",
              options);
  for (const auto& handler : {endless("HTTP/1.1 200 OK\r\n", "X-A: b\r\n"), endless("HTTP/1.1 200 OK\r\nX:", std::string(100, 'a')),
                              endless("", "HTTP/1.1 100 Continue\r\n\r\n"), endless(chunked + "1;", std::string(100, 'a')),
                              endless(chunked, "1;" + std::string(100, 'e') + "\r\na\r\n"), endless(chunked + "0\r\n", "X-A: b\r\n"),
                              endless(chunked, "64\r\n" + std::string(100, 'a') + "\r\n"), endless(head(""), std::string(1000, 'a'))}) {
    HttpFixture net(handler);
    CHECK(net.finish(net.start("/", options))->code() == Errc::limit_exceeded);
    CHECK(net.finish(net.start_stream(net.request(), options))->code() == Errc::limit_exceeded);
    net.until([&] { return net.server.connections_open() == 0; });
  }
  options.max_body_bytes = 10'000'000;
  HttpFixture net(raw(with_length("Content-Encoding: gzip\r\n", gzip(std::string(10'000'000, 'a')))));
  CHECK(net.get("/", options).value().body.size() == 10'000'000);
}

TEST_CASE("inflating leaves the loop its turns") {
  HttpFixture net(raw(with_length("Content-Encoding: gzip\r\n", gzip(std::string(8'000'000, 'a')))));
  const OutcomePtr outcome = net.start("/");
  int turns = 0;
  std::function<void()> count = [&] {
    ++turns;
    if (!outcome->is_done()) asio::post(net.loop, count);
  };
  net.until([&] { return net.server.requests() == 1; });
  asio::post(net.loop, count);
  CHECK(net.finish(outcome)->result->has_value());
  CHECK(turns >= 8'000'000 / 65536);
  net.turn();
}

TEST_CASE("a stream gives its connection back at its end, and closes it when it is dropped") {
  HttpFixture net(echo);
  CHECK((*net.finish(net.start_stream(net.request("/a")))->result)->body == "/a");
  CHECK((*net.finish(net.start_stream(net.request("/b")))->result)->body == "/b");
  CHECK(net.server.connections_accepted() == 1);

  std::unique_ptr<HttpStream> kept;
  auto open = [](HttpFixture& fixture, std::unique_ptr<HttpStream>& into) -> asio::awaitable<void> {
    const HttpRequest request = fixture.request("/c");
    const ExchangeOptions options;
    auto opened = co_await fixture.http->open(request, options);
    into = std::move(*opened);
  };
  HttpFixture other(endless(head(""), "some data"));
  asio::co_spawn(other.loop, open(other, kept), asio::detached);
  other.until([&] { return kept != nullptr; });
  CHECK(kept->head().status == 200);
  CHECK(other.is_idle());  // no read is pending, and no timer runs
  CHECK(other.time->alarms() == 0);
  SECTION("dropped") { kept.reset(); }
  SECTION("the transport is closed") { other.http->close(); }
  other.until([&] { return other.server.connections_open() == 0; });
}
