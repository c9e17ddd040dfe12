// A client that reads so slowly that its answer would be held forever.
#include <catch2/catch.hpp>

#include "net/server/stranger.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("a client that reads a little now and then does not hold an answer forever", "[fleet]") {
  bool is_over = false;
  const auto body = std::make_shared<const std::string>(4'000'000, 's');
  const auto answer = [&](ServerExchange& exchange) -> asio::awaitable<void> {
    HttpResponse head;
    head.status = 200;
    const bool is_sent = co_await exchange.reply(head, body);
    is_over = !is_sent;
  };
  StrangerFixture f(answer);
  constexpr int small = 16 * 1024;
  Stranger client(f.port, small);
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");  // 400 s at 10 kB/s, and 30
  f.wait_for_requests(1);
  f.poll();
  int seconds = 0;
  for (; seconds < 1000 && !is_over; seconds += 20) {
    client.listen(64 * 1024);
    f.pass(20);
  }
  CHECK(seconds > 400);
  CHECK(seconds < 460);
}
