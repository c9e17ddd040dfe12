// The connections that are closed when a server's places run out.
#include <catch2/catch.hpp>

#include "async/async_event.hpp"
#include "net/server/stranger.hpp"
#include "net/socket/descriptor.hpp"
#include "support/no_descriptors.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// /watched goes on until the client ends.
asio::awaitable<void> answer_or_watch(ServerExchange& exchange) {
  HttpResponse head;
  head.status = 200;
  head.body = exchange.request().target;
  if (head.body != "/watched") {
    co_await exchange.reply(head);
    co_return;
  }
  AsyncEvent news;
  const ClosedWatch watch(exchange, news);
  bool is_there = co_await exchange.start_chunks(head);
  while (is_there && !exchange.is_closed()) is_there = co_await news.wait();
}

std::string request_for(const std::string& target) { return "GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n"; }

}  // namespace

TEST_CASE("when places run out, the connection that has been idle longest is closed", "[fleet]") {
  ServerLimits limits;
  limits.connections = 3;
  StrangerFixture f(answer_or_watch, limits);
  Stranger watched(f.port);
  watched.send(request_for("/watched"));
  f.wait_for_requests(1);
  Stranger first(f.port);
  first.send(request_for("/first"));
  f.wait_for_requests(2);
  f.pass(1);
  Stranger second(f.port);
  second.send(request_for("/second"));
  f.wait_for_requests(3);
  f.pass(1);
  first.send(request_for("/again"));  // from now on it waits a shorter time than the other
  f.wait_for_requests(4);
  f.pass(1);
  Stranger next(f.port);
  next.send(request_for("/next"));
  f.wait_for_requests(5);
  f.hear_out(second);
  CHECK_FALSE(first.listen());
  Stranger another(f.port);
  another.send(request_for("/another"));
  f.wait_for_requests(6);
  f.hear_out(first);
  // Connections with a request in progress stay, even if others wait.
  next.send(request_for("/watched"));
  another.send(request_for("/watched"));
  f.wait_for_requests(8);
  Stranger late(f.port);
  late.send(request_for("/late"));
  f.pass(30);
  CHECK(f.server.requests() == 8);
  CHECK_FALSE(watched.listen());
  watched.close();
  f.wait_for_requests(9);
  while (late.heard.find("/late") == std::string::npos && !late.listen()) f.poll();
}

TEST_CASE("when descriptors run out, the connection that has been idle longest is closed", "[fleet]") {
  if (NoDescriptors::is_sanitized) return;
  StrangerFixture f(answer_or_watch, ServerLimits());
  Stranger first(f.port);
  first.send(request_for("/first"));
  f.wait_for_requests(1);
  f.poll();
  Stranger next(f.port);
  next.send(request_for("/next"));
  {
    const NoDescriptors none;
    for (int i = 0; i < 200 && f.server.requests() < 2; ++i) f.io.run_one();
  }
  CHECK(f.server.requests() == 2);
  CHECK(first.listen());
}

TEST_CASE("client connections leave descriptors for the service itself", "[fleet]") {
  CHECK(descriptors_for_clients(1) == 1);
  CHECK(descriptors_for_clients(64) == 32);
  CHECK(descriptors_for_clients(256) == 192);
  CHECK(descriptors_for_clients(1024) == 768);
  CHECK(descriptors_for_clients(32768) == 31744);
  for (std::size_t limit = 2; limit < 100'000; limit += 7)
    CHECK(descriptors_for_clients(limit) <= limit - std::min<std::size_t>(limit / 2, 64));
}

TEST_CASE("of connections that have not sent a request the oldest is closed for the next", "[fleet]") {
  ServerLimits limits;
  limits.newcomers = 2;
  StrangerFixture f(answer_or_watch, limits);
  Stranger known(f.port);
  known.send(request_for("/known"));
  f.wait_for_requests(1);
  Stranger half(f.port);
  half.send("GET /half HTTP/1.1\r\n");
  f.poll();
  Stranger second(f.port);
  f.poll();
  CHECK_FALSE(half.listen());
  Stranger third(f.port);
  f.poll();
  f.hear_out(half);
  CHECK(half.heard.empty());
  CHECK_FALSE(second.listen());
  CHECK(f.server.connections_open() == 3);
  // One that has sent one is none of them any more.
  second.send(request_for("/second"));
  f.wait_for_requests(2);
  Stranger fourth(f.port);
  f.poll();
  CHECK_FALSE(third.listen());
  CHECK_FALSE(known.listen());
  CHECK(f.server.connections_open() == 4);
}

TEST_CASE("a server may refuse what it cannot read without an answer", "[fleet]") {
  for (const bool is_silent : {false, true}) {
    ServerLimits limits;
    limits.refuses_in_silence = is_silent;
    StrangerFixture f(answer_or_watch, limits);
    Stranger stranger(f.port);
    stranger.send("nonsense\r\n\r\n");
    stranger.half_close();
    f.hear_out(stranger);
    CHECK(stranger.heard.empty() == is_silent);
  }
}
