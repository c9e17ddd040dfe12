// TLS to a server through a proxy's tunnel, over real sockets: CONNECT and SOCKS5, the proxy itself plain or over TLS.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "net/dial/relay_proxy.hpp"
#include "net/http/http_client_fixture.hpp"
#include "support/certificates.hpp"
#include "support/dns_server.hpp"
#include "support/peers.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Answers with the path, after a body long enough for many TLS records.
asio::awaitable<void> say_path(ServerExchange& exchange) {
  HttpResponse response;
  response.status = 200;
  response.body = exchange.request().target;
  if (response.body == "/large") response.body = std::string(1 << 20, 'x');
  co_await exchange.reply(response);
}

// A client, a proxy and an https server for tpu.example.com, all on one loop.
class TunnelFixture {
 public:
  TunnelFixture()
      : ca(authority_request()), ca_file(ca.pem()), identity(CertificateRequest({"DNS:tpu.example.com", "DNS:other.test"}), &ca) {
    context = identity.server_context();
    port = server.listen("127.0.0.1", 0, [this](std::string_view) { return context.get(); }).value();
    network.ca_file = ca_file.path();
  }
  ~TunnelFixture() {
    if (http) http->close();
    http.reset();
    server.stop();
    for (int i = 0; i < 50; ++i) turn();
  }
  void turn() {
    loop.restart();
    loop.poll();
  }

  OutcomePtr get(const std::string& url, std::shared_ptr<const ServerAccess> access = nullptr, ExchangeOptions options = {}) {
    if (!http) http = make_http_transport(loop.get_executor(), timers, network);
    HttpRequest request;
    request.url = Url::parse(url).value();
    request.access = std::move(access);
    request.bearer = Secret<std::string>("a-token");
    auto outcome = std::make_shared<Outcome>();
    asio::co_spawn(loop, send_into(http, request, options, outcome), ended(outcome));
    loop.restart();
    while (!outcome->is_done()) {
      if (loop.run_one() == 0) FAIL("nothing is left to wait for");
    }
    INFO(outcome->what());
    return outcome;
  }
  std::string body(const std::string& url, std::shared_ptr<const ServerAccess> access = nullptr) {
    const OutcomePtr outcome = get(url, std::move(access));
    return outcome->result->has_value() ? (*outcome->result)->body : outcome->what();
  }

  asio::io_context loop{1};
  std::shared_ptr<FakeTime> time = std::make_shared<FakeTime>();
  std::shared_ptr<TimerQueue> timers = std::make_shared<TimerQueue>(time, loop.get_executor());
  CertifiedKey ca;
  TemporaryFile ca_file;
  CertifiedKey identity;
  TlsContextPtr context;
  HttpServer server{loop.get_executor(), say_path};
  NetworkOptions network;
  std::shared_ptr<HttpTransport> http;
  std::uint16_t port = 0;
};

class ProxyWatch final : public ExchangeObserver {
 public:
  void phase_started(Phase phase) noexcept override { seen += std::string(to_string(phase)) + " "; }
  void phase_finished(Phase) noexcept override {}
  void connection_chosen(bool is_reused) noexcept override { seen += is_reused ? "reused " : "new "; }
  void proxy_chosen(std::string_view proxy) noexcept override { seen += std::string(proxy) + " "; }
  std::string seen;
};

}  // namespace

TEST_CASE("requests go through the tunnel of a proxy of each kind, plain or over TLS, and use it again") {
  const auto [scheme, reported] = GENERATE(table<std::string, std::string>({
      {"http", "CONNECT tpu.example.com:443 HTTP/1.1\r\nHost: tpu.example.com:443\r\nProxy-Authorization: Basic bWU6aHVzaA==\r\n\r\n"},
      {"https", "CONNECT tpu.example.com:443 HTTP/1.1\r\nHost: tpu.example.com:443\r\nProxy-Authorization: Basic bWU6aHVzaA==\r\n\r\n"},
      {"socks5h", "me:hush@tpu.example.com:443"},
  }));
  INFO(scheme);
  TunnelFixture net;
  const CertifiedKey of_proxy(CertificateRequest({"IP:127.0.0.1"}), &net.ca);
  RelayProxy proxy(net.loop, net.port, scheme == "https" ? &of_proxy : nullptr);
  net.network.proxy = ProxySettings(proxy.url(scheme, "me:hush@"));
  CHECK(net.body("https://tpu.example.com/a") == "/a");
  CHECK(net.body("https://tpu.example.com/large").size() == 1 << 20);
  for (int i = 0; i < 20; ++i) CHECK(net.body("https://tpu.example.com/b") == "/b");
  CHECK(proxy.asked() == std::vector<std::string>{reported});
  // The proxy's address does not affect the checks of the server's.
  const OutcomePtr outcome = net.get("https://tpu.example.com/c");
  REQUIRE(outcome->result->has_value());
  CHECK((*outcome->result)->is_from_loopback == false);
}

TEST_CASE("a proxy's password in the names of a certificate at the end of its tunnel is shown nowhere") {
  TunnelFixture net;
  const std::string password = "correct-horse-battery-staple";
  const CertifiedKey other(CertificateRequest({"DNS:" + password + ".example", "DNS:x.test"}), &net.ca);
  net.context = other.server_context();
  RelayProxy proxy(net.loop, net.port);
  net.network.proxy = ProxySettings(proxy.url("http", "user:" + password + "@"));
  const std::string reported = net.body("https://tpu.example.com/a");
  CHECK_THAT(reported, Catch::Contains("x.test") && Catch::Contains("***") && !Catch::Contains(password.substr(0, 12)));
}

TEST_CASE("a proxy that gets addresses gets the first that is valid on another machine") {
  TunnelFixture net;
  DnsServer dns(net.loop);
  net.network.dns_servers = {dns.where()};
  RelayProxy proxy(net.loop, net.port);
  net.network.proxy = ProxySettings(proxy.url("socks5"));
  SECTION("found") {
    dns.name("tpu.example.com").address("192.0.2.7");
    CHECK(net.body("https://tpu.example.com/a") == "/a");
    CHECK(proxy.asked() == std::vector<std::string>{"192.0.2.7.:443"});
  }
  SECTION("this machine, to which it cannot lead") {
    dns.name("tpu.example.com").address("127.0.0.1");
    const OutcomePtr outcome = net.get("https://tpu.example.com/a");
    CHECK(outcome->code() == Errc::failed_precondition);
    CHECK_THAT(outcome->what(), Catch::Contains("this machine or a link-local address (127.0.0.1)") && Catch::Contains("NO_PROXY"));
    CHECK(proxy.asked().empty());
  }
  SECTION("unknown") {
    const OutcomePtr outcome = net.get("https://tpu.example.com/a");
    CHECK(outcome->code() == Errc::unknown_host);
    CHECK_THAT(outcome->result->error().hint(), Catch::Contains("NetworkOptions::proxy is socks5") && Catch::Contains("write socks5h"));
    CHECK(proxy.asked().empty());
  }
}

TEST_CASE("a server's own proxy leads to loopback addresses, those of the proxy's machine, if the setting says so") {
  const std::string scheme = GENERATE("http", "socks5h");
  TunnelFixture net;
  const CertifiedKey of_loopback(CertificateRequest({"IP:127.0.0.1", "DNS:localhost"}), &net.ca);
  net.context = of_loopback.server_context();
  RelayProxy proxy(net.loop, net.port);
  auto access = std::make_shared<ServerAccess>();
  access->proxy = Secret<std::string>(proxy.url(scheme));
  access->proxies_near_hosts = true;
  const ClosedPort closed;
  CHECK(net.body(fmt::format("https://127.0.0.1:{}/a", closed.port()), access) == "/a");
  CHECK(net.body(fmt::format("https://localhost:{}/b", closed.port()), access) == "/b");
  CHECK(proxy.asked().size() == 2);
  // No setting makes an exception of it.
  access->proxy = Secret<std::string>(fmt::format("http://127.0.0.1:{}", closed.port()));
  CHECK_THAT(net.body("https://tpu.example.com/c", access), Catch::Contains("leave that setting out: NO_PROXY is not for it"));
}

TEST_CASE("a server's authorities verify the https proxy that is named beside it") {
  TunnelFixture net;
  const CertifiedKey other_ca(authority_request());
  const CertifiedKey of_proxy(CertificateRequest({"IP:127.0.0.1"}), &net.ca);
  RelayProxy proxy(net.loop, net.port, &of_proxy);
  auto access = std::make_shared<ServerAccess>();
  access->proxy = Secret<std::string>(proxy.url("https"));
  access->authorities = net.ca.pem();
  access->authorities_from = "the authority of 'k'";
  const TemporaryFile other_file(other_ca.pem());
  net.network.ca_file = other_file.path();
  CHECK(net.body("https://tpu.example.com/a", access) == "/a");
  auto foreign = std::make_shared<ServerAccess>(*access);
  foreign->authorities = other_ca.pem();
  CHECK_THAT(net.body("https://tpu.example.com/b", foreign),
             Catch::Contains("the proxy 'https://127.0.0.1:") && Catch::Contains("cannot be trusted"));
  auto unverified = std::make_shared<ServerAccess>(*access);
  unverified->authorities.clear();
  unverified->skips_verification = true;
  CHECK(net.body("https://tpu.example.com/c", unverified) == "/c");
}

TEST_CASE("connections through different proxies, and past them, are never shared") {
  TunnelFixture net;
  RelayProxy common(net.loop, net.port);
  RelayProxy one(net.loop, net.port);
  RelayProxy two(net.loop, net.port);
  net.network.proxy = ProxySettings(common.url("http"));
  const auto by = [](const RelayProxy& proxy, const std::string& credentials) {
    auto access = std::make_shared<ServerAccess>();
    access->proxy = Secret<std::string>(proxy.url("http", credentials));
    return access;
  };
  for (int i = 0; i < 2; ++i) {
    CHECK(net.body("https://tpu.example.com/") == "/");
    CHECK(net.body("https://tpu.example.com/", by(one, "")) == "/");
    CHECK(net.body("https://tpu.example.com/", by(two, "")) == "/");
    CHECK(net.body("https://tpu.example.com/", by(two, "me:hush@")) == "/");
  }
  CHECK(common.asked().size() == 1);
  CHECK(one.asked().size() == 1);
  CHECK(two.asked().size() == 2);
  CHECK(net.server.connections_accepted() == 4);
  // Directly to the server, whose address the rule uses for the name.
  ExchangeOptions direct;
  direct.allow_proxy = false;
  CHECK(net.get("https://tpu.example.com/", nullptr, direct)->result->has_error());
  CHECK(net.server.connections_accepted() == 4);
}

TEST_CASE("the observer of an exchange gets the proxy without its password") {
  TunnelFixture net;
  RelayProxy proxy(net.loop, net.port);
  net.network.proxy = ProxySettings(proxy.url("http", "me:hush@"));
  ProxyWatch watch;
  ExchangeOptions options;
  options.observer = &watch;
  CHECK(net.get("https://tpu.example.com/", nullptr, options)->result->has_value());
  CHECK(net.get("https://tpu.example.com/", nullptr, options)->result->has_value());
  CHECK(watch.seen == fmt::format("new http://127.0.0.1:{} connect connect handshake response reused response ", proxy.port()));
}

TEST_CASE("a certificate is checked at the end of the tunnel, and so is the proxy's own") {
  TunnelFixture net;
  SECTION("the server's, for its name") {
    RelayProxy proxy(net.loop, net.port);
    net.network.proxy = ProxySettings(proxy.url("http"));
    const OutcomePtr outcome = net.get("https://wrong.test/");
    CHECK(outcome->code() == Errc::tls_failed);
    CHECK_THAT(outcome->what(), Catch::Contains("is for tpu.example.com, other.test, not for wrong.test"));
  }
  SECTION("the proxy's, for its address") {
    const CertifiedKey of_proxy(CertificateRequest({"DNS:proxy.test"}), &net.ca);
    RelayProxy proxy(net.loop, net.port, &of_proxy);
    net.network.proxy = ProxySettings(proxy.url("https", "me:hush@"));
    const OutcomePtr outcome = net.get("https://tpu.example.com/");
    CHECK(outcome->code() == Errc::tls_failed);
    CHECK_THAT(outcome->what(), Catch::Contains("the proxy 'https://127.0.0.1:") &&
                                    Catch::Contains("is for proxy.test, not for 127.0.0.1") && !Catch::Contains("hush"));
    CHECK(proxy.asked().empty());
  }
  SECTION("a proxy that speaks no TLS") {
    HttpServer plain(net.loop.get_executor(), say_path);
    const std::uint16_t port = plain.listen("127.0.0.1", 0).value();
    net.network.proxy = ProxySettings(fmt::format("https://127.0.0.1:{}", port));
    CHECK_THAT(net.get("https://tpu.example.com/")->what(),
               Catch::Contains("cannot be reached") && Catch::Contains("does not speak TLS on this port"));
  }
}
