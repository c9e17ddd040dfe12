// Requests to proxies, and how their answers are handled. See dial_tunnel_test.cpp for open tunnels.
#include <fmt/format.h>

#include <asio/read_until.hpp>
#include <asio/streambuf.hpp>
#include <asio/write.hpp>
#include <catch2/catch.hpp>

#include "net/dial/dial_fixture.hpp"
#include "support/peers.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Answers the first request on the first connection with fixed bytes, and records it.
class FakeProxy {
 public:
  FakeProxy(asio::io_context& io, std::string answer)
      : acceptor_(io, asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), 0)), socket_(io), answer_(std::move(answer)) {
    acceptor_.async_accept(socket_, [this](std::error_code error) {
      if (error) return;
      asio::async_read_until(socket_, asio::dynamic_buffer(asked), "\r\n\r\n", [this](std::error_code failed, std::size_t) {
        if (failed) return;
        asio::write(socket_, asio::buffer(answer_), failed);
        if (closes) socket_.close(failed);
      });
    });
  }
  std::string url(const std::string& credentials = "") const {
    return fmt::format("http://{}127.0.0.1:{}", credentials, acceptor_.local_endpoint().port());
  }
  std::string asked;
  bool closes = true;

 private:
  asio::ip::tcp::acceptor acceptor_;
  asio::ip::tcp::socket socket_;
  std::string answer_;
};

Failure dial_through(const std::string& answer, std::string* asked = nullptr, const std::string& credentials = "") {
  DialFixture fixture;
  FakeProxy proxy(fixture.io, answer);
  fixture.network.proxy = ProxySettings(proxy.url(credentials));
  const Failure failure = fixture.dial("https://tpu.example.com/")->failure();
  if (asked) *asked = proxy.asked;
  UNSCOPED_INFO(failure.message());
  return failure;
}

}  // namespace

TEST_CASE("a proxy is asked for a tunnel to the host, whose name it resolves itself") {
  std::string asked;
  const Failure failure = dial_through("HTTP/1.1 200 Connection established\r\n\r\n", &asked);
  CHECK(asked == "CONNECT tpu.example.com:443 HTTP/1.1\r\nHost: tpu.example.com:443\r\n\r\n");
  CHECK(failure.phase() == Phase::handshake);  // the tunnel was open; then the fake closed it
}

TEST_CASE("a proxy's refusals are distinguished") {
  const Failure forbidden = dial_through("HTTP/1.1 403 Forbidden\r\nX: y\r\n\r\n");
  CHECK(forbidden.code() == Errc::permission_denied);
  CHECK(forbidden.last_status() == 403);
  CHECK(forbidden.phase() == Phase::connect);
  CHECK(forbidden.target() == "https://tpu.example.com");
  CHECK_THAT(forbidden.what(), Catch::StartsWith("the proxy 'http://127.0.0.1:") && Catch::Contains("tunnel to 'tpu.example.com:443'"));
  CHECK(dial_through("HTTP/1.0 407 Who are you\r\n\r\n").code() == Errc::unauthenticated);
  CHECK(dial_through("SSH-2.0-server\r\n\r\n").code() == Errc::malformed_response);
  CHECK(dial_through("HTTP/1.1 200 OK\r\n\r\nmore").code() == Errc::malformed_response);
  CHECK(dial_through("HTTP/1.1 200 OK\r\n").code() == Errc::unreachable);
  CHECK(dial_through(std::string(20000, 'x')).code() == Errc::malformed_response);
}

TEST_CASE("a user and a password are sent as Basic credentials and shown nowhere") {
  std::string asked;
  const Failure failure = dial_through("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=x\r\n\r\n", &asked, "al%20ice:hu%3Ash@");
  // base64 of "al ice:hu:sh", by coreutils.
  CHECK(asked ==
        "CONNECT tpu.example.com:443 HTTP/1.1\r\nHost: tpu.example.com:443\r\n"
        "Proxy-Authorization: Basic YWwgaWNlOmh1OnNo\r\n\r\n");
  CHECK(failure.code() == Errc::unauthenticated);
  CHECK_THAT(failure.message(), Catch::Contains("does not accept the user and the password in NetworkOptions::proxy") &&
                                    !Catch::Contains("hu:sh") && !Catch::Contains("YWwg") && !Catch::Contains("ice"));
}

TEST_CASE("a host name with a line break gets into no proxy's request") {
  DialFixture fixture;
  FakeProxy proxy(fixture.io, "HTTP/1.1 200 OK\r\n\r\n");
  fixture.network.proxy = ProxySettings(proxy.url());
  ConnectTo rule;
  rule.from_host = "tpu.example.com";
  rule.to_host = "evil\r\nX-Injected: 1";
  fixture.network.connect_to.push_back(rule);
  const Failure failure = fixture.dial("https://tpu.example.com/")->failure();
  CHECK(failure.code() == Errc::invalid_argument);
  CHECK_THAT(failure.what(), Catch::Contains("is no host that a proxy can be asked for"));
  CHECK(proxy.asked.find("CONNECT") == std::string::npos);
}

TEST_CASE("an unreachable proxy is reported as such, with the source of the setting") {
  DialFixture fixture;
  const ClosedPort closed;
  ProxySettings settings(fmt::format("http://u:hush@127.0.0.1:{}", closed.port()));
  settings.from = "HTTPS_PROXY";
  fixture.network.proxy = settings;
  const Failure failure = fixture.dial("https://tpu.example.com/")->failure();
  CHECK(failure.code() == Errc::unreachable);
  CHECK_THAT(failure.what(),
             Catch::StartsWith(fmt::format("the proxy 'http://127.0.0.1:{}' (HTTPS_PROXY) cannot be reached", closed.port())));
  CHECK_THAT(failure.hint(), Catch::Contains("NO_PROXY"));
  CHECK_THAT(failure.message(), !Catch::Contains("hush"));
}

TEST_CASE("a silent proxy is a connect time-out, and a proxy is skipped when not allowed") {
  DialFixture fixture;
  FakeProxy proxy(fixture.io, "");
  proxy.closes = false;
  fixture.network.proxy = ProxySettings(proxy.url());
  const auto outcome = fixture.start("https://tpu.example.com/");
  fixture.run_until([&] { return !proxy.asked.empty(); });
  fixture.advance_until([&] { return outcome->is_done(); });
  CHECK(outcome->failure().code() == Errc::connect_timeout);
  proxy.asked.clear();
  fixture.options.allow_proxy = false;
  CHECK(fixture.dial("https://127.0.0.1:9/")->failure().phase() == Phase::connect);
  CHECK(proxy.asked.empty());
}

TEST_CASE("neither this machine, nor exceptions, nor plain http is reached by way of a proxy") {
  const auto [url, exceptions, is_asked] = GENERATE(table<std::string, std::string, bool>({
      {"https://tpu.example.com/", "", true},
      {"https://tpu.example.com/", "other.example.com", true},
      {"https://tpu.example.com/", ".example.com", false},
      {"https://tpu.example.com/", "example.com:443", false},
      {"https://tpu.example.com:8443/", "example.com:443", true},
      {"https://tpu.example.com/", "*", false},
      {"https://10.255.255.1/", "10.0.0.0/8", false},
      {"http://tpu.example.com/", "", false},
      {"https://localhost/", "", false},
      {"https://127.0.0.1/", "", false},
      {"https://[::1]/", "", false},
      {"https://169.254.169.254/", "", false},
      {"https://[fe80::1]/", "", false},
      {"https://[fd00:ec2::254]/", "", false},
      {"https://metadata.google.internal/", "", false},
      {"https://mapped-to-loopback.test/", "", false},
  }));
  INFO(url << " except " << exceptions);
  DialFixture fixture;
  fixture.network.connect_to.push_back(ConnectTo::parse("mapped-to-loopback.test::127.0.0.1:").value());
  fixture.network.proxy = ProxySettings("http://127.0.0.1:9", exceptions);
  CHECK(fixture.the_dialer().takes_proxy(Url::parse(url).value(), fixture.options, nullptr) == is_asked);
  // A proxy for a single server has no exceptions except hosts that are never reached through a proxy.
  ServerAccess access;
  access.proxy = Secret<std::string>("socks5h://127.0.0.1:9");
  const bool is_excepted_by_list = url != "http://tpu.example.com/" && !exceptions.empty();
  CHECK(fixture.the_dialer().takes_proxy(Url::parse(url).value(), fixture.options, &access) == (is_asked || is_excepted_by_list));
  // That of a kubeconfig leads to all hosts, except by a connect-to rule.
  access.proxies_near_hosts = true;
  const bool is_led_elsewhere = url.starts_with("http:") || url.find("mapped") != std::string::npos;
  CHECK(fixture.the_dialer().takes_proxy(Url::parse(url).value(), fixture.options, &access) != is_led_elsewhere);
  fixture.options.allow_proxy = false;
  CHECK_FALSE(fixture.the_dialer().takes_proxy(Url::parse(url).value(), fixture.options, &access));
}

TEST_CASE("an unusable proxy is refused, with the source of the setting and without its text") {
  DialFixture fixture;
  for (const char* const proxy : {"ftp://user:hush@127.0.0.1:1", "http://127.0.0.1:hush", "https://127.0.0.1:1/?hush", "http://:hush@p"}) {
    fixture.network.proxy = ProxySettings(proxy);
    fixture.dialer.reset();
    const Failure failure = fixture.dial("https://tpu.example.com/")->failure();
    CHECK(failure.code() == Errc::invalid_argument);
    CHECK_THAT(failure.message(), Catch::Contains("NetworkOptions::proxy names no proxy") && !Catch::Contains("hush"));
    CHECK(fixture.dial("https://127.0.0.1:9/")->failure().code() == Errc::unreachable);  // which needs none
  }
}
