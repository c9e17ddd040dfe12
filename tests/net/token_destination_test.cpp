// The destinations of a token, by the address that is actually connected to: the connect-to map, look-ups and kept connections included.
#include <ifaddrs.h>
#include <net/if.h>

#include <asio/ip/tcp.hpp>

#include "net/http/http_client_fixture.hpp"
#include "support/dns_server.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

constexpr const char* secret = "ya29.never-in-clear";

// The bytes that all listeners of a test have received.
class Ears {
 public:
  std::string heard;
  HttpServer::Handler handler() {
    return [this](ServerExchange& exchange) -> asio::awaitable<void> {
      exchange.request().headers.each([this](std::string_view name, std::string_view value) { heard.append(name).append(value); });
      co_await echo(exchange);
    };
  }
};

enum class Carrier { bearer, field, proxy_field };

void put_secret(HttpRequest& request, Carrier carrier) {
  if (carrier == Carrier::bearer) request.bearer = Secret<std::string>(secret);
  if (carrier == Carrier::field) request.headers.add("authorization", std::string("Basic ") + secret);
  if (carrier == Carrier::proxy_field) request.headers.add("Proxy-Authorization", std::string("Basic ") + secret);
}

// An address of this machine that others can reach, if it has one.
std::optional<std::string> outer_address() {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return std::nullopt;
  std::optional<std::string> found;
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    const bool is_usable = one->ifa_addr && one->ifa_addr->sa_family == AF_INET && (one->ifa_flags & IFF_UP) != 0;
    if (!is_usable || (one->ifa_flags & IFF_LOOPBACK) != 0 || found) continue;
    const auto* const address = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
    found = asio::ip::address_v4(ntohl(address->sin_addr.s_addr)).to_string();
  }
  ::freeifaddrs(all);
  return found;
}

class Combination {
 public:
  std::string host;        // of the URL
  std::string connect_to;  // HOST of the rule for every host; empty: no rule
  bool is_sent;
};

void names(DnsServer& dns) {
  dns.name("elsewhere.test").address("192.0.2.1").address("2001:db8::1");
  dns.name("here.test").address("127.0.0.1");
  dns.name("both.test").address("192.0.2.1").address("127.0.0.1");
}

}  // namespace

TEST_CASE("a token is sent in clear only to an address of this machine, for every host name") {
  const Combination c = GENERATE(values<Combination>({
      {"127.0.0.1", "", true},
      {"localhost", "", true},
      {"LOCALHOST", "", true},
      {"localhost.", "", true},
      {"sim.localhost", "", true},
      {"localhost", "127.0.0.1", true},
      {"::1", "127.0.0.1", true},
      {"::1%lo", "127.0.0.1", true},
      {"127.9.9.9", "localhost", true},
      {"localhost", "here.test", true},
      {"localhost", "both.test", true},
      {"localhost", "192.0.2.1", false},
      {"sim.localhost.", "192.0.2.1", false},
      {"127.0.0.1", "10.255.255.1", false},
      {"::1", "2001:db8::1", false},
      {"::ffff:127.0.0.1", "::ffff:192.0.2.1", false},
      {"127.0.0.1", "169.254.169.254", false},
      {"localhost", "elsewhere.test", false},
      {"here.test", "", false},             // a name whose owner may give it another address
      {"here.test", "127.0.0.1", false},    // the URL is checked as well: a rule may be left over by mistake
      {"10.0.0.1", "127.0.0.1", false},
      {"metadata.google.internal", "127.0.0.1", false},
      {"0.0.0.0", "127.0.0.1", false},
  }));
  const Carrier carrier = GENERATE(Carrier::bearer, Carrier::field, Carrier::proxy_field);
  const bool is_stream = GENERATE(false, true);
  CAPTURE(c.host, c.connect_to, static_cast<int>(carrier), is_stream);
  Ears ears;
  asio::io_context dns_loop;
  DnsServer dns(dns_loop);
  names(dns);
  NetworkOptions network;
  network.dns_servers = {dns.where()};
  if (!c.connect_to.empty()) {
    ConnectTo rule;
    rule.to_host = c.connect_to;
    network.connect_to.push_back(rule);
  }
  HttpFixture net(ears.handler(), network);
  HttpRequest request = net.request("/x", c.host);
  put_secret(request, carrier);
  const OutcomePtr outcome = is_stream ? net.start_stream(request) : net.start(request);
  net.until([&] {
    dns_loop.restart();
    dns_loop.poll();
    return outcome->is_done();
  });
  INFO(outcome->what());
  CHECK(outcome->result->has_value() == c.is_sent);
  CHECK((ears.heard.find(secret) != std::string::npos) == c.is_sent);
  if (!c.is_sent) {
    CHECK(outcome->code() == Errc::refused_by_policy);
    CHECK(net.server.connections_accepted() == 0);
    CHECK_THAT(outcome->what(), !Catch::Contains(secret) && Catch::Contains(c.host));
  }
}

TEST_CASE("a connection that was opened for a request without a token serves none that has one, unless it stays on this machine") {
  const std::optional<std::string> outside = outer_address();
  if (!outside) return;  // a machine without a network
  Ears ears;
  NetworkOptions network;
  network.connect_to.push_back(ConnectTo::parse("localhost::" + *outside + ":").value());
  HttpFixture net(ears.handler(), network);
  net.port = net.server.listen(*outside, 0).value();
  CHECK(net.finish(net.start(net.request("/", "localhost")))->result->has_value());
  CHECK(net.server.connections_accepted() == 1);
  HttpRequest request = net.request("/", "localhost");
  request.bearer = Secret<std::string>(secret);
  const OutcomePtr refused = net.finish(net.start(request));
  CHECK(refused->code() == Errc::refused_by_policy);
  CHECK(net.finish(net.start(request))->code() == Errc::refused_by_policy);  // nor a new one
  CHECK(ears.heard.find(secret) == std::string::npos);
  CHECK(net.server.requests() == 1);
  CHECK(net.finish(net.start(net.request("/", "localhost")))->result->has_value());  // without a token it goes on as before
}

TEST_CASE("an answer has a flag for a server on this machine") {
  Ears ears;
  {
    HttpFixture net(ears.handler());
    CHECK(net.get("/")->is_from_loopback == true);
  }
  const std::optional<std::string> outside = outer_address();
  if (!outside) return;
  NetworkOptions network;
  network.connect_to.push_back(ConnectTo::parse("127.0.0.1::" + *outside + ":").value());
  HttpFixture net(ears.handler(), network);
  net.port = net.server.listen(*outside, 0).value();
  CHECK(net.get("/")->is_from_loopback == false);
}

TEST_CASE("a plain http request to this machine with any data stays on it, not only one with a token") {
  const auto [host, connect_to] = GENERATE(table<std::string, std::string>({
      {"localhost", "192.0.2.1"},
      {"127.0.0.1", "10.255.255.1"},
      {"::1", "2001:db8::1"},
      {"localhost", "169.254.169.254"},
      {"169.254.169.254", "192.0.2.1"},
  }));
  const int carrier = GENERATE(0, 1, 2, 3);
  CAPTURE(host, connect_to, carrier);
  Ears ears;
  NetworkOptions network;
  ConnectTo rule;
  rule.to_host = connect_to;
  network.connect_to.push_back(rule);
  HttpFixture net(ears.handler(), network);
  HttpRequest request = net.request("/token", host);
  if (carrier == 0) request.body = std::string("subject_token=") + secret;
  if (carrier == 1) request.headers.add("X-aws-ec2-metadata-token", secret);
  if (carrier == 2) request.headers.add("X-Of-A-Subject-Token-Source", secret);
  if (carrier == 3) {
    request.method = HttpMethod::post;
    request.headers.add("Content-Type", "application/json");
    request.body = std::string(R"({"assertion":")") + secret + "\"}";
  }
  const OutcomePtr outcome = net.finish(net.start(request));
  INFO(outcome->what());
  CHECK(outcome->code() == Errc::refused_by_policy);
  CHECK(net.server.connections_accepted() == 0);
  CHECK_THAT(outcome->what(), !Catch::Contains(secret) && Catch::Contains("nothing was sent"));
}

TEST_CASE("a request to a link-local address may be redirected to this machine") {
  Ears ears;
  NetworkOptions network;
  ConnectTo rule;
  rule.to_host = "127.0.0.1";
  network.connect_to.push_back(rule);
  HttpFixture net(ears.handler(), network);
  HttpRequest request = net.request("/token", "169.254.169.254");
  request.headers.add("X-aws-ec2-metadata-token", secret);
  CHECK(net.finish(net.start(request))->result->has_value());
  CHECK(net.finish(net.start(request))->result->has_value());  // by the same connection
  CHECK(net.server.connections_accepted() == 1);
}
