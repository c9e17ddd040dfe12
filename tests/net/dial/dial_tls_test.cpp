// TLS dials: servers with another protocol, resumption, the handshake throttle, many at once. See dial_certificate_test.cpp for
// certificates.
#include <fmt/format.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "net/dial/tls_fixture.hpp"
#include "net/server/rpc_call.hpp"
#include "net/socket/loop_throttle.hpp"
#include "net/tls/tls_sessions.hpp"
#include "support/peers.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Sends an answer over a stream and reads the reply, so that session tickets are received.
asio::awaitable<void> exchange_once(Stream& stream, bool& is_done) {
  const std::string_view request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  stream.write_some(std::span<const char>(request.data(), request.size()));
  for (;;) {
    std::error_code ignored;
    if (stream.must_wait(asio::ip::tcp::socket::wait_read)) co_await stream.wait(asio::ip::tcp::socket::wait_read, ignored);
    char buffer[4096];
    const IoResult result = stream.read_some(buffer);
    if (result.status != IoStatus::want_read) break;
  }
  is_done = true;
}

int handshakes = 0;
int resumed = 0;
void count_handshakes(const SSL* ssl, int where, int) {
  if ((where & SSL_CB_HANDSHAKE_DONE) == 0) return;
  ++handshakes;
  resumed += SSL_session_reused(ssl);
}

}  // namespace

TEST_CASE("a server without TLS, with unsafe TLS, or for another name") {
  TlsFixture fixture;
  SECTION("plain HTTP") {
    HttpServer plain(fixture.io.get_executor(), say_ok);
    const std::uint16_t port = plain.listen("127.0.0.1", 0).value();
    CHECK(TlsFixture::has(fixture.refused(fmt::format("https://127.0.0.1:{}/", port)).what(), "does not speak TLS on this port"));
  }
  SECTION("unknown name") {
    HttpServer server(fixture.io.get_executor(), say_ok);
    const std::uint16_t port = server.listen("127.0.0.1", 0, [](std::string_view) -> ssl_ctx_st* { return nullptr; }).value();
    CHECK(TlsFixture::has(fixture.refused(fmt::format("https://localhost:{}/", port)).what(), "does not know that name"));
  }
}

TEST_CASE("a server that hangs up during the handshake is unreachable") {
  DialFixture fixture;
  MutePeer peer;
  const auto outcome = fixture.start(fmt::format("https://127.0.0.1:{}/", peer.port()));
  bool is_accepted = false;
  fixture.run_until([&] {
    const int client = ::accept(peer.descriptor(), nullptr, nullptr);
    if (client >= 0) {
      is_accepted = true;
      ::shutdown(client, SHUT_WR);
      char buffer[4096];
      while (::recv(client, buffer, sizeof buffer, MSG_DONTWAIT) > 0) {
      }
      ::close(client);
    }
    return is_accepted;
  });
  fixture.run_until([&] { return outcome->is_done(); });
  CHECK(outcome->failure().code() == Errc::unreachable);
  CHECK(outcome->failure().phase() == Phase::handshake);
}

TEST_CASE("sessions are resumed, in TLS 1.3 and 1.2, and not across hosts") {
  const int version = GENERATE(TLS1_3_VERSION, TLS1_2_VERSION);
  CAPTURE(version);
  TlsFixture fixture;
  fixture.serve(CertifiedKey(CertificateRequest({"DNS:tpu.example.com", "DNS:other.example.com"}), &fixture.ca));
  handshakes = resumed = 0;
  SSL_CTX_set_info_callback(fixture.context.get(), count_handshakes);
  if (version == TLS1_2_VERSION) SSL_CTX_set_options(fixture.context.get(), SSL_OP_NO_TLSv1_3);
  for (int i = 0; i < 4; ++i) {
    const auto outcome = fixture.dial("https://tpu.example.com/");
    bool is_done = false;
    asio::co_spawn(fixture.io, exchange_once(outcome->stream(), is_done), asio::detached);
    fixture.run_until([&] { return is_done; });
    CHECK(outcome->stream().is_quiet());
  }
  CHECK(handshakes == 4);
  CHECK(resumed == 3);
  fixture.dial("https://other.example.com/");
  fixture.run_until([&] { return handshakes == 5; });
  CHECK(resumed == 3);
}

TEST_CASE("a TLS stream that has read a record ahead does not wait for it, and is not quiet") {
  TlsFixture fixture;
  int written = 0;
  HttpServer server(fixture.io.get_executor(), [&written](ServerExchange& exchange) -> asio::awaitable<void> {
    for (int i = 0; i < 3; ++i) {
      const bool is_there = co_await exchange.write_raw("record");
      written += is_there;
    }
    co_await exchange.wait_closed();
  });
  const CertifiedKey identity(CertificateRequest({"IP:127.0.0.1"}), &fixture.ca);
  const TlsContextPtr context = identity.server_context();
  const std::uint16_t port = server.listen("127.0.0.1", 0, [&](std::string_view) { return context.get(); }).value();
  const auto outcome = fixture.dial(fmt::format("https://127.0.0.1:{}/", port));
  Stream& stream = outcome->stream();
  const std::string_view request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  stream.write_some(std::span<const char>(request.data(), request.size()));
  fixture.run_until([&] { return written == 3; });
  const auto must_wait = [&] { return stream.must_wait(asio::ip::tcp::socket::wait_read); };
  char buffer[4096];
  for (int i = 0; i < 3; ++i) {
    const IoResult result = stream.read_some(buffer);
    REQUIRE(result.status == IoStatus::done);
    CHECK(std::string_view(buffer, result.bytes) == "record");
    CHECK(must_wait() == (i == 2));
    CHECK(stream.is_quiet() == (i == 2));
  }
  CHECK(stream.read_some(buffer).status == IoStatus::want_read);
  CHECK(must_wait());
  CHECK(stream.is_quiet());
}

TEST_CASE("HTTP/2 is offered where it is chosen, and the stream has what the server took") {
  TlsFixture fixture;
  fixture.network.http2 = GENERATE(true, false);
  const CertifiedKey identity(CertificateRequest({"DNS:tpu.example.com", "IP:127.0.0.1"}), &fixture.ca);
  fixture.serve(identity);
  RpcMethod method;  // a listener that speaks HTTP/2 alone
  method.path = "/a/b";
  const std::uint16_t port =
      fixture.server->listen_rpc("127.0.0.1", 0, [&](std::string_view) { return fixture.context.get(); }, method).value();
  CHECK(fixture.dial("https://tpu.example.com/")->stream().protocol() == Protocol::http1);
  fixture.dialer.reset();
  fixture.network.connect_to = {ConnectTo::parse(fmt::format("::127.0.0.1:{}", port)).value()};
  const Protocol expected = fixture.network.http2 ? Protocol::http2 : Protocol::http1;
  CHECK(fixture.dial("https://tpu.example.com/")->stream().protocol() == expected);
  CHECK(fixture.dial("http://127.0.0.1/")->stream().protocol() == Protocol::http1);
}

TEST_CASE("the session cache is bounded") {
  TlsSessions sessions;
  const unsigned char id = 1;  // without one a session cannot be resumed
  for (std::size_t i = 0; i < TlsSessions::max_origins + 10; ++i) {
    SslSessionPtr session(SSL_SESSION_new());
    REQUIRE(SSL_SESSION_set1_id(session.get(), &id, 1) == 1);
    sessions.put(fmt::format("host{}:443", i), std::move(session));
  }
  CHECK(sessions.take("host0:443") == nullptr);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < TlsSessions::max_origins + 10; ++i) kept += sessions.take(fmt::format("host{}:443", i)) != nullptr;
  CHECK(kept == TlsSessions::max_origins);
}

TEST_CASE("a TLS dial may be destroyed with its stream still open") {
  auto fixture = std::make_unique<TlsFixture>();
  fixture->serve(CertifiedKey(CertificateRequest({"DNS:tpu.example.com"}), &fixture->ca));
  const auto outcome = fixture->dial("https://tpu.example.com/");
  CHECK(outcome->stream().is_open());
  fixture->dialer.reset();
  bool is_done = false;  // tickets arrive after their owner was destroyed
  asio::co_spawn(fixture->io, exchange_once(outcome->stream(), is_done), asio::detached);
  fixture->run_until([&] { return is_done; });
  outcome->result.reset();
}

TEST_CASE("the throttle admits a few per turn, first come first served") {
  asio::io_context io;
  const auto throttle = std::make_shared<LoopThrottle>(io.get_executor(), 2);
  AsyncEvent event;
  std::vector<std::unique_ptr<LoopThrottle::Ticket>> tickets;
  for (int i = 0; i < 7; ++i) {
    tickets.push_back(std::make_unique<LoopThrottle::Ticket>(event));
    throttle->enter(*tickets.back());
  }
  const auto granted = [&] {
    std::string text;
    for (const auto& ticket : tickets) text += !ticket ? 'x' : ticket->is_granted() ? '1' : '0';
    return text;
  };
  CHECK(granted() == "1100000");
  tickets[3].reset();  // cancelled while waiting
  io.run_one();
  CHECK(granted() == "111x100");
  io.run_one();
  CHECK(granted() == "111x111");
  io.run();
  io.restart();
  LoopThrottle::Ticket late(event);
  throttle->enter(late);
  CHECK(late.is_granted());
}

TEST_CASE("300 TLS dials at once") {
  TlsFixture fixture;
  fixture.serve(CertifiedKey(CertificateRequest({"DNS:tpu.example.com"}), &fixture.ca));
  std::vector<std::shared_ptr<DialOutcome>> outcomes;
  for (int i = 0; i < 300; ++i) outcomes.push_back(fixture.start("https://tpu.example.com/"));
  fixture.run_until([&] { return std::all_of(outcomes.begin(), outcomes.end(), [](const auto& outcome) { return outcome->is_done(); }); });
  for (const auto& outcome : outcomes) CHECK(outcome->stream().is_open());
  CHECK(fixture.server->connections_accepted() == 300);
  outcomes.clear();
  fixture.run_until([&] { return fixture.server->connections_open() == 0; });
}
