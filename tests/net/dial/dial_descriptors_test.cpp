// Descriptors: all are close-on-exec, a dial waits for a free one, and a broken pipe raises no signal.
#include <fcntl.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <set>

#include "net/dial/dial_fixture.hpp"
#include "support/certificates.hpp"
#include "support/dns_server.hpp"
#include "support/no_descriptors.hpp"
#include "support/peers.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

asio::awaitable<void> ignore(ServerExchange& exchange) { co_await exchange.wait_closed(); }

}  // namespace

TEST_CASE("every descriptor is close-on-exec") {
  DialFixture fixture;
  DnsServer dns(fixture.io);
  dns.name("silent.test").silent();
  fixture.network.dns_servers = {dns.where()};
  const FullPeer full;
  HttpServer server(fixture.io.get_executor(), ignore);
  const std::uint16_t port = server.listen("127.0.0.1", 0).value();
  const std::set<int> of_the_test = open_descriptors();
  const auto looking_up = fixture.start("http://silent.test/");
  const auto connecting = fixture.start(fmt::format("http://127.0.0.1:{}/", full.port()));
  const auto connected = fixture.dial(fmt::format("http://127.0.0.1:{}/", port));
  fixture.run_until([&] { return server.connections_open() == 1 && dns.queries() >= 2; });
  std::size_t ours = 0;
  for (const int descriptor : open_descriptors()) {
    if (of_the_test.contains(descriptor)) continue;
    CAPTURE(descriptor);
    CHECK((::fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
    ++ours;
  }
  CHECK(ours >= 4);  // a look-up's, a connecting one, both ends of the connected one
  looking_up->signal.emit(asio::cancellation_type::terminal);
  connecting->signal.emit(asio::cancellation_type::terminal);
  connected->result.reset();
  fixture.run_until([&] { return looking_up->is_done() && connecting->is_done() && server.connections_open() == 0; });
  CHECK(open_descriptors() == of_the_test);
}

TEST_CASE("a dial waits during a shortage of descriptors") {
  if (NoDescriptors::is_sanitized) return;
  DialFixture fixture;
  HttpServer server(fixture.io.get_executor(), ignore);
  const std::uint16_t port = server.listen("127.0.0.1", 0).value();
  auto shortage = std::make_unique<NoDescriptors>();
  const auto outcome = fixture.start(fmt::format("http://127.0.0.1:{}/", port));
  for (int i = 0; i < 200; ++i) {  // far longer than the connect time-out
    fixture.io.restart();
    fixture.io.poll();
    if (const auto next = fixture.time->next_alarm()) fixture.time->advance_to(*next);
  }
  CHECK(fixture.time->now() > SteadyTime(std::chrono::seconds(20)));
  CHECK_FALSE(outcome->is_done());
  shortage.reset();
  fixture.advance_until([&] { return outcome->is_done(); });
  CHECK(outcome->stream().is_open());
}

TEST_CASE("a shortage of descriptors ends at the deadline") {
  if (NoDescriptors::is_sanitized) return;
  DialFixture fixture;
  fixture.options.deadline = SteadyTime(std::chrono::seconds(7));
  const asio::ip::tcp::socket first(fixture.io);  // Asio's own descriptors are opened with the first socket
  auto shortage = std::make_unique<NoDescriptors>();
  const std::string url = GENERATE("http://127.0.0.1:9/", "http://tpu.test/");
  const auto outcome = fixture.start(url);
  fixture.advance_until([&] { return outcome->is_done(); });
  shortage.reset();
  check_failure(outcome->failure(), Errc::deadline_exceeded, "free file descriptor");
  CHECK(outcome->failure().hint().find("ulimit -n") != std::string::npos);
  CHECK(fixture.time->now() == fixture.options.deadline);
}

TEST_CASE("writing to a peer that is gone raises no signal") {
  struct sigaction before{};
  struct sigaction deadly{};
  deadly.sa_handler = SIG_DFL;  // otherwise the process would end
  ::sigaction(SIGPIPE, &deadly, &before);
  DialFixture fixture;
  const CertifiedKey ca(authority_request());
  const CertifiedKey host(CertificateRequest({"DNS:localhost"}), &ca);
  const auto context = host.server_context();
  const TemporaryFile ca_file(ca.pem());
  fixture.network.ca_file = ca_file.path();
  HttpServer server(fixture.io.get_executor(), ignore);
  const bool is_tls = GENERATE(false, true);
  const std::uint16_t port = is_tls ? server.listen("127.0.0.1", 0, [&](std::string_view) { return context.get(); }).value()
                                    : server.listen("127.0.0.1", 0).value();
  const auto outcome = fixture.dial(fmt::format("{}://localhost:{}/", is_tls ? "https" : "http", port));
  Stream& stream = outcome->stream();
  server.stop();
  fixture.io.restart();
  fixture.io.poll();
  CHECK_FALSE(stream.is_quiet());
  IoResult result;
  for (int i = 0; i < 100 && result.status == IoStatus::done; ++i) result = stream.write_some(std::span<const char>("0123456789", 10));
  CHECK(result.status == IoStatus::failed);
  ::sigaction(SIGPIPE, &before, nullptr);
}
