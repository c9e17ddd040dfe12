// A client certificate for every server, from files; and the source of the trust anchors when no option is set.
#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/ui.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "net/http/http_client_fixture.hpp"
#include "net/tls/tls_context.hpp"
#include "support/certificates.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

asio::awaitable<void> say_nothing(ServerExchange& exchange) {
  HttpResponse response;
  response.status = 200;
  co_await exchange.reply(response);
}

// A server that accepts only clients of `ca`.
class MutualFixture {
 public:
  MutualFixture()
      : ca(authority_request()), ca_file(ca.pem()), server_identity(CertificateRequest({"IP:127.0.0.1"}), &ca), client(of_client(), &ca),
        context(server_identity.server_context()) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), ca.certificate.get());
    port = server.listen("127.0.0.1", 0, [this](std::string_view) { return context.get(); }).value();
    network.ca_file = ca_file.path();
  }
  ~MutualFixture() {
    server.stop();
    for (int i = 0; i < 20; ++i) {
      loop.restart();
      loop.poll();
    }
  }
  static CertificateRequest of_client() {
    CertificateRequest request;
    request.common_name = "client";
    request.usage = "clientAuth";
    return request;
  }
  OutcomePtr get(std::shared_ptr<const ServerAccess> access = nullptr) {
    const auto http = make_http_transport(loop.get_executor(), timers, network);
    HttpRequest request;
    request.url = Url::parse(fmt::format("https://127.0.0.1:{}/", port)).value();
    request.access = std::move(access);
    auto outcome = std::make_shared<Outcome>();
    asio::co_spawn(loop, send_into(http, request, ExchangeOptions(), outcome), ended(outcome));
    loop.restart();
    while (!outcome->is_done()) {
      if (loop.run_one() == 0) FAIL("nothing is left to wait for");
    }
    http->close();
    return outcome;
  }

  asio::io_context loop{1};
  std::shared_ptr<TimerQueue> timers = std::make_shared<TimerQueue>(std::make_shared<FakeTime>(), loop.get_executor());
  CertifiedKey ca;
  TemporaryFile ca_file;
  CertifiedKey server_identity;
  CertifiedKey client;
  TlsContextPtr context;
  HttpServer server{loop.get_executor(), say_nothing};
  NetworkOptions network;
  std::uint16_t port = 0;
};

// Sets a variable of the process during its lifetime.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = ::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("a client certificate from files is presented to every server that requests one") {
  MutualFixture net;
  const TemporaryFile certificate(net.client.pem());
  const TemporaryFile key(net.client.key_pem());
  const TemporaryFile both(net.client.pem() + net.client.key_pem());
  SECTION("none") {
    const OutcomePtr outcome = net.get();
    CHECK(outcome->code() == Errc::tls_failed);
    CHECK_THAT(outcome->what(), Catch::Contains("certificate required") && Catch::Contains("client certificate"));
  }
  SECTION("two files") {
    net.network.certificate_file = certificate.path();
    net.network.key_file = key.path();
    CHECK(net.get()->result->has_value());
    auto access = std::make_shared<ServerAccess>();
    access->authorities = net.ca.pem();
    CHECK(net.get(access)->result->has_value());  // which has trust anchors of its own, and no certificate
  }
  SECTION("one file") {
    net.network.certificate_file = both.path();
    CHECK(net.get()->result->has_value());
  }
  SECTION("a server's own comes first") {
    const CertifiedKey stranger(MutualFixture::of_client());
    net.network.certificate_file = both.path();
    auto access = std::make_shared<ServerAccess>();
    access->certificate = stranger.pem();
    access->key = Secret<std::string>(stranger.key_pem());
    CHECK(net.get(access)->code() == Errc::tls_failed);
  }
}

TEST_CASE("a client certificate that cannot be used is named, and its key never shown") {
  MutualFixture net;
  const TemporaryFile certificate(net.client.pem());
  const TemporaryFile other_key(net.ca.key_pem());
  const TemporaryFile nonsense("hush");
  const auto reported = [&](const std::string& file, const std::string& key) {
    net.network.certificate_file = file;
    net.network.key_file = key;
    const OutcomePtr outcome = net.get();
    CHECK(outcome->code() == Errc::invalid_argument);
    CHECK_THAT(outcome->what(), !Catch::Contains("hush") && !Catch::Contains("PRIVATE KEY"));
    return outcome->what();
  };
  CHECK_THAT(reported("/no/such.pem", ""), Catch::Contains("the client certificate '/no/such.pem' cannot be used: No such file"));
  CHECK_THAT(reported("/", ""), Catch::Contains("it is a directory"));
  CHECK_THAT(reported(nonsense.path(), ""), Catch::Contains(nonsense.path()) && Catch::Contains("no PEM certificate"));
  CHECK_THAT(reported(certificate.path(), ""), Catch::Contains("its key is no PEM private key"));
  CHECK_THAT(reported(certificate.path(), nonsense.path()), Catch::Contains("its key is no PEM private key"));
  CHECK_THAT(reported(certificate.path(), other_key.path()), Catch::Contains("the key is not the certificate's"));
  CHECK_THAT(reported(certificate.path(), "/no/key.pem"), Catch::Contains("the client certificate's key '/no/key.pem'"));
  CHECK(net.server.requests() == 0);
}

TEST_CASE("no passphrase is prompted for a certificate or its key") {
  static int asked = 0;
  asked = 0;
  const std::unique_ptr<UI_METHOD, OpenSslDeleter<UI_destroy_method>> asks(UI_create_method("a terminal"));
  UI_method_set_opener(asks.get(), [](UI*) {
    ++asked;
    return 0;
  });
  const UI_METHOD* const usual = UI_get_default_method();
  UI_set_default_method(asks.get());
  const std::string encrypted =
      "-----BEGIN CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,E86B896C858964AA66963E701063AA06\n\n"
      "aHVzaGh1c2hodXNoaHVzaA==\n-----END CERTIFICATE-----\n";
  MutualFixture net;
  std::string encrypted_key = encrypted;
  for (std::size_t at = encrypted_key.find("CERTIFICATE"); at != std::string::npos; at = encrypted_key.find("CERTIFICATE"))
    encrypted_key.replace(at, 11, "EC PRIVATE KEY");
  auto access = std::make_shared<ServerAccess>();
  SECTION("an authority of one server") { access->authorities = encrypted; }
  SECTION("a certificate for one server") {
    access->certificate = encrypted;
    access->key = Secret<std::string>(net.client.key_pem());
  }
  SECTION("its chain") {
    access->certificate = net.client.pem() + encrypted;
    access->key = Secret<std::string>(net.client.key_pem());
  }
  SECTION("its key") {
    access->certificate = net.client.pem();
    access->key = Secret<std::string>(encrypted_key);
  }
  const TemporaryFile file(encrypted + net.client.key_pem());
  SECTION("a certificate for every server") { net.network.certificate_file = file.path(); }
  SECTION("every server's authority") { net.network.ca_file = file.path(); }
  CHECK(net.get(access)->code() == Errc::invalid_argument);
  CHECK(asked == 0);
  UI_set_default_method(usual);
}

TEST_CASE("SSL_CERT_FILE and SSL_CERT_DIR say where the system's trust anchors are") {
  MutualFixture net;
  SSL_CTX_set_verify(net.context.get(), SSL_VERIFY_NONE, nullptr);
  net.network.ca_file.clear();
  const Variable no_file("SSL_CERT_FILE", "");
  CHECK(net.get()->code() == Errc::tls_failed);
  SECTION("a file") {
    const Variable variable("SSL_CERT_FILE", net.ca_file.path());
    CHECK(net.get()->result->has_value());
  }
  SECTION("directories") {
    const std::string folder = net.ca_file.path() + ".d";
    ::mkdir(folder.c_str(), 0700);
    const std::string name = fmt::format("{}/{:08x}.0", folder, X509_subject_name_hash(net.ca.certificate.get()));
    REQUIRE(::symlink(net.ca_file.path().c_str(), name.c_str()) == 0);
    {
      const Variable variable("SSL_CERT_DIR", "/no/such/folder:" + folder);
      CHECK(net.get()->result->has_value());
    }
    ::unlink(name.c_str());
    ::rmdir(folder.c_str());
  }
}
