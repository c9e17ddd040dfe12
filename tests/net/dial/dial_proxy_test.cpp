// https through a proxy's CONNECT.
#include <fmt/format.h>

#include <asio/read_until.hpp>
#include <asio/streambuf.hpp>
#include <asio/write.hpp>
#include <catch2/catch.hpp>

#include "net/dial/dial_fixture.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// Answers the first request on the first connection with fixed bytes, and keeps what it was asked.
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
  std::string url() const { return fmt::format("http://127.0.0.1:{}", acceptor_.local_endpoint().port()); }
  std::string asked;
  bool closes = true;

 private:
  asio::ip::tcp::acceptor acceptor_;
  asio::ip::tcp::socket socket_;
  std::string answer_;
};

Failure dial_through(const std::string& answer, std::string* asked = nullptr) {
  DialFixture fixture;
  FakeProxy proxy(fixture.io, answer);
  fixture.network.proxy = proxy.url();
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
  CHECK(failure.phase() == Phase::handshake);  // the tunnel stood; then the fake hung up
}

TEST_CASE("a proxy's refusals are told apart") {
  const Failure forbidden = dial_through("HTTP/1.1 403 Forbidden\r\nX: y\r\n\r\n");
  CHECK(forbidden.code() == Errc::unreachable);
  CHECK(forbidden.last_status() == 403);
  CHECK(dial_through("HTTP/1.0 407 Who are you\r\n\r\n").hint().find("credentials") != std::string::npos);
  CHECK(dial_through("SSH-2.0-server\r\n\r\n").code() == Errc::malformed_response);
  CHECK(dial_through("HTTP/1.1 200 OK\r\n\r\nmore").code() == Errc::malformed_response);
  CHECK(dial_through("HTTP/1.1 200 OK\r\n").code() == Errc::unreachable);
  CHECK(dial_through(std::string(20000, 'x')).code() == Errc::malformed_response);
}

TEST_CASE("a proxy that keeps silent is a connect time-out, and a proxy is left aside when not allowed") {
  DialFixture fixture;
  FakeProxy proxy(fixture.io, "");
  proxy.closes = false;
  fixture.network.proxy = proxy.url();
  const auto outcome = fixture.start("https://tpu.example.com/");
  fixture.run_until([&] { return !proxy.asked.empty(); });
  fixture.advance_until([&] { return outcome->is_done(); });
  CHECK(outcome->failure().code() == Errc::connect_timeout);
  proxy.asked.clear();
  fixture.options.allow_proxy = false;
  CHECK(fixture.dial("https://127.0.0.1:9/")->failure().phase() == Phase::connect);
  CHECK(proxy.asked.empty());
}

TEST_CASE("a proxy that cannot be used is refused by its text") {
  DialFixture fixture;
  fixture.network.proxy = "socks5://127.0.0.1:1080";
  const Failure failure = fixture.dial("https://tpu.example.com/")->failure();
  check_failure(failure, Errc::invalid_argument, "socks5://127.0.0.1:1080");
}

TEST_CASE("a proxy's password is in no message") {
  DialFixture fixture;
  for (const char* const proxy : {"http://user:hush@127.0.0.1:1", "user:hush@127.0.0.1:1", "https://127.0.0.1:1/?hush"}) {
    fixture.network.proxy = proxy;
    const Failure failure = fixture.dial("https://tpu.example.com/")->failure();
    CHECK(failure.code() == Errc::invalid_argument);
    CHECK_THAT(failure.message(), Catch::Contains("127.0.0.1:1") && !Catch::Contains("hush"));
  }
}
