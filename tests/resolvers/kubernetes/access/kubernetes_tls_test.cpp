// From a kubeconfig to a real TLS socket: a client certificate, a CA of the cluster, a server name, and failures of these.
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

#include "json/json_text.hpp"
#include "net/server/http_server.hpp"
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "support/certificates.hpp"
#include "support/credential_files.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

std::string key_pem(const CertifiedKey& identity) {
  BIO* const out = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(out, identity.key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(out);
  return text;
}

// An API server that requires a client certificate issued by `clients`.
class TlsApi {
 public:
  TlsApi()
      : ca(authority_request()), clients(authority_request("Client CA")), server_identity(CertificateRequest({"DNS:api.cluster"}), &ca),
        context(server_identity.server_context()),
        server(io.get_executor(), [this](ServerExchange& exchange) { return answer(exchange); }) {
    SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), clients.certificate.get());
    port = server.listen("127.0.0.1", 0, [this](std::string_view) { return context.get(); }).value();
    CertificateRequest person;
    person.common_name = "person";
    const CertifiedKey client(person, &clients);
    files["/k/ca.pem"] = ca.pem();
    files["/k/client.pem"] = client.pem();
    files["/k/key.pem"] = key_pem(client);
  }

  asio::awaitable<void> answer(ServerExchange& exchange) {
    HttpResponse response;
    response.status = 200;
    response.body = list_json(pod_json("a", "10.0.0.1"));
    co_await exchange.reply(response);
  }

  void use(const std::string& cluster, const std::string& user) {
    files["/k/config"] = fmt::format(
        "current-context: c\nclusters: [{{name: k, cluster: {{server: 'https://127.0.0.1:{}', {}}}}}]\n"
        "users: [{{name: u, user: {{{}}}}}]\ncontexts: [{{name: c, context: {{cluster: k, user: u}}}}]\n",
        port, cluster, user);
  }

  // Runs `times` calls in one Runtime and returns the outcome of the last.
  std::string ask(int times = 1) {
    RuntimeOptions options;
    options.environment = fixed_environment({{"KUBECONFIG", "/k/config"}});
    options.files = fixed_files(files);
    options.programs = programs;
    Runtime runtime(io.get_executor(), std::move(options));
    std::string reported;
    for (int i = 0; i < times; ++i) {
      std::optional<Result<ClusterSpec>> spec;
      const auto resolver = make_kubernetes_resolver(runtime);
      asio::co_spawn(io, resolver->try_cluster_spec(),
                     [&spec](std::exception_ptr, Result<ClusterSpec> result) { spec = std::move(result); });
      io.restart();
      while (!spec && io.run_one() > 0) continue;
      reported = *spec ? (*spec)->task_address("worker", 0).value()
                       : std::string(to_string(spec->error().code())) + ": " + spec->error().message();
    }
    bool is_closed = false;
    asio::co_spawn(io, runtime.close(), [&is_closed](std::exception_ptr) { is_closed = true; });
    io.restart();
    while (!is_closed && io.run_one() > 0) continue;
    return reported;
  }

  asio::io_context io{1};
  CertifiedKey ca;
  CertifiedKey clients;
  CertifiedKey server_identity;
  TlsContextPtr context;
  HttpServer server;
  std::uint16_t port = 0;
  std::map<std::string, std::string, std::less<>> files;
  std::shared_ptr<FakePrograms> programs = std::make_shared<FakePrograms>(nullptr);
};

// The output of an exec plugin: a certificate of that name, valid for one call.
std::string certificate_reply(const std::string& name, const CertifiedKey& authority) {
  CertificateRequest person;
  person.common_name = name;
  const CertifiedKey client(person, &authority);
  std::string out = R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{)";
  append_json_field(out, "clientCertificateData", client.pem());
  append_json_field(out, "clientKeyData", key_pem(client));
  append_json_field(out, "expirationTimestamp", "1971-01-01T00:00:00Z");
  return out + "}}";
}

constexpr const char* good_cluster = "certificate-authority: ca.pem, tls-server-name: api.cluster";
constexpr const char* good_user = "client-certificate: client.pem, client-key: key.pem";

}  // namespace

TEST_CASE("a client certificate, a CA and a server name from a kubeconfig; the connection is kept although the files are read again") {
  TlsApi api;
  api.use(good_cluster, good_user);
  CHECK(api.ask(3) == "10.0.0.1:8470");
  CHECK(api.server.connections_accepted() == 1);
}

TEST_CASE("without a client certificate the server's refusal is reported") {
  TlsApi api;
  api.use(good_cluster, "");
  CHECK_THAT(api.ask(), Contains("tls_failed") && Contains("certificate required") && Contains("client certificate"));
}

TEST_CASE("a server of another authority and name is accepted if the kubeconfig says so") {
  TlsApi api;
  api.use("insecure-skip-tls-verify: true", good_user);
  CHECK(api.ask() == "10.0.0.1:8470");
  api.use("insecure-skip-tls-verify: true, tls-server-name: other", good_user);
  CHECK(api.ask() == "10.0.0.1:8470");
  api.use("insecure-skip-tls-verify: false", good_user);
  CHECK_THAT(api.ask(), Contains("tls_failed"));
}

TEST_CASE("a client certificate that an exec plugin makes: another one gets another connection") {
  TlsApi api;
  const std::string exec = "exec: {apiVersion: client.authentication.k8s.io/v1, command: plug, interactiveMode: Never}";
  const std::string first = certificate_reply("first", api.clients);
  api.use(good_cluster, exec);
  SECTION("one certificate, one connection") {
    api.programs->answer(first);
    CHECK(api.ask(3) == "10.0.0.1:8470");
    CHECK(api.programs->requests.size() == 3);
    CHECK(api.server.connections_accepted() == 1);
  }
  SECTION("two certificates, two connections") {
    api.programs->answer(first);
    api.programs->answer(certificate_reply("second", api.clients));
    CHECK(api.ask(3) == "10.0.0.1:8470");
    CHECK(api.server.connections_accepted() == 2);
  }
  SECTION("an invalid certificate") {
    api.programs->answer(
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"clientCertificateData":"x","clientKeyData":"y"}})");
    CHECK_THAT(api.ask(), Contains("invalid_argument: ") && Contains("the client certificate of the exec plugin 'plug' of the user 'u' "
                                                                     "(/k/config, line 3) cannot be used: it contains no PEM certificate"));
  }
}

TEST_CASE("a server of another authority, or of another name") {
  TlsApi api;
  api.files["/k/other.pem"] = api.clients.pem();
  api.use("certificate-authority: other.pem, tls-server-name: api.cluster", good_user);
  CHECK_THAT(api.ask(), Contains("tls_failed") && Contains("the CA file /k/other.pem does not contain that authority"));
  api.use("certificate-authority: ca.pem", good_user);
  CHECK_THAT(api.ask(), Contains("tls_failed") && Contains("its certificate is for api.cluster, not for 127.0.0.1"));
}

TEST_CASE("PEM texts that cannot be used are named, never shown") {
  TlsApi api;
  const std::string key = api.files["/k/key.pem"];
  const std::string certificate = api.files["/k/client.pem"];
  const auto error_with_key = [&api](const std::string& text) {
    api.files["/k/key.pem"] = text;
    return api.ask();
  };
  api.use(good_cluster, good_user);
  CHECK_THAT(error_with_key("hush"),
             Contains("the client certificate of 'u' (/k/config, line 3) cannot be used: its key is no PEM") && !Contains("hush"));
  CHECK_THAT(error_with_key(key_pem(api.ca)), Contains("the key is not the certificate's"));
  CHECK_THAT(error_with_key(rsa_test_key), Contains("the key is not the certificate's"));  // the certificate has one of another type
  api.files["/k/key.pem"] = key;
  api.files["/k/client.pem"] = "nothing";
  CHECK_THAT(api.ask(), Contains("invalid_argument") && Contains("it contains no PEM certificate"));
  api.files["/k/client.pem"] = certificate.substr(0, 100) + certificate.substr(140);
  CHECK_THAT(api.ask(), Contains("invalid_argument") && Contains("damaged"));
  api.files["/k/client.pem"] = certificate;
  api.files["/k/ca.pem"] = "nothing";
  CHECK_THAT(api.ask(), Contains("the CA file /k/ca.pem cannot be used: it contains no PEM certificate"));
  api.files["/k/ca.pem"] = api.ca.pem() + "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  CHECK_THAT(api.ask(), Contains("the CA file /k/ca.pem cannot be used: it contains a damaged certificate"));
  CHECK(api.server.requests() == 0);  // TLS is set up while the connection is made
}
