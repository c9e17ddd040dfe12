// The HTTP server over real sockets: keep-alive, pipelining, framing, limits, intended faults, its end.
#include <fmt/format.h>

#include <asio/read.hpp>
#include <asio/write.hpp>
#include <catch2/catch.hpp>

#include "net/dial/dial_fixture.hpp"
#include "support/certificates.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Echoes method, target and body; some targets misbehave.
asio::awaitable<void> serve(ServerExchange& exchange) {
  const std::string target = exchange.request().target;
  if (target == "/raw") {
    co_await exchange.write_raw("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
    co_return;
  }
  if (target == "/reset") {
    exchange.reset();
    co_return;
  }
  if (target == "/silent") {
    co_await exchange.wait_closed();
    co_return;
  }
  if (target == "/throw") throw std::runtime_error("a handler's own trouble");
  if (target == "/nothing") co_return;
  HttpResponse response;
  response.status = target == "/204" ? 204 : 200;
  if (target == "/chunked") response.headers.add("Transfer-Encoding", "chunked");
  if (target == "/last") response.headers.add("Connection", "close");
  response.body = fmt::format("{} {} {}", exchange.request().method, target, exchange.request().body);
  if (target.starts_with("/host")) response.body += exchange.request().host;
  const bool is_first = co_await exchange.reply(response);
  const bool is_second = co_await exchange.reply(response);
  CHECK(is_first);
  CHECK_FALSE(is_second);
}

class ServerFixture : public DialFixture {
 public:
  ServerFixture() : server(io.get_executor(), serve), port(server.listen("127.0.0.1", 0).value()) {}

  /// Sends the pieces, one turn of the loop between them, and reads until `wanted` bytes or the end.
  std::string talk(const std::vector<std::string>& pieces, std::size_t wanted = 1 << 20) {
    asio::ip::tcp::socket socket(io);
    socket.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), port));
    for (const std::string& piece : pieces) {
      asio::write(socket, asio::buffer(piece));
      io.restart();
      io.poll();
    }
    std::string answer;
    bool is_done = false;
    asio::async_read(socket, asio::dynamic_buffer(answer), asio::transfer_at_least(wanted), [&](std::error_code error, std::size_t) {
      is_done = true;
      last_error = error;
    });
    run_until([&] { return is_done; });
    return answer;
  }

  HttpServer server;
  std::uint16_t port;
  std::error_code last_error;
};

std::string ok(std::string_view body, bool closes = false) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{}\r\n{}", body.size(), closes ? "Connection: close\r\n" : "", body);
}

}  // namespace

TEST_CASE("pipelined requests are answered in order on one connection") {
  ServerFixture fixture;
  const std::string expected = ok("GET /1 ") + ok("POST /2 body") + ok("GET /3 ", true);
  const std::string sent =
      "GET /1 HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbodyGET /3 HTTP/1.1\r\nHost: "
      "h\r\nConnection: "
      "close\r\n\r\n";
  CHECK(fixture.talk({sent}) == expected);
  std::vector<std::string> bytes;
  for (const char c : sent) bytes.emplace_back(1, c);
  CHECK(fixture.talk(bytes) == expected);
  CHECK(fixture.server.requests() == 6);
  CHECK(fixture.server.connections_accepted() == 2);
  fixture.run_until([&] { return fixture.server.connections_open() == 0; });
}

TEST_CASE("an answer that closes the connection is the last one") {
  ServerFixture fixture;
  const std::string answer = fixture.talk({"GET /last HTTP/1.1\r\nHost: h\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n"});
  CHECK(answer == "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nGET /last ");
  fixture.run_until([&] { return fixture.server.connections_open() == 0; });
}

TEST_CASE("the forms of HTTP requests") {
  ServerFixture fixture;
  CHECK(fixture.talk({"GET /old HTTP/1.0\r\n\r\n"}) == ok("GET /old ", true));
  CHECK(fixture.talk({"HEAD /head HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"}) ==
        "HTTP/1.1 200 OK\r\nContent-Length: 11\r\nConnection: close\r\n\r\n");
  CHECK(fixture.talk({"GET /204 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"}) ==
        "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
  // Absolute form: as in requests to proxies, which every server must accept; the Host field is ignored then.
  for (const auto& [target, echo] :
       std::initializer_list<std::pair<std::string, std::string>>{{"http://named:80/host?q=http://x/", "GET /host?q=http://x/ named:80"},
                                                                  {"HTTPS://named", "GET / "},
                                                                  {"http://named?q", "GET /?q "}}) {
    CAPTURE(target);
    CHECK(fixture.talk({"GET " + target + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"}) == ok(echo, true));
  }
  CHECK(
      fixture.talk(
          {"POST /c HTTP/1.1\r\nHost: h\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"}) ==
      ok("POST /c abcde", true));
  CHECK(fixture.talk({"PUT /e HTTP/1.1\r\nHost: h\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n", "ok"}) ==
        "HTTP/1.1 100 Continue\r\n\r\n" + ok("PUT /e ok", true));
  CHECK(fixture.talk({"GET /chunked HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"}) ==
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nd\r\nGET /chunked \r\n0\r\n\r\n");
}

TEST_CASE("bad requests are refused by status") {
  ServerFixture fixture;
  const auto status_of = [&](const std::string& sent) { return fixture.talk({sent}).substr(0, 12); };
  CHECK(status_of("this is not HTTP\r\n\r\n") == "HTTP/1.1 400");
  CHECK(status_of("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(70 * 1024, 'x') + "\r\n\r\n") == "HTTP/1.1 431");
  CHECK(status_of("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n") == "HTTP/1.1 413");
  CHECK(fixture.server.requests() == 0);
}

TEST_CASE("a handler may misbehave") {
  ServerFixture fixture;
  const auto get = [&](const std::string& target) { return fixture.talk({"GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n"}); };
  CHECK(get("/raw") == "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
  CHECK(fixture.last_error == asio::error::eof);
  CHECK(get("/reset").empty());
  CHECK(fixture.last_error == asio::error::connection_reset);
  CHECK(get("/throw").empty());
  CHECK(get("/nothing").empty());
  fixture.run_until([&] { return fixture.server.connections_open() == 0; });
}

TEST_CASE("stop ends listeners, idle connections and handlers in progress") {
  ServerFixture fixture;
  asio::ip::tcp::socket idle(fixture.io);
  asio::ip::tcp::socket silent(fixture.io);
  const asio::ip::tcp::endpoint endpoint(asio::ip::address_v4::loopback(), fixture.port);
  idle.connect(endpoint);
  silent.connect(endpoint);
  asio::write(silent, asio::buffer(std::string("GET /silent HTTP/1.1\r\nHost: h\r\n\r\n")));
  fixture.run_until([&] { return fixture.server.connections_open() == 2 && fixture.server.requests() == 1; });
  fixture.server.stop();
  fixture.io.restart();
  fixture.io.run();  // returns: nothing is left
  CHECK(fixture.server.connections_open() == 0);
  std::error_code error;
  asio::ip::tcp::socket late(fixture.io);
  late.connect(endpoint, error);
  CHECK(error == asio::error::connection_refused);
}

TEST_CASE("wait_closed ends when the client goes") {
  ServerFixture fixture;
  {
    asio::ip::tcp::socket silent(fixture.io);
    silent.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), fixture.port));
    asio::write(silent, asio::buffer(std::string("GET /silent HTTP/1.1\r\nHost: h\r\n\r\n")));
    fixture.run_until([&] { return fixture.server.requests() == 1; });
  }
  fixture.run_until([&] { return fixture.server.connections_open() == 0; });
}

TEST_CASE("a loop may be destroyed with connections open") {
  auto fixture = std::make_unique<ServerFixture>();
  auto client = std::make_unique<DialFixture>();
  asio::ip::tcp::socket idle(client->io);
  asio::ip::tcp::socket silent(client->io);
  const asio::ip::tcp::endpoint endpoint(asio::ip::address_v4::loopback(), fixture->port);
  idle.connect(endpoint);
  silent.connect(endpoint);
  asio::write(silent, asio::buffer(std::string("GET /silent HTTP/1.1\r\nHost: h\r\n\r\n")));
  fixture->run_until([&] { return fixture->server.connections_open() == 2 && fixture->server.requests() == 1; });
  fixture.reset();
}

TEST_CASE("listening fails with a reason") {
  ServerFixture fixture;
  CHECK(fixture.server.listen("nonsense", 0).error().code() == Errc::invalid_argument);
  const Failure taken = fixture.server.listen("127.0.0.1", fixture.port).error();
  check_failure(taken, Errc::failed_precondition, "Address already in use");
}

TEST_CASE("stop in the turn in which a client sends") {
  ServerFixture fixture;
  const CertifiedKey host(CertificateRequest({"DNS:localhost"}));
  const auto context = host.server_context();
  const std::uint16_t tls_port = fixture.server.listen("127.0.0.1", 0, [&](std::string_view) { return context.get(); }).value();
  asio::ip::tcp::socket first(fixture.io);
  asio::ip::tcp::socket second(fixture.io);
  first.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), tls_port));
  second.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), tls_port));
  fixture.run_until([&] { return fixture.server.connections_open() == 2; });
  fixture.io.restart();
  fixture.io.poll();  // both wait for bytes now
  asio::write(first, asio::buffer(std::string("\x16\x03\x01")));
  asio::write(second, asio::buffer(std::string("\x16\x03\x01")));
  // One handler runs: the loop gets the events of both sockets at once, and the other one's event stays queued.
  fixture.io.restart();
  CHECK(fixture.io.poll_one() == 1);
  fixture.server.stop();
  fixture.io.restart();
  fixture.io.poll();
  CHECK(fixture.server.connections_open() == 0);
}
