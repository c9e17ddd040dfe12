// The listening service by TLS over real sockets: certificates as identities, settings that change, hostile clients.
#include <poll.h>

#include <catch2/catch.hpp>

#include "net/server/tls_stranger.hpp"
#include "rollcall/fleet_service.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

CertificateRequest launcher_request(const std::string& name) {
  const bool has_kind = name.starts_with("DNS:") || name.starts_with("URI:") || name.starts_with("email:");
  CertificateRequest request({has_kind ? name : "URI:" + name});
  request.usage = "clientAuth";
  return request;
}

class ListeningLoop : public TestRuntime {
 public:
  ListeningLoop()
      : authority(authority_request("Clients")), authorities(authority.pem()),
        server(CertificateRequest({"DNS:rollcall.example", "IP:127.0.0.1"})), certificate(server.pem() + server.key_pem()) {}
  ~ListeningLoop() {
    if (service) service->stop();
    poll();
  }
  FleetServiceOptions options() const {
    FleetServiceOptions made;
    made.listen = {"127.0.0.1:0"};
    made.tls.certificate_file = certificate.path();
    made.tls.client_authorities_file = authorities.path();
    made.clients.emplace_back();
    made.allow = {"tpu:*"};
    FleetRight& right = made.rights.emplace_back();
    right.who = "certificate:spiffe://example/train";
    right.read = {"tpu:trainer"};
    return made;
  }
  void start(FleetServiceOptions options) {
    service = value_of(FleetService::start(runtime, std::move(options)));
    const std::string url = service->urls().front();
    port = static_cast<std::uint16_t>(std::stoi(url.substr(url.rfind(':') + 1)));
  }
  /// The answer to a request over `client`; empty: the connection was refused.
  std::string ask(TlsStranger& client, const std::string& target, const std::string& fields = "") {
    for (int i = 0; i < 2000 && !client.shake(); ++i) wait_for(client);
    if (!SSL_is_init_finished(client.tls())) return {};
    const std::string request = "GET " + target + " HTTP/1.1\r\nHost: rollcall.example\r\n" + fields + "\r\n";
    SSL_write(client.tls(), request.data(), static_cast<int>(request.size()));
    client.heard.clear();
    bool is_over = false;
    for (int i = 0; i < 2000 && client.heard.find("\r\n\r\n") == std::string::npos && !is_over; ++i) {
      wait_for(client);
      is_over = client.hear();
    }
    return client.heard;
  }
  std::string ask_as(const rollcall::testing::CertifiedKey* identity, const std::string& target, const std::string& fields = "") {
    TlsStranger client(port, identity);
    return ask(client, target, fields);
  }
  void wait_for(TlsStranger& client) {
    poll();
    pollfd socket{.fd = client.socket.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&socket, 1, 1);
  }

  rollcall::testing::CertifiedKey authority;
  TemporaryFile authorities;
  rollcall::testing::CertifiedKey server;
  TemporaryFile certificate;
  std::shared_ptr<FleetService> service;
  std::uint16_t port = 0;
};

// With a right the target is unknown yet; without one the request is refused.
const std::string history_of_trainer = "/v1/clusters/tpu:trainer,project=p,zone=z?view=history";
const std::string other = "/v1/clusters/tpu:other,project=p,zone=z?view=history";

}  // namespace

TEST_CASE("A service for strangers knows them by their certificates", "[fleet]") {
  ListeningLoop t;
  t.start(t.options());
  CHECK(t.service->urls() == std::vector<std::string>{fmt::format("https://127.0.0.1:{}", t.port)});
  const rollcall::testing::CertifiedKey train(launcher_request("spiffe://example/train"), &t.authority);
  const rollcall::testing::CertifiedKey eval(launcher_request("spiffe://example/eval"), &t.authority);
  const rollcall::testing::CertifiedKey forged(launcher_request("spiffe://example/train"));
  CHECK_THAT(t.ask_as(&train, "/v1/clusters"), Contains("200 OK") && Contains("{\"clusters\":[]}"));
  CHECK_THAT(t.ask_as(&train, other), Contains("403 Forbidden") && Contains("'certificate:spiffe://example/train' may not read"));
  CHECK_THAT(t.ask_as(&eval, history_of_trainer), Contains("403 Forbidden"));
  CHECK_THAT(t.ask_as(nullptr, history_of_trainer), Contains("401 Unauthorized") && Contains("WWW-Authenticate: Bearer"));
  CHECK_THAT(t.ask_as(nullptr, "/healthz"), Contains("200 OK"));
  CHECK(t.ask_as(&forged, "/healthz").empty());
  // Header fields do not change the identity.
  CHECK_THAT(t.ask_as(&eval, history_of_trainer, "X-Forwarded-Client-Cert: URI=spiffe://example/train\r\nForwarded: for=127.0.0.1\r\n"),
             Contains("403 Forbidden"));
  CHECK(t.transport->requests.empty());  // no issuer was asked
}

TEST_CASE("A right of DNS names is met by no other kind of name", "[fleet]") {
  ListeningLoop t;
  FleetServiceOptions options = t.options();
  options.rights.front().who = "certificate:*.sre.example";
  t.start(options);
  for (int i = 0; i < 20; ++i) t.answer(503);
  const auto answer = [&t](const std::string& name) {
    const rollcall::testing::CertifiedKey shown(launcher_request(name), &t.authority);
    return t.ask_as(&shown, "/v1/clusters/tpu:trainer,project=p,zone=z?view=history").substr(0, 12);
  };
  for (const char* const name : {"email:mallory@evil.sre.example", "URI:spiffe://evil.example/a.sre.example",
                                 "URI:https://evil.example/?.sre.example", "DNS:a.b.sre.example"})
    CHECK(answer(name) == "HTTP/1.1 403");
  CHECK(answer("DNS:a.sre.example") != "HTTP/1.1 403");
}

TEST_CASE("New settings hold for connections that are open, and wrong ones for none", "[fleet]") {
  ListeningLoop t;
  t.start(t.options());
  for (int i = 0; i < 20; ++i) t.answer(503);
  const rollcall::testing::CertifiedKey train(launcher_request("spiffe://example/train"), &t.authority);
  TlsStranger stream(t.port, &train);
  CHECK_THAT(t.ask(stream, "/v1/clusters/tpu:trainer,project=p,zone=z", "Accept: text/event-stream\r\n"), Contains("text/event-stream"));
  FleetServiceOptions changed = t.options();
  changed.listen = {"127.0.0.1:1"};
  check_failure(t.service->reload(changed), Errc::failed_precondition, "listens on");
  changed = t.options();
  changed.tls = FleetTls();
  check_failure(t.service->reload(changed), Errc::failed_precondition, "TLS");
  changed = t.options();
  changed.tls.certificate_file = "/nowhere/tls.pem";
  changed.rights[0].read = {"tpu:other"};
  check_failure(t.service->reload(changed), Errc::invalid_argument, "/nowhere/tls.pem");
  CHECK_THAT(t.ask_as(&train, "/v1/clusters"), Contains("200 OK"));
  CHECK(stream.heard.find("final") == std::string::npos);
  changed = t.options();
  changed.rights[0].read = {"tpu:other"};
  CHECK(t.service->reload(changed));
  for (int i = 0; i < 2000 && stream.heard.find("final") == std::string::npos; ++i) {
    t.wait_for(stream);
    stream.hear();
  }
  CHECK_THAT(stream.heard, Contains("event: final") && Contains("permission_denied"));
  CHECK_THAT(t.ask_as(&train, history_of_trainer), Contains("403 Forbidden"));
}

TEST_CASE("A client whose proof is not valid any longer has to authenticate again", "[fleet]") {
  ListeningLoop t;
  t.start(t.options());
  for (int i = 0; i < 20; ++i) t.answer(503);
  const rollcall::testing::CertifiedKey train(launcher_request("spiffe://example/train"), &t.authority);
  TlsStranger stream(t.port, &train);
  CHECK_THAT(t.ask(stream, "/v1/clusters/tpu:trainer,project=p,zone=z", "Accept: text/event-stream\r\n"), Contains("text/event-stream"));
  TlsStranger idle(t.port, &train);
  CHECK_THAT(t.ask(idle, "/v1/clusters"), Contains("200 OK"));
  FleetServiceOptions changed = t.options();
  changed.bounds.targets = 7;
  changed.lease.engine = FleetLease::Engine::etcd;
  changed.lease.etcd = {"http://127.0.0.1:2379"};
  check_failure(t.service->reload(changed), Errc::failed_precondition, "the lease cannot be changed");
  changed.lease = FleetLease();
  check_failure(t.service->reload(changed), Errc::failed_precondition, "limits.targets and quota");
  changed = t.options();
  changed.polls_per_minute["p"] = 7;
  check_failure(t.service->reload(changed), Errc::failed_precondition, "limits.targets and quota");
  CHECK(t.service->reload(t.options()));
  CHECK_THAT(t.ask(idle, "/v1/clusters"), Contains("200 OK"));  // nothing has changed
  changed = t.options();
  changed.clients[0].as = "other";
  changed.rights[0].who = "other:*";
  CHECK(t.service->reload(changed));
  for (TlsStranger* const client : {&stream, &idle}) {
    bool is_over = false;
    for (int i = 0; i < 2000 && !is_over; ++i) {
      t.wait_for(*client);
      is_over = client->hear();
    }
    CHECK(is_over);
  }
}

TEST_CASE("Other addresses than loopback need a certificate and clients that are known", "[fleet]") {
  ListeningLoop t;
  const auto started = [&t](FleetServiceOptions options) {
    const Result<std::shared_ptr<FleetService>> made = FleetService::start(t.runtime, std::move(options));
    if (made) (*made)->stop();
    t.poll();
    return made ? Result<std::vector<std::string>>((*made)->urls()) : Result<std::vector<std::string>>(made.error());
  };
  for (const char* const address : {"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:7070", "[::ffff:192.0.2.1]:0"}) {
    INFO(address);
    FleetServiceOptions bare;
    bare.listen = {"127.0.0.1:0", address};
    check_failure(started(bare), Errc::refused_by_policy, "can be reached from other machines", "needs tls and clients");
    FleetServiceOptions plain = t.options();
    plain.listen = {address};
    plain.tls = FleetTls();
    check_failure(started(plain), Errc::refused_by_policy, "can be reached from other machines", "needs tls in");
    FleetServiceOptions anonymous = t.options();
    anonymous.listen = {address};
    anonymous.clients.clear();
    anonymous.rights.clear();
    check_failure(started(anonymous), Errc::refused_by_policy, "can be reached from other machines", "needs clients in");
  }
  FleetServiceOptions open = t.options();
  open.listen = {":0"};
  const std::vector<std::string> urls = value_of(started(open));
  REQUIRE(urls.size() == 1);
  CHECK_THAT(urls[0], Catch::StartsWith("https://rollcall.example:"));
  for (const char* const address : {"", "7070", "localhost:7070", ":", ":x", ":70700", "127.0.0.1"}) {
    INFO(address);
    FleetServiceOptions wrong = t.options();
    wrong.listen = {address};
    check_failure(started(wrong), Errc::invalid_argument, "no address to listen on");
  }
}

TEST_CASE("A service that runs gives up neither its clients nor what may be asked for", "[fleet]") {
  ListeningLoop t;
  const auto status_for = [&t](const std::string& host) {
    Stranger client(t.port);
    const std::string request = "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
    while (client.send(request) == 0) t.poll();
    while (!client.listen()) t.poll();
    return client.heard.substr(9, 3);
  };
  FleetServiceOptions open;
  open.listen = {"127.0.0.1:0"};
  FleetServiceOptions guarded = open;
  guarded.clients.emplace_back();
  guarded.clients[0].method = FleetClients::Method::google;
  guarded.clients[0].audience = "a";
  guarded.clients[0].projects = {"p"};
  guarded.rights.emplace_back();
  guarded.rights[0].who = "google:p/*";
  guarded.rights[0].read = {"*"};
  FleetServiceOptions some = open;
  some.allow = {"tpu:*"};
  t.start(open);
  CHECK(status_for("rollcall.example") == "421");
  CHECK(t.service->reload(some));
  check_failure(t.service->reload(open), Errc::refused_by_policy, "without allow");
  // With clients a proxy may use any host name; without, a redirected browser must not.
  CHECK(t.service->reload(guarded));
  CHECK(status_for("rollcall.example") == "200");
  check_failure(t.service->reload(open), Errc::refused_by_policy, "without clients");
  check_failure(t.service->reload(some), Errc::refused_by_policy, "without clients");
  CHECK(status_for("rollcall.example") == "200");
  CHECK(t.service->reload(guarded));
}
