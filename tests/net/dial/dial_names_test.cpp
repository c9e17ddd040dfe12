// Look-ups with a DNS server of the test, and the race between the addresses of its answers.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "net/dial/address_race.hpp"
#include "net/dial/dial_fixture.hpp"
#include "support/dns_server.hpp"
#include "support/peers.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

asio::awaitable<void> hang_up(ServerExchange&) { co_return; }

asio::ip::tcp::endpoint at(const char* ip) { return asio::ip::tcp::endpoint(asio::ip::make_address(ip), 1); }

}  // namespace

TEST_CASE("a name is looked up at the given servers") {
  DialFixture fixture;
  DnsServer dns(fixture.io);
  dns.name("tpu.test").address("127.0.0.1");
  fixture.network.dns_servers = {dns.where()};
  HttpServer server(fixture.io.get_executor(), hang_up);
  const std::uint16_t port = server.listen("127.0.0.1", 0).value();
  const auto outcome = fixture.dial(fmt::format("http://tpu.test:{}/", port));
  CHECK(outcome->stream().is_open());
  CHECK(dns.queries() == 2);
}

TEST_CASE("failures of look-ups are distinguished") {
  DialFixture fixture;
  DnsServer dns(fixture.io);
  dns.name("empty.test");
  dns.name("servfail.test").code(2);
  dns.name("refused.test").code(5);
  fixture.network.dns_servers = {dns.where()};
  const auto code_of = [&](const std::string& host) {
    const Failure failure = fixture.dial("http://" + host + "/")->failure();
    CAPTURE(failure.message());
    CHECK(failure.phase() == Phase::resolve);
    CHECK(failure.what().find(host) != std::string::npos);
    return failure.code();
  };
  CHECK(code_of("absent.test") == Errc::unknown_host);
  CHECK(code_of("empty.test") == Errc::unknown_host);
  CHECK(code_of("servfail.test") == Errc::unreachable);
  CHECK(code_of("refused.test") == Errc::unreachable);
  CHECK(code_of(std::string(64, 'a') + ".test") == Errc::unknown_host);
}

TEST_CASE("a bad list of name servers is refused by its text") {
  DialFixture fixture;
  fixture.network.dns_servers = {"not an address"};
  const Failure failure = fixture.dial("http://tpu.test/")->failure();
  check_failure(failure, Errc::invalid_argument, "not an address");
}

TEST_CASE("a dead first address delays the next by 250 ms") {
  DialFixture fixture;
  DnsServer dns(fixture.io);
  HttpServer server(fixture.io.get_executor(), hang_up);
  const std::uint16_t port = server.listen("127.0.0.1", 0).value();
  const FullPeer dead("::1", port);
  dns.name("both.test").address("127.0.0.1").address("::1");
  fixture.network.dns_servers = {dns.where()};
  const auto outcome = fixture.start(fmt::format("http://both.test:{}/", port));
  fixture.run_until([&] { return dns.queries() >= 2 && fixture.time->next_alarm() == SteadyTime(250ms); });
  fixture.time->advance(250ms - 1ns);
  fixture.io.restart();
  fixture.io.poll();
  CHECK_FALSE(outcome->is_done());
  CHECK(server.connections_accepted() == 0);
  fixture.time->advance(1ns);
  fixture.run_until([&] { return outcome->is_done(); });
  CHECK(outcome->stream().socket().remote_endpoint().address().to_string() == "127.0.0.1");
  CHECK(fixture.time->now() == SteadyTime(250ms));
}

TEST_CASE("a refused first address does not delay the next") {
  DialFixture fixture;
  DnsServer dns(fixture.io);
  HttpServer server(fixture.io.get_executor(), hang_up);
  const std::uint16_t port = server.listen("127.0.0.1", 0).value();
  dns.name("both.test").address("127.0.0.1").address("::1");
  fixture.network.dns_servers = {dns.where()};
  const auto outcome = fixture.dial(fmt::format("http://both.test:{}/", port));
  CHECK(outcome->stream().socket().remote_endpoint().address().to_string() == "127.0.0.1");
  CHECK(fixture.time->now() == SteadyTime());
}

TEST_CASE("when every address fails the message names them") {
  DialFixture fixture;
  DnsServer dns(fixture.io);
  const ClosedPort closed;
  DnsRecord& record = dns.name("down.test");
  for (int i = 1; i <= 6; ++i) record.address(fmt::format("127.0.0.{}", i));
  fixture.network.dns_servers = {dns.where()};
  const Failure failure = fixture.dial(fmt::format("http://down.test:{}/", closed.port()))->failure();
  CHECK(failure.code() == Errc::unreachable);
  CHECK(failure.phase() == Phase::connect);
  CAPTURE(failure.what());
  CHECK(failure.what().find(fmt::format("127.0.0.1:{}: Connection refused", closed.port())) != std::string::npos);
  CHECK(failure.what().find("and 2 more addresses") != std::string::npos);
  CHECK(failure.hint().find("check the address and port") == 0);
}

TEST_CASE("families alternate, beginning with the preferred one") {
  const auto mixed = interleave_families({at("fd00::1"), at("fd00::2"), at("fd00::3"), at("10.0.0.1"), at("10.0.0.2")});
  const std::vector<asio::ip::tcp::endpoint> expected{at("fd00::1"), at("10.0.0.1"), at("fd00::2"), at("10.0.0.2"), at("fd00::3")};
  CHECK(mixed == expected);
  CHECK(interleave_families({}).empty());
}

TEST_CASE("connect-to rules in curl's syntax") {
  const ConnectTo rule = ConnectTo::parse("tpu.example.com:443:[::1]:8443").value();
  CHECK(rule.from_host == "tpu.example.com");
  CHECK(rule.from_port == 443);
  CHECK(rule.to_host == "::1");
  CHECK(rule.to_port == 8443);
  const ConnectTo every = ConnectTo::parse("::127.0.0.1:").value();
  CHECK(every.from_host.empty());
  CHECK(every.from_port == 0);
  CHECK(every.to_host == "127.0.0.1");
  CHECK(every.to_port == 0);
  CHECK(ConnectTo::parse("[fd00::1]:1:h:2").value().from_host == "fd00::1");
  for (const char* text :
       {"", "a", "a:1", "a:1:b", "a:0:b:1", "a:1:b:65536", "a:x:b:1", "[::1:1:b:1", "a b:1:c:1", "a:1:b:1:2", "a:1:b:-1"}) {
    CAPTURE(text);
    const auto refused = ConnectTo::parse(text);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code() == Errc::invalid_argument);
  }
}
