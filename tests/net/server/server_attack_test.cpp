// Clients that end at every stage, half close, or send invalid TLS: the server survives each, and keeps no state of it.
#include <catch2/catch.hpp>

#include "async/async_event.hpp"
#include "net/server/tls_stranger.hpp"
#include "support/certificates.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

asio::awaitable<void> answer_stage(ServerExchange& exchange) {
  const std::string target = exchange.request().target;
  HttpResponse head;
  head.status = 200;
  AsyncEvent news;
  const ClosedWatch watch(exchange, news);
  if (target == "/wait") {
    while (!exchange.is_closed()) {
      const bool is_woken = co_await news.wait();
      if (!is_woken) co_return;
    }
  } else if (target == "/flood") {
    const std::string chunk(100'000, 'x');
    bool is_there = co_await exchange.start_chunks(head);
    while (is_there) is_there = co_await exchange.write_chunk(chunk);
  } else if (target == "/pieces") {
    bool is_there = co_await exchange.start_chunks(head);
    for (const char c : {'a', 'b', 'c'}) {
      const std::string chunk(100'000, c);
      if (is_there) is_there = co_await exchange.write_chunk(chunk);
    }
    co_await exchange.end_chunks();
  } else {
    head.body = "well";
    co_await exchange.reply(head);
  }
}

class TlsStrangerFixture : public StrangerFixture {
 public:
  explicit TlsStrangerFixture(ServerLimits limits = {})
      : StrangerFixture(answer_stage, limits), identity(CertificateRequest({"DNS:localhost"})), context(identity.server_context()),
        tls_port(server.listen("127.0.0.1", 0, [this](std::string_view) { return context.get(); }).value()) {}
  bool can_shake(TlsStranger& client, int turns = 50) {
    for (int i = 0; i < turns; ++i) {
      if (client.shake()) return true;
      poll();
    }
    return false;
  }
  CertifiedKey identity;
  decltype(identity.server_context()) context;
  std::uint16_t tls_port;
};

const std::string hello_start("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11);

}  // namespace

TEST_CASE("clients that reset, close or half close, at every stage") {
  StrangerFixture f(answer_stage);
  const std::vector<std::string> stages{"",
                                        "GET / HT",
                                        "GET / HTTP/1.1\r\nHost: h\r\n",
                                        "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nabc",
                                        "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
                                        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
                                        "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
                                        "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n",
                                        "GET /wait HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.1\r\n",
                                        "GET /flood HTTP/1.1\r\nHost: h\r\n\r\n",
                                        "nonsense\n"};
  for (const std::string& stage : stages) {
    for (int end = 0; end < 4; ++end) {
      CAPTURE(stage, end);
      Stranger client(f.port);
      client.send(stage);
      const std::uint64_t accepted = f.server.connections_accepted();
      if (end != 3) f.run_until([&] { return f.server.connections_accepted() > accepted || f.server.connections_open() > 0; });
      if (end != 3) f.poll();  // otherwise it ends before the server has read
      if (end == 0 || end == 3) client.reset();
      if (end == 1) client.close();
      if (end == 2) client.half_close();
      if (end == 2 && stage.find("/flood") != std::string::npos) client.close();
      f.run_until([&] { return f.server.connections_accepted() > 0; });
      f.wait_until_empty();
    }
  }
}

TEST_CASE("a request whose sender has half closed is answered") {
  StrangerFixture f(answer_stage);
  Stranger client(f.port);
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.half_close();
  f.run_until([&] { return client.listen(); });
  CHECK(client.heard.find("well") != std::string::npos);
  f.wait_until_empty();
}

TEST_CASE("invalid, truncated and endless TLS") {
  TlsStrangerFixture f;
  for (const std::string& garbage :
       {std::string("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), std::string(20'000, '\xff'),
        std::string("\x16\x03\x01\x40\x01", 5) + std::string(20'000, 'x'), std::string("\x15\x03\x01\x00\x02\x02\x28", 7)}) {
    Stranger client(f.tls_port);
    client.send(garbage);
    f.hear_out(client);
    client.close();
    f.wait_until_empty();
  }
  for (const std::string& start : {std::string(), hello_start}) {
    for (const bool is_reset : {true, false}) {
      Stranger client(f.tls_port);
      client.send(start);
      f.run_until([&] { return f.server.connections_open() == 1; });
      f.poll();
      if (is_reset) {
        client.reset();
      } else {
        f.pass(9);
        CHECK_FALSE(client.listen());
        f.pass(1.5);
        CHECK(client.listen());
      }
      f.wait_until_empty();
    }
  }
  CHECK(f.server.requests() == 0);
}

TEST_CASE("clients with slow handshakes do not block others") {
  ServerLimits limits;
  limits.handshakes = 2;
  TlsStrangerFixture f(limits);
  // A client that sends nothing has no turn.
  std::vector<Stranger> mute;
  for (int i = 0; i < 5; ++i) mute.emplace_back(f.tls_port);
  f.run_until([&] { return f.server.connections_open() == 5; });
  TlsStranger first(f.tls_port);
  CHECK(f.can_shake(first));
  // A client that starts and stops has a turn while no other client waits, and two seconds more.
  std::vector<Stranger> slow;
  for (int i = 0; i < 2; ++i) {
    slow.emplace_back(f.tls_port);
    slow.back().send(hello_start);
  }
  f.run_until([&] { return f.server.connections_open() == 8; });
  f.pass(3);
  CHECK_FALSE(slow[0].listen());
  TlsStranger second(f.tls_port);
  CHECK_FALSE(f.can_shake(second));
  f.pass(1.5);
  CHECK(slow[0].listen());
  CHECK(slow[1].listen());
  CHECK(f.can_shake(second));
  second.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  std::string heard;
  f.run_until([&] {
    heard += second.listen();
    return heard.find("well") != std::string::npos;
  });
}

TEST_CASE("large chunks reach a slow reader whole, plain and by TLS") {
  TlsStrangerFixture f;
  const auto piece = [](char c) { return "186a0\r\n" + std::string(100'000, c) + "\r\n"; };
  const std::string expected = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + piece('a') + piece('b') + piece('c') + "0\r\n\r\n";
  const std::string request = "GET /pieces HTTP/1.1\r\nHost: h\r\n\r\n";
  Stranger plain(f.port, 16 * 1024);
  plain.send(request);
  while (!plain.listen(1000) && plain.heard.size() < expected.size()) f.poll();
  CHECK(plain.heard == expected);
  TlsStranger client(f.tls_port);
  REQUIRE(f.can_shake(client));
  client.send(request);
  std::string heard;
  while (f.server.connections_open() > 0 && heard.size() < expected.size()) {
    heard += client.listen();
    f.poll();
  }
  CHECK(heard == expected);
}

TEST_CASE("clients of TLS that go while they are answered") {
  TlsStrangerFixture f;
  for (const char* const target : {"/", "/wait", "/flood"}) {
    for (const bool is_reset : {true, false}) {
      TlsStranger client(f.tls_port);
      REQUIRE(f.can_shake(client));
      client.send(std::string("GET ") + target + " HTTP/1.1\r\nHost: h\r\n\r\n");
      f.wait_for_requests(f.server.requests() + 1);
      f.poll();
      if (is_reset) {
        client.socket.reset();
      } else {
        client.socket.send("\x17\x03\x03");  // half a record
        client.socket.close();
      }
      f.wait_until_empty();
    }
  }
}

TEST_CASE("a server may stop while clients are at every stage") {
  ServerLimits limits;
  limits.handshakes = 1;
  auto f = std::make_unique<TlsStrangerFixture>(limits);
  std::vector<Stranger> clients;
  for (const std::string& stage : {std::string(), std::string("GET / HT"), std::string("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n"),
                                   std::string("GET /flood HTTP/1.1\r\nHost: h\r\n\r\n"), std::string("nonsense\n")}) {
    clients.emplace_back(f->port);
    clients.back().send(stage);
  }
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back(f->tls_port);
    clients.back().send(hello_start);
  }
  f->run_until([&] { return f->server.connections_open() == 8 && f->server.requests() == 2; });
  f->poll();
  SECTION("in order") {
    f->server.stop();
    f->io.restart();
    f->io.run();  // returns: nothing is left
    CHECK(f->server.connections_open() == 0);
    CHECK(f->time->alarms() == 0);
  }
  SECTION("by the end of its loop") { f.reset(); }
}
