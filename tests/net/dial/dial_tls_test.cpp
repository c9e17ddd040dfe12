// TLS dials: what is refused and how that is explained, resumption, the handshake gate, many at once.
#include <fmt/format.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "net/dial/dial_fixture.hpp"
#include "net/socket/loop_throttle.hpp"
#include "net/tls/tls_sessions.hpp"
#include "rollcall/runtime.hpp"
#include "support/certificates.hpp"
#include "support/peers.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

asio::awaitable<void> say_ok(ServerExchange& exchange) {
  HttpResponse response;
  response.status = 200;
  co_await exchange.reply(response);
}

// A server for tpu.example.com with a certificate of choice; clients trust `ca`.
class TlsFixture : public DialFixture {
 public:
  TlsFixture() : ca(authority_request()), ca_file(ca.pem()) { network.ca_file = ca_file.path(); }
  void serve(const Identity& identity) {
    context = identity.server_context();
    server = std::make_unique<HttpServer>(io.get_executor(), say_ok);
    const std::uint16_t port = server->listen("127.0.0.1", 0, [this](std::string_view) { return context.get(); }).value();
    network.connect_to.push_back(ConnectTo::parse(fmt::format("::127.0.0.1:{}", port)).value());
  }
  Failure refused(const std::string& url = "https://tpu.example.com/") {
    const Failure failure = dial(url)->failure();
    INFO(failure.message());
    CHECK(failure.code() == Errc::tls_failed);
    CHECK(failure.phase() == Phase::handshake);
    CHECK(failure.target() == url.substr(0, url.size() - 1));
    return failure;
  }
  static bool has(const std::string& text, const std::string& part) {
    UNSCOPED_INFO(text);
    return text.find(part) != std::string::npos;
  }

  Identity ca;
  TemporaryFile ca_file;
  TlsContextPtr context;
  std::unique_ptr<HttpServer> server;
};

// Sends an answer over a stream and reads what comes back, so that session tickets are seen.
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

TEST_CASE("an expired certificate is refused with its date") {
  TlsFixture fixture;
  CertificateRequest request({"DNS:tpu.example.com"});
  request.valid_from = -7200;
  request.valid_to = -3600;
  request.common_name = "old server";
  fixture.serve(Identity(request, &fixture.ca));
  CHECK(TlsFixture::has(fixture.refused().what(), "the certificate of CN = old server expired on 20"));
}

TEST_CASE("a certificate that is not valid yet is refused with its date") {
  TlsFixture fixture;
  CertificateRequest request({"DNS:tpu.example.com"});
  request.valid_from = 3600;
  fixture.serve(Identity(request, &fixture.ca));
  const Failure failure = fixture.refused();
  CHECK(TlsFixture::has(failure.what(), "is not valid before 20"));
  CHECK(TlsFixture::has(failure.hint(), "clock"));
}

TEST_CASE("a certificate of another host is refused with its names, a few of them") {
  TlsFixture fixture;
  std::vector<std::string> names{"DNS:a.example.com", "IP:10.0.0.1", "IP:fd00::1"};
  for (int i = 0; i < 50; ++i) names.push_back(fmt::format("DNS:n{}.example.com", i));
  fixture.serve(Identity(CertificateRequest(names), &fixture.ca));
  const std::string what = fixture.refused().what();
  CHECK(TlsFixture::has(what,
                        "its certificate is for a.example.com, 10.0.0.1, fd00:0:0:0:0:0:0:1, n0.example.com, n1.example.com and 48 more"));
  CHECK(TlsFixture::has(what, "not for tpu.example.com"));
  CHECK_FALSE(fixture.refused().hint().empty());
}

TEST_CASE("a name with terminal escapes in a certificate is printed harmlessly") {
  TlsFixture fixture;
  CertificateRequest request;
  request.common_name = "evil\x1b[2Jname";
  fixture.serve(Identity(request, &fixture.ca));
  const std::string what = fixture.refused().what();
  CHECK(what.find('\x1b') == std::string::npos);
  CHECK(TlsFixture::has(what, "evil"));
}

TEST_CASE("an address is checked as an address") {
  TlsFixture fixture;
  fixture.serve(Identity(CertificateRequest({"IP:127.0.0.1", "IP:::1"}), &fixture.ca));
  CHECK(fixture.dial("https://127.0.0.1/")->stream().is_tls());
  CHECK(fixture.dial("https://[::1]/")->stream().is_tls());
  CHECK(TlsFixture::has(fixture.refused("https://127.0.0.2/").what(), "is for 127.0.0.1, 0:0:0:0:0:0:0:1, not for 127.0.0.2"));
}

TEST_CASE("an unknown authority is refused with a hint") {
  TlsFixture fixture;
  const Identity other(authority_request("Other CA"));
  fixture.serve(Identity(CertificateRequest({"DNS:tpu.example.com"}), &other));
  const Failure failure = fixture.refused();
  CHECK(TlsFixture::has(failure.what(), "issued by an unknown authority (CN = Other CA)"));
  CHECK(TlsFixture::has(failure.hint(), "CA file"));
}

TEST_CASE("without a CA file the system decides, and the hint names the option") {
  TlsFixture fixture;
  fixture.network.ca_file.clear();
  fixture.serve(Identity(CertificateRequest({"DNS:tpu.example.com"}), &fixture.ca));
  CHECK(TlsFixture::has(fixture.refused().hint(), "--ca FILE"));
}

TEST_CASE("a self-signed certificate is refused unless it is the CA file") {
  TlsFixture fixture;
  const Identity self(CertificateRequest({"DNS:tpu.example.com"}));
  fixture.serve(self);
  SECTION("refused") {
    const Failure failure = fixture.refused();
    CHECK(TlsFixture::has(failure.what(), "is self-signed"));
    CHECK(TlsFixture::has(failure.hint(), "--ca FILE"));
  }
  SECTION("trusted by file") {
    const TemporaryFile file(self.pem());
    fixture.network.ca_file = file.path();
    CHECK(fixture.dial("https://tpu.example.com./")->stream().is_tls());
  }
}

TEST_CASE("an unusable CA file is named") {
  TlsFixture fixture;
  fixture.serve(Identity(CertificateRequest({"DNS:tpu.example.com"}), &fixture.ca));
  const TemporaryFile not_pem("this is no certificate");
  const TemporaryFile empty("");
  const std::string missing = not_pem.path() + "-missing";
  for (const std::string& path : {missing, not_pem.path(), empty.path(), std::string("/")}) {
    fixture.network.ca_file = path;
    fixture.dialer.reset();
    const Failure failure = fixture.dial("https://tpu.example.com/")->failure();
    INFO(failure.message());
    check_failure(failure, Errc::invalid_argument, path);
    CHECK(check_ca_file(path).error().what() == failure.what());
    // Before anybody is asked: there, nobody listens.
    CHECK(fixture.dial("https://127.0.0.1:9/")->failure().what() == failure.what());
  }
  const TemporaryFile good(fixture.ca.pem());
  CHECK(check_ca_file(good.path()).has_value());
}

TEST_CASE("a server that speaks no TLS, or no TLS that is safe, or not for that name") {
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
  fixture.serve(Identity(CertificateRequest({"DNS:tpu.example.com", "DNS:other.example.com"}), &fixture.ca));
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

TEST_CASE("the session cache is bounded") {
  TlsSessions sessions;
  for (std::size_t i = 0; i < TlsSessions::max_origins + 10; ++i)
    sessions.put(fmt::format("host{}:443", i), SslSessionPtr(SSL_SESSION_new()));
  CHECK(sessions.origins() == TlsSessions::max_origins);
  CHECK(sessions.take("host0:443") == nullptr);
}

TEST_CASE("a TLS dial may be destroyed with its stream still open") {
  auto fixture = std::make_unique<TlsFixture>();
  fixture->serve(Identity(CertificateRequest({"DNS:tpu.example.com"}), &fixture->ca));
  const auto outcome = fixture->dial("https://tpu.example.com/");
  CHECK(outcome->stream().is_open());
  fixture->dialer.reset();
  bool is_done = false;  // tickets arrive after their owner is gone
  asio::co_spawn(fixture->io, exchange_once(outcome->stream(), is_done), asio::detached);
  fixture->run_until([&] { return is_done; });
  outcome->result.reset();
}

TEST_CASE("the gate admits a few per turn, first come first served") {
  asio::io_context io;
  const auto gate = std::make_shared<LoopThrottle>(io.get_executor(), 2);
  AsyncEvent waiter;
  std::vector<std::unique_ptr<LoopThrottle::Ticket>> tickets;
  for (int i = 0; i < 7; ++i) {
    tickets.push_back(std::make_unique<LoopThrottle::Ticket>(waiter));
    gate->enter(*tickets.back());
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
  LoopThrottle::Ticket late(waiter);
  gate->enter(late);
  CHECK(late.is_granted());
}

TEST_CASE("300 TLS dials at once") {
  TlsFixture fixture;
  fixture.serve(Identity(CertificateRequest({"DNS:tpu.example.com"}), &fixture.ca));
  std::vector<std::shared_ptr<DialOutcome>> outcomes;
  for (int i = 0; i < 300; ++i) outcomes.push_back(fixture.start("https://tpu.example.com/"));
  fixture.run_until([&] { return std::all_of(outcomes.begin(), outcomes.end(), [](const auto& outcome) { return outcome->is_done(); }); });
  for (const auto& outcome : outcomes) CHECK(outcome->stream().is_open());
  CHECK(fixture.server->connections_accepted() == 300);
  outcomes.clear();
  fixture.run_until([&] { return fixture.server->connections_open() == 0; });
}
