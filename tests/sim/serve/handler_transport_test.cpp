// A server's handler behind an HttpTransport without sockets: answers, streams, back-pressure, and the ends of both sides.
#include "sim/serve/handler_transport.hpp"

#include <catch2/catch.hpp>

#include "rollcall/testing/virtual_loop.hpp"
#include "sim/wire/encoding.hpp"
#include "support/result.hpp"

namespace rollcall::sim {

namespace {

using testing::check_failure;

asio::awaitable<void> answer_by_path(ServerExchange& exchange) {
  const ServerRequest& request = exchange.request();
  HttpResponse response;
  response.status = 200;
  if (request.target == "/reset") {
    exchange.reset();
    co_return;
  }
  if (request.target == "/throw") throw std::runtime_error("a handler's own trouble");
  if (request.target == "/garbage") {
    co_await exchange.write_raw("hello\r\n\r\n");
    co_return;
  }
  if (request.target == "/short") {
    co_await exchange.write_raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
    co_return;
  }
  if (request.target == "/gzip") {
    response.headers.add("Content-Encoding", "gzip");
    const auto body = std::make_shared<const std::string>(gzip(std::string(300'000, 'x')));
    co_await exchange.reply(response, body);
    co_return;
  }
  response.body = request.method + " " + request.host + request.target + " " + request.body;
  response.body += request.is_https ? " https " : " http ";
  response.body += request.headers.get("Authorization").value_or("");
  co_await exchange.reply(response);
}

class Handled {
 public:
  explicit Handled(HttpServer::Handler handler = answer_by_path)
      : transport(make_handler_transport(loop.io.get_executor(), std::move(handler), loop.time)) {
    request.url = *Url::parse("https://rollcall.example/v1");
  }
  Result<HttpResponse> get(const std::string& target) {
    request.url.target = target;
    return loop.run(transport->send(request, options));
  }
  void check_is_over() {
    loop.poll();
    CHECK(transport->in_flight() == 0);
    CHECK(loop.time->alarms() == 0);
  }

  testing::VirtualLoop loop;
  std::shared_ptr<HandlerTransport> transport;
  HttpRequest request;
  ExchangeOptions options;
};

// The pieces of a stream, and its end.
class Received {
 public:
  std::vector<std::string> pieces;
  std::optional<Failure> failure;
  bool is_over = false;
};

asio::awaitable<int> receive(std::shared_ptr<HttpTransport> transport, const HttpRequest& request, const ExchangeOptions& options,
                             Received& received) {
  const Result<std::unique_ptr<HttpStream>> stream = co_await transport->open(request, options);
  if (!stream) received.failure = stream.error();
  while (stream && !received.is_over && !received.failure) {
    const Result<std::string_view> piece = co_await (*stream)->read();
    if (!piece) {
      received.failure = piece.error();
    } else if (piece->empty()) {
      received.is_over = true;
    } else {
      received.pieces.emplace_back(*piece);
    }
  }
  co_return 0;
}

// A stream whose pieces the test pushes.
class Pushed {
 public:
  HttpServer::Handler handler() {
    return [this](ServerExchange& exchange) { return run(exchange); };
  }
  void push(std::string text) {
    next = std::move(text);
    news.wake();
  }
  asio::awaitable<void> run(ServerExchange& exchange) {
    const ClosedWatch watch(exchange, news);
    HttpResponse head;
    head.status = 200;
    bool is_there = co_await exchange.start_chunks(head);
    while (is_there && !exchange.is_closed()) {
      const bool is_woken = co_await news.wait();
      if (!is_woken) {
        was_cancelled = true;
        co_return;
      }
      const std::string text = std::exchange(next, std::string());
      if (text == "end") {
        co_await exchange.end_chunks();
        co_return;
      }
      if (!text.empty()) is_there = co_await exchange.write_chunk(text);
      if (is_there && !text.empty()) ++written;
    }
    has_seen_the_end = true;
  }
  AsyncEvent news;
  std::string next;
  int written = 0;
  bool has_seen_the_end = false;
  bool was_cancelled = false;
};

}  // namespace

TEST_CASE("a handler gets the request as in a server, and its answer comes back") {
  Handled f;
  f.request.bearer = Secret<std::string>("t");
  CHECK(f.get("/a%20b?c=d")->body == "GET rollcall.example/a%20b?c=d  https Bearer t");
  f.request.method = HttpMethod::post;
  f.request.body = "body";
  CHECK(f.get("/")->body == "POST rollcall.example/ body https Bearer t");
  CHECK(f.get("/gzip")->body == std::string(300'000, 'x'));
  CHECK(f.transport->calls() == 3);
  f.check_is_over();
}

TEST_CASE("faults of a handler are reported to the client as those of a server") {
  Handled f;
  check_failure(f.get("/garbage").error(), Errc::malformed_response, "");
  check_failure(f.get("/short").error(), Errc::unreachable, "");
  check_failure(f.get("/reset").error(), Errc::unreachable, "reset");
  check_failure(f.get("/throw").error(), Errc::unreachable, "");
  f.options.max_body_bytes = 1000;
  check_failure(f.get("/gzip").error(), Errc::limit_exceeded, "");
  f.request.headers.add("Host", "another");
  check_failure(f.get("/").error(), Errc::invalid_argument, "Host");
  f.check_is_over();
}

TEST_CASE("a handled stream is received as it is written, and to its end") {
  Pushed pushed;
  Handled f(pushed.handler());
  Received received;
  auto listener = f.loop.start(receive(f.transport, f.request, f.options, received));
  for (const char* const text : {"one", "two"}) {
    pushed.push(text);
    f.loop.poll();
    REQUIRE_FALSE(received.pieces.empty());
    CHECK(received.pieces.back() == text);
  }
  pushed.push("end");
  REQUIRE(f.loop.finish(listener));
  CHECK(received.is_over);
  CHECK(received.pieces.size() == 2);
  f.check_is_over();
}

TEST_CASE("a handler waits for a client that does not read") {
  int written = 0;
  const auto flood = [&written](ServerExchange& exchange) -> asio::awaitable<void> {
    HttpResponse head;
    head.status = 200;
    bool is_there = co_await exchange.start_chunks(head);
    const std::string chunk(10'000, 'x');
    while (is_there && written < 100) {
      is_there = co_await exchange.write_chunk(chunk);
      if (is_there) ++written;
    }
    co_await exchange.end_chunks();
  };
  Handled f(flood);
  auto opened = f.loop.start(f.transport->open(f.request, f.options));
  REQUIRE(opened.done());
  CHECK(written <= 13);  // the bytes read with the head, and 64 kB
  std::size_t size = 0;
  HttpStream& stream = **opened.value();
  while (true) {
    const Result<std::string_view> piece = f.loop.run(stream.read());
    REQUIRE(piece);
    if (piece->empty()) break;
    CHECK(piece->size() <= 64 * 1024);
    size += piece->size();
  }
  CHECK(size == 1'000'000);
  f.check_is_over();
}

TEST_CASE("a lost server: connections refused, a stream cut off, connections accepted again") {
  Pushed pushed;
  Handled f(pushed.handler());
  Received received;
  auto listener = f.loop.start(receive(f.transport, f.request, f.options, received));
  pushed.push("half of an ev");
  f.loop.poll();
  f.transport->refuse(true);
  check_failure(f.get("/").error(), Errc::unreachable, "refused");
  CHECK_FALSE(received.failure);  // open streams continue
  f.transport->break_all();
  REQUIRE(f.loop.finish(listener));
  REQUIRE(received.failure);
  CHECK(received.failure->code() == Errc::unreachable);
  CHECK(received.pieces == std::vector<std::string>{"half of an ev"});
  CHECK(pushed.has_seen_the_end);
  f.check_is_over();
  f.transport->refuse(false);
  Received again;
  listener = f.loop.start(receive(f.transport, f.request, f.options, again));
  pushed.push("end");
  REQUIRE(f.loop.finish(listener));
  CHECK(again.is_over);
  f.transport->close();
  check_failure(f.get("/").error(), Errc::cancelled, "closed");
}

TEST_CASE("a handler is notified when its client disconnects") {
  Pushed pushed;
  Handled f(pushed.handler());
  Received received;
  SECTION("cancelled while it waits for data") {
    auto listener = f.loop.start(receive(f.transport, f.request, f.options, received));
    CHECK(f.transport->in_flight() == 1);
    listener.cancel();
    f.loop.poll();
    CHECK(listener.done());
    CHECK(received.failure->code() == Errc::cancelled);
  }
  SECTION("after a silence") {
    f.options.response_timeout = std::chrono::seconds(30);
    auto listener = f.loop.start(receive(f.transport, f.request, f.options, received));
    REQUIRE(f.loop.finish(listener));
    CHECK(received.failure->code() == Errc::response_timeout);
    CHECK(f.loop.seconds() == 30);
  }
  SECTION("at the deadline") {
    f.options.deadline = SteadyTime(std::chrono::seconds(5));
    auto listener = f.loop.start(receive(f.transport, f.request, f.options, received));
    REQUIRE(f.loop.finish(listener));
    CHECK(received.failure->code() == Errc::deadline_exceeded);
    CHECK(f.loop.seconds() == 5);
  }
  SECTION("by wait_closed alone") {
    bool has_ended = false;
    const auto silent = [&has_ended](ServerExchange& exchange) -> asio::awaitable<void> {
      co_await exchange.wait_closed();
      has_ended = exchange.is_closed();
    };
    Handled g(silent);
    auto listener = g.loop.start(receive(g.transport, g.request, g.options, received));
    listener.cancel();
    g.loop.poll();
    CHECK(has_ended);
    pushed.has_seen_the_end = true;
  }
  f.loop.poll();
  CHECK(pushed.has_seen_the_end);
  f.check_is_over();
}

TEST_CASE("destroying a transport cancels its handlers") {
  Pushed pushed;
  Handled f(pushed.handler());
  Received received;
  auto listener = f.loop.start(receive(f.transport, f.request, f.options, received));
  listener.cancel();
  f.transport.reset();
  f.loop.poll();
  CHECK(listener.done());
  CHECK((pushed.was_cancelled || pushed.has_seen_the_end));
}

}  // namespace rollcall::sim
