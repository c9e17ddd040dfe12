// Limits of the HTTP server for untrusted clients: time, memory, connections. Each in virtual time, over real sockets.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "async/async_event.hpp"
#include "net/server/stranger.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// The handler's observations; the test and the handler share it.
class Seen {
 public:
  std::size_t written = 0;
  int ended = 0;
  bool was_closed = false;
};

// Answers by target: /silent waits for the client's end, /watched does so by a watch, /flood writes without end, /shared sends a large
// shared body.
class Answerer {
 public:
  HttpServer::Handler handler() {
    return [this](ServerExchange& exchange) { return run(exchange); };
  }
  asio::awaitable<void> run(ServerExchange& exchange) {
    const std::string target = exchange.request().target;
    HttpResponse head;
    head.status = 200;
    if (target == "/silent") {
      co_await exchange.wait_closed();
    } else if (target == "/watched") {
      AsyncEvent news;
      const ClosedWatch watch(exchange, news);
      bool is_there = co_await exchange.start_chunks(head);
      while (is_there && !exchange.is_closed()) is_there = co_await news.wait();
    } else if (target == "/flood") {
      const std::string chunk(16 * 1024, 'x');
      bool is_there = co_await exchange.start_chunks(head);
      while (is_there) {
        is_there = co_await exchange.write_chunk(chunk);
        if (is_there) seen.written += chunk.size();
      }
    } else if (target == "/shared") {
      co_await exchange.reply(head, shared);
    } else {
      head.body = fmt::format("{} {}", target, exchange.request().body.size());
      co_await exchange.reply(head);
    }
    seen.was_closed = exchange.is_closed();
    ++seen.ended;
  }
  Seen seen;
  std::shared_ptr<const std::string> shared = std::make_shared<const std::string>(4'000'000, 's');
};

std::string get(const std::string& target, const std::string& fields = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
}

bool starts_with_status(const Stranger& client, int status) { return client.heard.starts_with(fmt::format("HTTP/1.1 {} ", status)); }

}  // namespace

TEST_CASE("a slow head has ten seconds in total, not for each byte") {
  Answerer answers;
  StrangerFixture f(answers.handler());
  Stranger slow(f.port);
  Stranger mute(f.port);
  f.run_until([&] { return f.server.connections_open() == 2; });
  f.pass(2);
  const std::string head = get("/slow", "X: " + std::string(100, 'x') + "\r\n");
  for (int i = 0; i < 19; ++i) {  // a byte every half a second
    CHECK(slow.send(std::string_view(head).substr(static_cast<std::size_t>(i), 1)) == 1);
    f.pass(0.5);
    CHECK_FALSE(slow.listen());
    if (i == 14) CHECK_FALSE(mute.listen());  // 9.5 s
  }
  CHECK(mute.listen());  // it sent nothing: no answer is sent
  CHECK(mute.heard.empty());
  f.pass(1);
  slow.listen();
  CHECK(starts_with_status(slow, 408));
  CHECK(slow.heard.find("Connection: close") != std::string::npos);
  f.pass(2.5);
  f.wait_until_empty();
  CHECK(f.server.requests() == 0);
}

TEST_CASE("a body has ten seconds from the end of its head") {
  Answerer answers;
  StrangerFixture f(answers.handler());
  Stranger client(f.port);
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n");
  f.run_until([&] { return f.server.connections_open() == 1; });
  for (int i = 0; i < 19; ++i) {
    client.send("x");
    f.pass(0.5);
    CHECK_FALSE(client.listen());
  }
  f.pass(1);
  f.hear_out(client);
  CHECK(starts_with_status(client, 408));
  client.close();
  f.wait_until_empty();
}

TEST_CASE("an idle connection is kept for 75 seconds, a handler for as long as it likes") {
  Answerer answers;
  StrangerFixture f(answers.handler());
  Stranger idle(f.port);
  Stranger silent(f.port);
  idle.send(get("/1"));
  silent.send(get("/silent"));
  f.wait_for_requests(2);
  f.pass(74);
  idle.send(get("/2"));
  f.pass(74);
  CHECK_FALSE(idle.listen());
  CHECK(idle.heard.find("/2 0") != std::string::npos);
  const std::size_t said = idle.heard.size();
  f.pass(2);
  CHECK(idle.listen());
  CHECK(idle.heard.size() == said);
  f.pass(1000);
  CHECK_FALSE(silent.listen());
  CHECK(f.server.connections_open() == 1);
  silent.close();
  f.wait_until_empty();
  CHECK(answers.seen.was_closed);
}

TEST_CASE("a client that reads nothing is dropped after 30 seconds, and little is kept for it") {
  Answerer answers;
  StrangerFixture f(answers.handler());
  constexpr int small = 16 * 1024;
  Stranger client(f.port, small);
  client.send(get("/flood"));
  f.wait_for_requests(1);
  f.poll();
  CHECK(answers.seen.written > 0);
  CHECK(answers.seen.written < 256 * 1024);  // the kernel's, on both sides
  f.pass(29);
  CHECK(answers.seen.ended == 0);
  SECTION("nothing") {
    f.pass(1.5);
    CHECK(answers.seen.ended == 1);
    CHECK(answers.seen.was_closed);
    f.wait_until_empty();
    CHECK(client.listen());
    CHECK(client.error == ECONNRESET);
  }
  SECTION("something, now and then") {
    for (int i = 0; i < 10; ++i) {
      CHECK_FALSE(client.listen(64 * 1024));
      f.pass(29);
    }
    CHECK(answers.seen.ended == 0);
    client.close();
    f.wait_until_empty();
  }
}

TEST_CASE("a shared body reaches each client at its own speed") {
  Answerer answers;
  StrangerFixture f(answers.handler());
  std::vector<Stranger> clients;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back(f.port, i % 2 ? 16 * 1024 : 0);
    clients.back().send(get("/shared", "Connection: close\r\n"));
  }
  f.wait_for_requests(20);
  f.poll();
  CHECK(answers.shared.use_count() > 20);  // no copy of it waits
  for (Stranger& client : clients) f.hear_out(client);
  for (const Stranger& client : clients) {
    REQUIRE(client.heard.size() > answers.shared->size());
    CHECK(std::string_view(client.heard).ends_with(*answers.shared));
    CHECK(client.heard.find("Content-Length: 4000000\r\n") != std::string::npos);
  }
  f.wait_until_empty();
  CHECK(answers.shared.use_count() == 1);
}

TEST_CASE("more connections than are allowed wait in the backlog, and each gets its turn") {
  Answerer answers;
  ServerLimits limits;
  limits.connections = 10;
  StrangerFixture f(answers.handler(), limits);
  std::vector<Stranger> clients;
  for (int i = 0; i < 1010; ++i) clients.emplace_back(f.port);
  f.run_until([&] { return f.server.connections_open() == 10; });
  f.poll();
  CHECK(f.server.connections_open() == 10);
  CHECK(f.server.connections_accepted() == 10);
  for (Stranger& client : clients) client.send(get("/", "Connection: close\r\n"));
  std::size_t max = 0;
  f.run_until([&] {
    max = std::max(max, f.server.connections_open());
    return f.server.requests() == 1010;
  });
  CHECK(max == 10);
  for (Stranger& client : clients) {
    f.hear_out(client);
    CHECK(starts_with_status(client, 200));
  }
  f.wait_until_empty();
}

TEST_CASE("a refused client gets the status, even if it continues to send") {
  Answerer answers;
  StrangerFixture f(answers.handler());
  const auto refused = [&](const std::string& text) {
    Stranger client(f.port);
    std::size_t sent = 0;
    bool is_over = false;
    while (!is_over && sent < text.size()) {
      sent += client.send(std::string_view(text).substr(sent));
      f.poll();
      is_over = client.listen();
    }
    client.half_close();
    f.hear_out(client);
    CHECK(client.error != ECONNRESET);
    return client.heard.substr(0, 12);
  };
  const std::string filler(500'000, 'x');
  CHECK(refused(get("/", "X: " + filler + "\r\n")) == "HTTP/1.1 431");
  CHECK(refused("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 500000\r\n\r\n" + filler) == "HTTP/1.1 413");
  CHECK(refused("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n7a120\r\n" + filler) == "HTTP/1.1 413");
  CHECK(refused("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: x\r\n\r\n" + filler) == "HTTP/1.1 501");
  CHECK(refused("\x16\x03\x01\x02" + filler) == "HTTP/1.1 400");
  CHECK(f.server.requests() == 0);
  f.wait_until_empty();
  // Its data is not read forever, either.
  Stranger talker(f.port);
  talker.send("nonsense\n");
  f.run_until([&] { return talker.listen() || starts_with_status(talker, 400); });
  CHECK(f.server.connections_open() == 1);
  f.pass(2.5);
  f.wait_until_empty();
}

TEST_CASE("a flood of requests is answered in turns, and the read-ahead is limited") {
  Answerer answers;
  StrangerFixture f(answers.handler());
  std::string flood;
  while (flood.size() < 16'000) flood += get("/");
  const std::uint64_t a_flood = flood.size() / get("/").size();
  SECTION("while one is being answered") {
    for (const char* const target : {"/watched", "/silent"}) {
      Stranger client(f.port);
      client.send(get(target));
      f.wait_for_requests(f.server.requests() + 1);
      int floods = 0;
      for (; answers.seen.ended == 0 && floods < 10; ++floods) {
        client.send(flood);
        f.poll();
      }
      CHECK(floods <= 3);
      CHECK(answers.seen.was_closed);
      answers.seen.ended = 0;
    }
    CHECK(f.server.requests() == 2);
    f.wait_until_empty();
  }
  SECTION("one after the other, without reading") {
    Stranger client(f.port, 16 * 1024);
    Stranger other(f.port);
    for (int i = 0; i < 100; ++i) {
      client.send(flood);
      f.poll();
    }
    const std::uint64_t answered = f.server.requests();
    CHECK(answered < 10 * a_flood);
    other.send(get("/other"));
    f.run_until([&] { return other.listen() || starts_with_status(other, 200); });
    CHECK(f.server.requests() == answered + 1);
    f.pass(31);
    CHECK(f.server.connections_open() == 1);
  }
}
