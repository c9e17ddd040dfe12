// The server's certificate and its clients': the accepted ones, the facts about them, and files that change while the server runs.
#include <fmt/format.h>
#include <poll.h>

#include <catch2/catch.hpp>

#include "net/server/server_context.hpp"
#include "net/server/tls_stranger.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

// Answers with the facts that the server has about the client.
asio::awaitable<void> answer_with_names(ServerExchange& exchange) {
  HttpResponse response;
  response.status = 200;
  const auto& certificate = exchange.request().certificate;
  response.body = certificate ? fmt::format("names: {}", fmt::join(certificate->names, " ")) : "nobody";
  co_await exchange.reply(response);
}

CertificateRequest client_request(std::vector<std::string> names = {"URI:spiffe://example/launcher", "DNS:launcher.example"}) {
  CertificateRequest request(std::move(names));
  request.usage = "clientAuth";
  return request;
}

class CertificateFixture : public StrangerFixture {
 public:
  CertificateFixture()
      : StrangerFixture(answer_with_names), authority(authority_request("Clients")), authorities(authority.pem()),
        first(CertificateRequest({"DNS:*.example", "DNS:rollcall.example", "IP:127.0.0.1"})), certificate(first.pem() + first.key_pem()) {
    TlsFiles files;
    files.certificate = certificate.path();
    files.authorities = authorities.path();
    context = value_of(ServerContext::open(files, time, [this](const Failure& failure) { troubles.push_back(failure.what()); }));
    tls_port = server.listen("127.0.0.1", 0, [this](std::string_view) { return context->current(); }).value();
  }
  /// The server's answer; empty: the client was rejected.
  std::string ask(TlsStranger& client) {
    for (int i = 0; i < 2000 && !client.shake(); ++i) wait_for(client);
    if (!SSL_is_init_finished(client.tls())) return {};
    const std::string request = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    ERR_clear_error();
    SSL_write(client.tls(), request.data(), static_cast<int>(request.size()));
    client.heard.clear();
    for (int i = 0; i < 2000 && client.heard.empty(); ++i) {
      wait_for(client);
      if (client.hear()) break;
    }
    const std::size_t body = client.heard.find("\r\n\r\n");
    return body == std::string::npos ? std::string() : client.heard.substr(body + 4);
  }
  /// Waits until data reaches the client: on a busy machine the kernel needs some time.
  void wait_for(TlsStranger& client) {
    poll();
    pollfd socket{.fd = client.socket.descriptor(), .events = POLLIN, .revents = 0};
    ::poll(&socket, 1, 1);
  }
  std::string ask_as(const CertifiedKey* identity, const std::vector<const CertifiedKey*>& chain = {}, int version = 0) {
    TlsStranger client(tls_port, identity, chain, version);
    return ask(client);
  }
  long serial_of_server() {
    TlsStranger client(tls_port);
    CHECK(ask(client) == "nobody");
    return ASN1_INTEGER_get(X509_get0_serialNumber(SSL_get0_peer_certificate(client.tls())));
  }
  static long serial_of(const CertifiedKey& identity) { return ASN1_INTEGER_get(X509_get0_serialNumber(identity.certificate.get())); }

  CertifiedKey authority;
  TemporaryFile authorities;
  CertifiedKey first;
  TemporaryFile certificate;
  std::vector<std::string> troubles;
  std::shared_ptr<ServerContext> context;
  std::uint16_t tls_port = 0;
};

}  // namespace

TEST_CASE("a client is identified by the names of its certificate, which is optional", "[fleet]") {
  CertificateFixture f;
  const CertifiedKey client(client_request({"URI:spiffe://example/launcher", "DNS:launcher.example", "email:a@example", "IP:10.0.0.1"}),
                            &f.authority);
  CHECK(f.ask_as(&client) == "names: spiffe://example/launcher launcher.example a@example");
  CHECK(f.ask_as(&client, {}, TLS1_2_VERSION) == "names: spiffe://example/launcher launcher.example a@example");
  CHECK(f.ask_as(nullptr) == "nobody");
  CHECK(f.ask_as(nullptr, {}, TLS1_2_VERSION) == "nobody");
  CHECK(f.ask_as(nullptr, {}, TLS1_1_VERSION).empty());
  const CertifiedKey nameless(client_request({}), &f.authority);
  CHECK(f.ask_as(&nameless) == "names: ");
  const CertifiedKey odd(client_request({"DNS:with space", "DNS:plain"}), &f.authority);
  CHECK(f.ask_as(&odd) == "names: plain");
  // Each kind of name has a form of its own: a name that looks like another kind is left out.
  const CertifiedKey posing(client_request({"DNS:a@b.example", "DNS:spiffe://example/train", "email:spiffe://example/a@b",
                                            "email:a.example", "email:a@b@c.example", "URI:a.example", "URI:a@b.example", "DNS:plain"}),
                            &f.authority);
  CHECK(f.ask_as(&posing) == "names: plain");
}

TEST_CASE("a certificate of an unknown authority, out of its time or not for clients ends the handshake", "[fleet]") {
  CertificateFixture f;
  const auto is_let_in = [&f](const CertifiedKey& identity, const std::vector<const CertifiedKey*>& chain = {}) {
    return !f.ask_as(&identity, chain).empty() || !f.ask_as(&identity, chain, TLS1_2_VERSION).empty();
  };
  const CertifiedKey good(client_request(), &f.authority);
  CHECK(is_let_in(good));
  CertificateRequest expired = client_request();
  expired.valid_from = -7200;
  expired.valid_to = -60;
  CHECK_FALSE(is_let_in(CertifiedKey(expired, &f.authority)));
  CertificateRequest early = client_request();
  early.valid_from = 3600;
  CHECK_FALSE(is_let_in(CertifiedKey(early, &f.authority)));
  CertificateRequest of_server = client_request();
  of_server.usage = "serverAuth";
  CHECK_FALSE(is_let_in(CertifiedKey(of_server, &f.authority)));
  CHECK_FALSE(is_let_in(CertifiedKey(client_request())));  // by itself
  const CertifiedKey stranger(authority_request("Strangers"));
  CHECK_FALSE(is_let_in(CertifiedKey(client_request(), &stranger)));
  const CertifiedKey forger(authority_request("Clients"));  // the name is right
  CHECK_FALSE(is_let_in(CertifiedKey(client_request(), &forger), {&forger}));
  const CertifiedKey no_authority(client_request(), &good);  // signed by a client
  CHECK_FALSE(is_let_in(no_authority, {&good}));
  CHECK(f.ask_as(nullptr) == "nobody");
  f.wait_until_empty();
}

TEST_CASE("a client's certificates are held up to 32 kB", "[fleet]") {
  CertificateFixture f;
  std::vector<std::string> names;
  for (int i = 0; i < 900; ++i) names.push_back(fmt::format("DNS:launcher-{}.some.rather.long.name.example", i));
  const CertifiedKey large(client_request(names), &f.authority);
  CHECK(large.pem().size() > 45'000);
  CHECK(f.ask_as(&large).empty());
  CHECK(f.ask_as(&large, {}, TLS1_2_VERSION).empty());
  names.resize(300);
  const CertifiedKey many(client_request(names), &f.authority);
  const std::string reported = f.ask_as(&many);
  CHECK(std::count(reported.begin(), reported.end(), ' ') == 64);
}

TEST_CASE("no session is resumed where clients present certificates", "[fleet]") {
  CertificateFixture f;
  const CertifiedKey client(client_request(), &f.authority);
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsStranger one(f.tls_port, &client, {}, version);
    CHECK_THAT(f.ask(one), Contains("launcher.example"));
    SSL_SESSION* const session = SSL_get0_session(one.tls());
    CHECK_FALSE(SSL_SESSION_has_ticket(session));
    TlsStranger again(f.tls_port, nullptr, {}, version);
    SSL_set_session(again.tls(), session);
    CHECK(f.ask(again) == "nobody");
    CHECK_FALSE(SSL_session_reused(again.tls()));
  }
}

TEST_CASE("a renegotiation is refused", "[fleet]") {
  CertificateFixture f;
  TlsStranger client(f.tls_port, nullptr, {}, TLS1_2_VERSION);
  CHECK(f.ask(client) == "nobody");
  SSL_renegotiate(client.tls());
  for (int i = 0; i < 50; ++i) {
    client.shake();
    f.wait_for(client);
  }
  CHECK(SSL_num_renegotiations(client.tls()) <= 1);
  CHECK(f.ask_as(nullptr) == "nobody");
}

TEST_CASE("new files apply to new connections, and damaged ones to none", "[fleet]") {
  CertificateFixture f;
  CHECK(f.serial_of_server() == f.serial_of(f.first));
  const CertifiedKey second(CertificateRequest({"DNS:rollcall.example"}));
  f.certificate.write(second.pem() + second.key_pem());
  CHECK(f.serial_of_server() == f.serial_of(f.first));  // within the same second
  f.pass(1);
  CHECK(f.serial_of_server() == f.serial_of(second));
  // The certificate is there before its key is.
  const CertifiedKey third(CertificateRequest({"DNS:rollcall.example"}));
  f.certificate.write(third.pem() + second.key_pem());
  f.pass(1);
  CHECK(f.serial_of_server() == f.serial_of(second));
  f.pass(5);
  CHECK(f.serial_of_server() == f.serial_of(second));
  REQUIRE(f.troubles.size() == 1);  // once
  CHECK_THAT(f.troubles[0], Contains(f.certificate.path()) && Contains("the key is not the certificate's"));
  f.certificate.write(third.pem() + third.key_pem());
  f.pass(1);
  CHECK(f.serial_of_server() == f.serial_of(third));
  CHECK(f.troubles.size() == 1);
  // Authorities, too; from then on certificates of these are accepted.
  const CertifiedKey other(authority_request("Others"));
  const CertifiedKey of_first(client_request(), &f.authority);
  const CertifiedKey of_other(client_request(), &other);
  CHECK_FALSE(f.ask_as(&of_first).empty());
  f.authorities.write(other.pem());
  f.pass(1);
  CHECK(f.ask_as(&of_first).empty());
  CHECK_FALSE(f.ask_as(&of_other).empty());
  f.authorities.write("");
  f.pass(1);
  CHECK(f.ask_as(&of_first).empty());
  CHECK_FALSE(f.ask_as(&of_other).empty());
  CHECK(f.troubles.size() == 2);
}

TEST_CASE("unusable files are named, and a server has the name of its certificate", "[fleet]") {
  CertificateFixture f;
  const auto opened = [&f](const std::string& certificate, const std::string& key, const std::string& authorities) {
    TlsFiles files;
    files.certificate = certificate;
    files.key = key;
    files.authorities = authorities;
    return ServerContext::open(files, f.time, {});
  };
  check_failure(opened("/nowhere/tls.pem", "", ""), Errc::invalid_argument, "the server's certificate '/nowhere/tls.pem'");
  const TemporaryFile alone(f.first.pem());
  check_failure(opened(alone.path(), "", ""), Errc::invalid_argument, "its key");
  const CertifiedKey other(CertificateRequest({"DNS:o"}));
  const TemporaryFile key(other.key_pem());
  check_failure(opened(alone.path(), key.path(), ""), Errc::invalid_argument, "the key is not the certificate's");
  check_failure(opened(f.certificate.path(), "", "/nowhere/ca.pem"), Errc::invalid_argument, "/nowhere/ca.pem");
  check_failure(opened(f.certificate.path(), "", key.path()), Errc::invalid_argument, "the file of the clients' authorities");
  CHECK(f.context->name_for("127.0.0.1") == "127.0.0.1");
  CHECK(f.context->name_for("10.0.0.1") == "rollcall.example");
  CHECK(f.context->name_for("") == "rollcall.example");
}
