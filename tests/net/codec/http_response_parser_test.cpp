// The answer parser: framing, limits, faults; every answer whole and cut into pieces of every size.
#include "net/codec/response_parser.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace rollcall;

namespace {

class Parsed {
 public:
  HttpResponse response;
  std::string body;
  std::optional<Failure> fault;
  bool is_done = false;
  bool keep_alive = false;
  std::size_t excess = 0;
};

Parsed parse(std::string_view text, std::size_t step, bool closed = false, std::size_t max_header = 4096, std::size_t max_body = 4096) {
  Parsed result;
  ResponseParser parser;
  parser.start(result.response, max_header, max_body);
  while (!text.empty() && !parser.fault() && !parser.is_done()) {
    std::string_view piece = text.substr(0, step);
    const std::size_t given = piece.size();
    if (!parser.has_head()) piece.remove_prefix(parser.put_head(piece));
    if (parser.has_head() && !parser.is_done() && !parser.fault() && !piece.empty()) {
      std::string joined;
      std::string_view part;
      const std::string_view before = piece;
      piece.remove_prefix(parser.put_body(piece, joined, &part));
      CHECK((part.empty() || joined.empty()));
      CHECK((part.empty() || (part.data() >= before.data() && part.data() + part.size() <= before.data() + before.size())));
      result.body += part.empty() ? std::string_view(joined) : part;
    }
    text.remove_prefix(given - piece.size());
    if (!parser.is_done() && !parser.fault()) REQUIRE(piece.empty());
  }
  result.excess = text.size();
  if (closed) parser.put_end();
  result.fault = parser.fault();
  result.is_done = parser.is_done();
  result.keep_alive = parser.keep_alive();
  return result;
}

template <class Check>
void for_every_step(std::string_view text, bool closed, Check check) {
  for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, std::size_t{64}, text.size()}) {
    INFO("in pieces of " << step);
    check(parse(text, step, closed));
  }
}

void check_fault(std::string_view text, Errc code, std::string_view part, bool closed = false) {
  for_every_step(text, closed, [&](const Parsed& parsed) {
    INFO(text.substr(0, 200));
    REQUIRE(parsed.fault);
    CHECK(parsed.fault->code() == code);
    CHECK_THAT(parsed.fault->what(), Catch::Contains(std::string(part)));
    CHECK_FALSE(parsed.is_done);
  });
}

}  // namespace

TEST_CASE("an answer with a length") {
  for_every_step("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\nX-A:  b \r\n\r\nhelloEXTRA", false, [](const Parsed& parsed) {
    CHECK_FALSE(parsed.fault);
    CHECK(parsed.is_done);
    CHECK(parsed.response.status == 404);
    CHECK(parsed.response.headers.get("x-a") == "b");
    CHECK(parsed.body == "hello");
    CHECK(parsed.keep_alive);
    CHECK(parsed.excess == 5);
  });
}

TEST_CASE("a chunked answer with extensions and a trailer") {
  for_every_step("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;a=\"b\"\r\nWiki\r\n0a\r\npedia in c\r\n0\r\nX-Sum: 1\r\n\r\n",
                 false, [](const Parsed& parsed) {
                   CHECK_FALSE(parsed.fault);
                   CHECK(parsed.is_done);
                   CHECK(parsed.body == "Wikipedia in c");
                   CHECK_FALSE(parsed.response.headers.get("x-sum"));
                   CHECK(parsed.excess == 0);
                 });
}

TEST_CASE("interim answers are skipped, and answers without a body have none") {
  for_every_step("HTTP/1.1 100 Continue\r\nX-Interim: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", false,
                 [](const Parsed& parsed) {
                   CHECK(parsed.is_done);
                   CHECK(parsed.response.status == 204);
                   CHECK(parsed.response.headers.empty());
                   CHECK(parsed.keep_alive);
                 });
  for_every_step("HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n", false, [](const Parsed& parsed) {
    CHECK(parsed.is_done);
    CHECK(parsed.body.empty());
  });
}

TEST_CASE("HTTP/1.0 and answers that end with the connection") {
  for_every_step("HTTP/1.0 200 OK\r\n\r\nabc", true, [](const Parsed& parsed) {
    CHECK(parsed.is_done);
    CHECK(parsed.body == "abc");
    CHECK_FALSE(parsed.keep_alive);
  });
  for_every_step("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", false,
                 [](const Parsed& parsed) { CHECK(parsed.keep_alive); });
  for_every_step("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", false,
                 [](const Parsed& parsed) { CHECK_FALSE(parsed.keep_alive); });
}

TEST_CASE("a premature end") {
  check_fault("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", Errc::unreachable, "closed after 3 of 10 bytes", true);
  check_fault("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", Errc::unreachable, "after 3 bytes", true);
  check_fault("HTTP/1.1 200 OK\r\nContent-Le", Errc::unreachable, "inside the answer's header", true);
  const Parsed none = parse("", 1, true);
  REQUIRE(none.fault);
  CHECK_THAT(none.fault->what(), Catch::Contains("before an answer"));
}

TEST_CASE("ambiguous framing is refused") {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const char* fields :
       {"Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: 3, 4\r\n", "Content-Length: -1\r\n", "Content-Length: 1x\r\n",
        "Content-Length: 99999999999999999999\r\n", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked, chunked\r\n", "Transfer-Encoding: identity\r\n", "Content-Encoding: br\r\n",
        "Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n", "Bad Name: 1\r\n"}) {
    check_fault(ok + fields + "\r\nabcd", Errc::malformed_response, "");
  }
  for (const char* text : {"ICY 200 OK\r\n\r\n", "HTTP/2.0 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 999 OK\r\n\r\n",
                           "SSH-2.0-OpenSSH\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n"}) {
    check_fault(text, Errc::malformed_response, "");
  }
  for (const char* chunks : {"ffffffffffffffffff\r\nabc", "-1\r\nabc", "3\r\nabcd\r\n0\r\n\r\n", "zz\r\n"}) {
    check_fault(ok + "Transfer-Encoding: chunked\r\n\r\n" + chunks, Errc::malformed_response, "");
  }
  check_fault(ok + std::string("X: a\0b\r\n\r\n", 10), Errc::malformed_response, "");
}

TEST_CASE("every unbounded part has a limit") {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  std::string fields = ok;
  for (int i = 0; i < 400; ++i) fields += "X-Field: value\r\n";
  check_fault(fields, Errc::limit_exceeded, "header is over 4096");
  check_fault(ok + "X: " + std::string(5000, 'a'), Errc::limit_exceeded, "header is over 4096");
  std::string interim;
  for (int i = 0; i < 400; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  check_fault(interim, Errc::limit_exceeded, "header is over 4096");

  const std::string chunked = ok + "Transfer-Encoding: chunked\r\n\r\n";
  check_fault(chunked + "1;" + std::string(5000, 'a'), Errc::limit_exceeded, "chunk extensions or trailer");
  std::string extensions = chunked;
  for (int i = 0; i < 100; ++i) extensions += "1;" + std::string(100, 'e') + "\r\na\r\n";
  check_fault(extensions, Errc::limit_exceeded, "chunk extensions or trailer");
  check_fault(chunked + "0\r\nX: " + std::string(5000, 'a') + "\r\n\r\n", Errc::limit_exceeded, "chunk extensions or trailer");
  check_fault(chunked + std::string(5000, '0') + "1\r\na\r\n0\r\n\r\n", Errc::limit_exceeded, "chunk extensions or trailer");

  check_fault(ok + "Content-Length: 4097\r\n\r\nx", Errc::limit_exceeded, "body is over 4096 bytes");
  check_fault(ok + "\r\n" + std::string(4097, 'a'), Errc::limit_exceeded, "body is over 4096 bytes");
  check_fault(chunked + "1001\r\nx", Errc::limit_exceeded, "body is over 4096 bytes");
  check_fault(chunked + "fff\r\n" + std::string(4095, 'a') + "\r\n2\r\nx", Errc::limit_exceeded, "body is over 4096 bytes");
  std::string exact = chunked;
  for (int i = 0; i < 4096; ++i) exact += "1\r\na\r\n";  // small chunks are no fault
  const Parsed parsed = parse(exact + "0\r\n\r\n", 1000);
  CHECK(parsed.is_done);
  CHECK(parsed.body.size() == 4096);
}

TEST_CASE("a parser is used again") {
  ResponseParser parser;
  std::string body;
  for (int i = 0; i < 3; ++i) {
    HttpResponse response;
    parser.start(response, 1000, 1000);
    const std::string_view text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
    const std::size_t head = parser.put_head(text);
    CHECK(parser.has_head());
    CHECK(parser.put_body(text.substr(head), body) == 1);
    CHECK(parser.is_done());
  }
  CHECK(body == "xxx");
}
