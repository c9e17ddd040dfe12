// Parses requests: accepted ones, refused ones with their status; the division into pieces does not matter.
#include "net/server/request_parser.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

constexpr std::size_t parsed_head = 1024;
constexpr std::size_t parsed_body = 256;

class ParsedRequest {
 public:
  int status = 0;  // 0: complete; -1: it needs more
  ServerRequest request;
  std::size_t consumed = 0;
};

// `step`: the number of bytes per piece.
ParsedRequest parse_request(const std::string& text, std::size_t step) {
  ParsedRequest parsed;
  RequestParser parser(parsed_head, parsed_body);
  parser.start(parsed.request);
  std::string kept;
  for (std::size_t at = 0; at < text.size() && parser.state() == RequestParser::State::needs_more; at += step) {
    kept += text.substr(at, step);
    const std::size_t consumed = parser.put(kept);
    parsed.consumed += consumed;
    kept.erase(0, consumed);
  }
  if (parser.state() == RequestParser::State::needs_more) parsed.status = -1;
  if (parser.state() == RequestParser::State::refused) parsed.status = parser.refusal();
  return parsed;
}

int status_of(const std::string& text) {
  const int whole = parse_request(text, text.size()).status;
  CHECK(parse_request(text, 1).status == whole);
  CHECK(parse_request(text, 7).status == whole);
  return whole;
}

std::string with_fields(const std::string& fields, const std::string& body = "") {
  return "POST / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n" + body;
}

}  // namespace

TEST_CASE("a request parses to the same for every division into pieces") {
  const std::string text =
      "\r\n\r\nPUT /a?b HTTP/1.1\r\nhost: h:80\r\nX:  y \r\nTransfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  for (const std::size_t step : {std::size_t{1}, std::size_t{2}, std::size_t{5}, text.size()}) {
    const ParsedRequest parsed = parse_request(text + "GET", step);
    CHECK(parsed.status == 0);
    CHECK(parsed.consumed == text.size());
    CHECK(parsed.request.method == "PUT");
    CHECK(parsed.request.target == "/a?b");
    CHECK(parsed.request.host == "h:80");
    CHECK(parsed.request.headers.get("x") == "y");
    CHECK(parsed.request.body == "abcde");
  }
}

TEST_CASE("input that two servers could parse as different requests is refused") {
  CHECK(status_of(with_fields("")) == 0);
  CHECK(status_of(with_fields("Content-Length: 3\r\n", "abc")) == 0);
  CHECK(status_of(with_fields("X: \t\xC3\xA4 \r\n")) == 0);
  for (const char* const fields : {"Content-Length: 3\r\nContent-Length: 3\r\n",
                                   "Content-Length: 3\r\nContent-Length: 4\r\n",
                                   "Content-Length: 3, 3\r\n",
                                   "Content-Length: +3\r\n",
                                   "Content-Length: -3\r\n",
                                   "Content-Length: 0x3\r\n",
                                   "Content-Length: 3 \xA0\r\n",
                                   "Content-Length:\r\n",
                                   "Content-Length: 99999999999999999999\r\n",
                                   "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
                                   "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
                                   "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                                   "X: a\r\n b\r\n",
                                   "X: a\r\n\tb\r\n",
                                   "X : a\r\n",
                                   " X: a\r\n",
                                   "X\r\n",
                                   ": a\r\n",
                                   "X: a\nY: b\r\n",
                                   "X: a\rY: b\r\n",
                                   "X: a\r\r\n",
                                   "X: a\x01\r\n",
                                   "X: \x7f\r\n",
                                   "X\xC3: a\r\n",
                                   "Host: h\r\n",
                                   "Host: other\r\n",
                                   "X: a\n\r\n"}) {
    CAPTURE(fields);
    CHECK(status_of(with_fields(fields)) == 400);
  }
  CHECK(status_of(with_fields(std::string("X: a\0b\r\n", 8))) == 400);
  for (const char* const coding : {"gzip, chunked", "chunked, chunked", "identity", "x", "chunked;q=1", "\"chunked\"", "xchunked"}) {
    CAPTURE(coding);
    const int status = status_of(with_fields(std::string("Transfer-Encoding: ") + coding + "\r\n"));
    CHECK((status == 501 || status == 400));
  }
  CHECK(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.0\r\n\r\n") == 0);
  CHECK(status_of("GET / HTTP/1.1\r\n\r\n") == 400);
  CHECK(status_of("GET http://named/ HTTP/1.1\r\n\r\n") == 400);
  CHECK(status_of("GET / HTTP/1.1\r\nHost:\r\n\r\n") == 0);
  for (const char* const host : {"a b", "a,b", "a/b", "u@h", "a#b", "a?b"}) {
    CAPTURE(host);
    CHECK(status_of(std::string("GET / HTTP/1.1\r\nHost: ") + host + "\r\n\r\n") == 400);
  }
  for (const char* const line :
       {"GET  / HTTP/1.1", "GET / HTTP/2.0", "GET / HTTP/1.2", "GET / HTTP/0.9", "GET /", "GET / http/1.1", "GET /a b HTTP/1.1",
        "G\tT / HTTP/1.1", "(GET) / HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1", "GET", "GET / h", "PRI * HTTP/2.0", "\x16\x03\x01"}) {
    CAPTURE(line);
    CHECK(status_of(std::string(line) + "\r\nHost: h\r\n\r\n") == 400);
  }
}

TEST_CASE("a chunked body must be well formed, and its trailer changes nothing") {
  const auto chunked = [](const std::string& body) { return with_fields("Transfer-Encoding: chunked\r\n", body); };
  CHECK(status_of(chunked("1\r\na\r\n0\r\n\r\n")) == 0);
  for (const char* const body : {"1\na\r\n0\r\n\r\n", "1\r\nab\r\n0\r\n\r\n", "x\r\na\r\n0\r\n\r\n", "-1\r\na\r\n", "1 1\r\na\r\n",
                                 "11111111111111111\r\na", "1\r\na0\r\n\r\n", "0\r\n X: y\r\n\r\n"}) {
    CAPTURE(body);
    const int status = status_of(chunked(body));
    CHECK((status == 400 || status == 413));
  }
  const ParsedRequest parsed = parse_request(chunked("0\r\nAuthorization: x\r\nHost: other\r\n\r\n"), 1000);
  CHECK(parsed.status == 0);
  CHECK_FALSE(parsed.request.headers.get("Authorization"));
  CHECK(parsed.request.host == "h");
}

TEST_CASE("a connection that waits for the next request keeps no memory of a large one", "[fleet]") {
  RequestParser parser(16 * 1024, 64 * 1024);
  ServerRequest request;
  parser.start(request);
  const std::string large =
      "POST /" + std::string(5000, 'x') + " HTTP/1.1\r\nHost: " + std::string(2000, 'h') + "\r\nContent-Length: 20000\r\n\r\n";
  CHECK(parser.put(large + std::string(20000, 'b')) == large.size() + 20000);
  CHECK(request.body.size() == 20000);
  parser.start(request);
  CHECK(request.target.capacity() + request.host.capacity() + request.body.capacity() + request.method.capacity() < 2048);
}

TEST_CASE("a body is read only after the caller has checked the head", "[fleet]") {
  RequestParser parser(1024, 10);
  ServerRequest request;
  const std::string head = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 20\r\n\r\n";
  const std::string body(20, 'b');
  for (const bool is_kept : {true, false}) {
    parser.start(request);
    CHECK(parser.put_head(head + body) == head.size());
    CHECK((parser.has_head() && parser.state() == RequestParser::State::needs_more));
    parser.begin_body(20, is_kept);
    CHECK(parser.put(body + "GET") == 20);
    CHECK(parser.state() == RequestParser::State::complete);
    CHECK(request.body == (is_kept ? body : ""));
  }
  parser.start(request);
  CHECK(parser.put(head + body) == head.size());
  CHECK(parser.refusal() == 413);
}

TEST_CASE("sizes are limited, also for incomplete input") {
  const auto filler = [](std::size_t size) { return std::string(size, 'x'); };
  CHECK(status_of(with_fields("X: " + filler(parsed_head - 100) + "\r\n")) == 0);
  CHECK(status_of(with_fields("X: " + filler(parsed_head) + "\r\n")) == 431);
  CHECK(status_of("GET /" + filler(2 * parsed_head)) == 431);
  CHECK(status_of(filler(2 * parsed_head)) == 431);
  CHECK(status_of(with_fields("Content-Length: 256\r\n", filler(256))) == 0);
  CHECK(status_of(with_fields("Content-Length: 257\r\n")) == 413);
  const std::string chunked = with_fields("Transfer-Encoding: chunked\r\n");
  CHECK(status_of(chunked + "ff\r\n" + filler(255) + "\r\n2\r\n") == 413);
  CHECK(status_of(chunked + "1;" + filler(2 * parsed_head)) == 431);
  CHECK(status_of(chunked + "0\r\nX: " + filler(2 * parsed_head)) == 431);
}
