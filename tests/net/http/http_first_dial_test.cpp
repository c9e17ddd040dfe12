// The first dial to an https host: it alone negotiates the protocol, and those that wait for it lose nothing when it fails or is slow. Time
// is virtual.
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "net/http/first_dial.hpp"
#include "net/http/http_client_fixture.hpp"
#include "support/certificates.hpp"
#include "support/dns_server.hpp"
#include "support/peers.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

constexpr std::size_t burst_size = 20;

// An https server, and the client of HttpFixture, which trusts it.
class BurstFixture {
 public:
  explicit BurstFixture(NetworkOptions options = {}) : ca(authority_request()), ca_file(ca.pem()), net(echo, with_ca(std::move(options))) {
    const CertifiedKey identity(CertificateRequest({"DNS:localhost", "IP:127.0.0.1"}), &ca);
    context = identity.server_context();
    server.emplace(net.server_loop.get_executor(), echo);
    port = server->listen("127.0.0.1", 0, [this](std::string_view) { return context.get(); }).value();
  }
  ~BurstFixture() {
    net.http->close();
    server->stop();
    for (int i = 0; i < 20; ++i) net.turn();
  }

  OutcomePtr start(std::uint16_t at, ExchangeOptions options = {}, const std::string& host = "127.0.0.1") {
    HttpRequest request = net.request("/", host);
    request.url.is_https = true;
    request.url.port = at;
    return net.start(std::move(request), options);
  }
  std::vector<OutcomePtr> burst(std::uint16_t at, const std::string& host = "127.0.0.1") {
    std::vector<OutcomePtr> all;
    for (std::size_t i = 0; i < burst_size; ++i) all.push_back(start(at, {}, host));
    return all;
  }
  void finish(const std::vector<OutcomePtr>& all) {
    for (const OutcomePtr& one : all) CHECK(net.finish(one)->what() == "status 200");
  }
  // The client goes on without the server.
  void poll_client() {
    net.loop.restart();
    while (net.loop.poll() > 0) net.loop.restart();
  }
  std::size_t dials_of(std::size_t requests) {
    const std::size_t before = server->connections_accepted();
    std::vector<OutcomePtr> all;
    for (std::size_t i = 0; i < requests; ++i) all.push_back(start(port));
    poll_client();
    net.server_loop.restart();
    net.server_loop.poll();
    const std::size_t dials = server->connections_accepted() - before;
    finish(all);
    return dials;
  }
  // Seconds until all have failed with `code`; time advances from alarm to alarm.
  double fail_all(const std::vector<OutcomePtr>& all, Errc code, const std::string& text) {
    const SteadyTime begun = net.time->now();
    const auto is_over = [&all] { return std::all_of(all.begin(), all.end(), [](const OutcomePtr& one) { return one->is_done(); }); };
    while (!is_over()) {
      if (net.turn() > 0) continue;
      const auto next = net.time->next_alarm();
      REQUIRE(next);
      net.time->advance_to(*next);
    }
    for (const OutcomePtr& one : all) {
      CHECK(one->code() == code);
      CHECK_THAT(one->what(), Catch::Contains(text));
    }
    return std::chrono::duration<double>(net.time->now() - begun).count();
  }

  CertifiedKey ca;
  TemporaryFile ca_file;
  TlsContextPtr context;
  HttpFixture net;
  std::optional<HttpServer> server;
  std::uint16_t port = 0;

 private:
  NetworkOptions with_ca(NetworkOptions options) const {
    options.ca_file = ca_file.path();
    return options;
  }
};

// Never answers; counts its clients, and keeps them until the end.
class CountingPeer : public MutePeer {
 public:
  ~CountingPeer() {
    for (const int one : accepted_) ::close(one);
  }
  // The new ones.
  std::size_t accept_all() {
    const std::size_t before = accepted_.size();
    for (int one = 0; one >= 0;) {
      one = ::accept(descriptor(), nullptr, nullptr);
      if (one >= 0) accepted_.push_back(one);
    }
    return accepted_.size() - before;
  }

 private:
  std::vector<int> accepted_;
};

// Certificates that the server has sent: one in each handshake that resumes no session.
void count_certificates(int is_sent, int, int content, const void* bytes, std::size_t size, SSL*, void* count) {
  const bool is_certificate = content == SSL3_RT_HANDSHAKE && size > 0 && *static_cast<const unsigned char*>(bytes) == SSL3_MT_CERTIFICATE;
  if (is_sent != 0 && is_certificate) ++*static_cast<std::size_t*>(count);
}

}  // namespace

TEST_CASE("of a burst at an https host one dials first, then all at once, and resume its session") {
  BurstFixture https;
  std::size_t certificates = 0;
  SSL_CTX_set_msg_callback(https.context.get(), count_certificates);
  SSL_CTX_set_msg_callback_arg(https.context.get(), &certificates);
  CHECK(https.dials_of(burst_size) == 1);
  CHECK(https.server->connections_accepted() > burst_size / 2);
  CHECK(certificates <= https.server->connections_accepted() / 2);
  CHECK(https.net.time->alarms() == 0);
}

TEST_CASE("the protocol of an https host is remembered for ten minutes without connections") {
  BurstFixture https;
  CHECK(https.dials_of(3) == 1);
  https.net.time->advance(std::chrono::minutes(9));
  CHECK(https.dials_of(3) == 3);
  https.net.time->advance(std::chrono::minutes(10));
  CHECK(https.dials_of(3) == 1);
}

TEST_CASE("a burst at an https host that is silent fails no later than one request") {
  BurstFixture https;
  CountingPeer mute;
  const FullPeer full;
  CHECK(https.fail_all(https.burst(mute.port()), Errc::handshake_timeout, "took longer than 5s") == 5);
  CHECK(mute.accept_all() == burst_size);
  CHECK(https.fail_all(https.burst(full.port()), Errc::connect_timeout, "took longer than 5s") == 5);
}

TEST_CASE("a burst at an https host whose name servers are silent fails no later than one request") {
  asio::io_context dns_loop;
  DnsServer dns(dns_loop);
  dns.name("silent.test").silent();
  NetworkOptions options;
  options.dns_servers = {dns.where()};
  BurstFixture https(options);
  CHECK(https.fail_all(https.burst(443, "silent.test"), Errc::resolve_timeout, "took longer than 5s") == 5);
}

TEST_CASE("a burst at an https host that refuses fails for each by its own dial") {
  const ClosedPort closed;
  BurstFixture https;
  CHECK(https.fail_all(https.burst(closed.port()), Errc::unreachable, "could not connect") == 0);
}

TEST_CASE("when the request of a first dial is cancelled the next one dials, and the others wait no longer than before") {
  BurstFixture https;
  CountingPeer mute;
  const auto all = https.burst(mute.port());
  https.poll_client();
  CHECK(mute.accept_all() == 1);
  https.net.time->advance(std::chrono::milliseconds(600));
  for (std::size_t i = 0; i < 2; ++i) {
    all[i]->signal.emit(asio::cancellation_type::terminal);
    https.poll_client();
    CHECK(all[i]->code() == Errc::cancelled);
    CHECK(mute.accept_all() == 1);
  }
  https.net.time->advance(std::chrono::milliseconds(399));
  https.poll_client();
  CHECK(mute.accept_all() == 0);
  https.net.time->advance(std::chrono::milliseconds(1));
  https.poll_client();
  CHECK(mute.accept_all() == burst_size - 3);
  const std::vector<OutcomePtr> rest(all.begin() + 2, all.end());
  CHECK(https.fail_all(rest, Errc::handshake_timeout, "took longer than 5s") == 4);  // since the request, not the dial
}

TEST_CASE("when the request of a first dial is cancelled the next one's dial serves the others") {
  BurstFixture https;
  auto all = https.burst(https.port);
  https.poll_client();
  all.front()->signal.emit(asio::cancellation_type::terminal);
  https.poll_client();
  all.erase(all.begin());
  const std::size_t before = https.server->connections_accepted();
  https.net.server_loop.restart();
  https.net.server_loop.poll();
  CHECK(https.server->connections_accepted() - before <= 2);  // the cancelled one, too
  https.finish(all);
  CHECK(https.net.time->alarms() == 0);
}

TEST_CASE("when all requests that wait for a first dial are cancelled nothing is left of it") {
  BurstFixture https;
  CountingPeer mute;
  const auto all = https.burst(mute.port());
  https.poll_client();
  for (const OutcomePtr& one : all) one->signal.emit(asio::cancellation_type::terminal);
  https.poll_client();
  for (const OutcomePtr& one : all) CHECK(one->code() == Errc::cancelled);
  CHECK(https.net.time->alarms() == 0);
  CHECK(https.net.is_idle());
}

TEST_CASE("the one with the least time decides how long a first dial is waited for") {
  BurstFixture https;
  CountingPeer mute;
  std::vector<OutcomePtr> all{https.start(mute.port()), https.start(mute.port())};
  ExchangeOptions hasty;
  hasty.deadline = https.net.time->now() + std::chrono::milliseconds(400);
  all.push_back(https.start(mute.port(), hasty));
  https.poll_client();
  CHECK(mute.accept_all() == 1);
  https.net.time->advance(std::chrono::milliseconds(99));
  https.poll_client();
  CHECK(mute.accept_all() == 0);
  https.net.time->advance(std::chrono::milliseconds(1));
  https.poll_client();
  CHECK(mute.accept_all() == 2);
}

TEST_CASE("the patience with a first dial is a quarter of the shortest limit, and a second at most") {
  const SteadyTime now{std::chrono::hours(1)};
  ExchangeOptions options;
  CHECK(patience_with_first_dial(options, now) == std::chrono::seconds(1));
  options.handshake_timeout = std::chrono::seconds(2);
  CHECK(patience_with_first_dial(options, now) == std::chrono::milliseconds(500));
  options.connect_timeout = Duration::zero();  // no limit
  CHECK(patience_with_first_dial(options, now) == std::chrono::milliseconds(500));
  options.deadline = now + std::chrono::milliseconds(40);
  CHECK(patience_with_first_dial(options, now) == std::chrono::milliseconds(10));
}
