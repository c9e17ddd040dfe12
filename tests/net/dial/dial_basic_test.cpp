// Dials that succeed: plain and TLS, by address, by name and by the connect-to map.
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>

#include <catch2/catch.hpp>

#include "net/dial/dial_fixture.hpp"
#include "support/certificates.hpp"

using namespace rollcall;
using rollcall::testing::CertificateRequest;
using rollcall::testing::CertifiedKey;
using rollcall::testing::DialFixture;
using rollcall::testing::TemporaryFile;

namespace {

asio::awaitable<void> say_hello(ServerExchange& exchange) {
  HttpResponse response;
  response.status = 200;
  response.body = "hello " + exchange.request().target;
  co_await exchange.reply(response);
}

asio::awaitable<void> fetch(Stream& stream, std::string request, std::string& answer, bool& is_done) {
  std::string_view rest = request;
  while (!rest.empty()) {
    const IoResult result = stream.write_some(std::span<const char>(rest.data(), rest.size()));
    if (result.status == IoStatus::done) rest.remove_prefix(result.bytes);
  }
  for (;;) {
    std::error_code ignored;
    if (stream.must_wait(asio::ip::tcp::socket::wait_read)) co_await stream.wait(asio::ip::tcp::socket::wait_read, ignored);
    char buffer[4096];
    const IoResult result = stream.read_some(buffer);
    if (result.status == IoStatus::done) answer.append(buffer, result.bytes);
    if (answer.find("\r\n\r\nhello /") != std::string::npos) break;
    if (result.status == IoStatus::closed || result.status == IoStatus::failed) break;
  }
  is_done = true;
}

std::string ask(DialFixture& fixture, Stream& stream, const std::string& target) {
  std::string answer;
  bool is_done = false;
  asio::co_spawn(fixture.io, fetch(stream, fmt::format("GET {} HTTP/1.1\r\nHost: h\r\n\r\n", target), answer, is_done), asio::detached);
  fixture.run_until([&] { return is_done; });
  return answer;
}

}  // namespace

TEST_CASE("a plain dial reaches the server, by literal and by localhost") {
  DialFixture fixture;
  HttpServer server(fixture.io.get_executor(), say_hello);
  const std::uint16_t port = server.listen("127.0.0.1", 0).value();
  for (const char* host : {"127.0.0.1", "localhost", "LOCALHOST.", "db.localhost"}) {
    CAPTURE(host);
    const auto outcome = fixture.dial(fmt::format("http://{}:{}/", host, port));
    Stream& stream = outcome->stream();
    CHECK_FALSE(stream.is_tls());
    CHECK(ask(fixture, stream, "/a").find("HTTP/1.1 200 OK") == 0);
    CHECK(stream.is_quiet());
    CHECK(ask(fixture, stream, "/b").find("hello /b") != std::string::npos);
    CHECK((::fcntl(stream.socket().native_handle(), F_GETFD) & FD_CLOEXEC) != 0);
    asio::ip::tcp::no_delay no_delay;
    stream.socket().get_option(no_delay);
    CHECK(no_delay.value());
    asio::socket_base::keep_alive keep_alive;
    stream.socket().get_option(keep_alive);
    CHECK(keep_alive.value());
    int idle = 0;
    socklen_t size = sizeof idle;
    CHECK(::getsockopt(stream.socket().native_handle(), IPPROTO_TCP, TCP_KEEPIDLE, &idle, &size) == 0);
    CHECK(idle == 30);
  }
  CHECK(server.requests() == 8);
  CHECK(server.connections_accepted() == 4);
}

TEST_CASE("a TLS dial verifies the original host behind the connect-to map, and resumes") {
  DialFixture fixture;
  const CertifiedKey ca(rollcall::testing::authority_request());
  const CertifiedKey host(CertificateRequest({"DNS:tpu.example.com"}), &ca);
  const auto context = host.server_context();
  HttpServer server(fixture.io.get_executor(), say_hello);
  std::string asked_for;
  const std::uint16_t port = server
                                 .listen("127.0.0.1", 0,
                                         [&](std::string_view name) {
                                           asked_for = name;
                                           return context.get();
                                         })
                                 .value();
  const TemporaryFile ca_file(ca.pem());
  fixture.network.ca_file = ca_file.path();
  fixture.network.connect_to.push_back(ConnectTo::parse(fmt::format("tpu.example.com:443:127.0.0.1:{}", port)).value());
  for (int i = 0; i < 3; ++i) {
    CAPTURE(i);
    const auto outcome = fixture.dial("https://tpu.example.com/");
    Stream& stream = outcome->stream();
    CHECK(stream.is_tls());
    CHECK(asked_for == "tpu.example.com");
    CHECK(ask(fixture, stream, "/tls").find("hello /tls") != std::string::npos);
    CHECK(stream.is_quiet());
  }
}
