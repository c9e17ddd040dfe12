// The hosts of a server's certificate, over HTTPS and over gRPC: only its subject alternative names are used.
#include "net/tls/tls_names.hpp"

#include <fmt/format.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <openssl/ssl.h>

#include <asio/co_spawn.hpp>
#include <catch2/catch.hpp>

#include "net/dial/dial_fixture.hpp"
#include "net/grpc/grpc_transport.hpp"
#include "support/certificates.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

class NameCase {
 public:
  std::string host;
  std::string common_name;
  std::vector<std::string> names;
  bool is_accepted;
};

const std::vector<NameCase>& name_cases() {
  static const std::vector<NameCase> cases{
      {"tpu.example.com", "other", {"DNS:tpu.example.com"}, true},
      {"TPU.example.com", "other", {"DNS:tpu.EXAMPLE.com"}, true},
      {"tpu.example.com", "other", {"DNS:*.example.com"}, true},
      {"10.1.2.3", "other", {"IP:10.1.2.3"}, true},
      {"tpu.example.com", "tpu.example.com", {}, false},
      {"tpu.example.com", "*.example.com", {}, false},
      {"tpu.example.com", "tpu.example.com", {"IP:10.1.2.3"}, false},
      {"tpu.example.com", "tpu.example.com", {"email:tpu@example.com"}, false},
      {"tpu.example.com", "tpu.example.com", {"URI:https://tpu.example.com/"}, false},
      {"tpu.example.com", "tpu.example.com", {"DNS:other.example.com"}, false},
      {"tpu.example.com", "other", {"DNS:t*.example.com"}, false},
      {"a.tpu.example.com", "other", {"DNS:*.example.com"}, false},
      {"10.1.2.3", "10.1.2.3", {}, false},
      {"10.1.2.3", "10.1.2.3", {"DNS:10.1.2.3"}, false},
      {"10.1.2.3", "10.1.2.3", {"IP:10.1.2.4"}, false},
  };
  return cases;
}

CertifiedKey identity_for(const NameCase& c, const CertifiedKey& ca) {
  CertificateRequest request(c.names);
  request.common_name = c.common_name;
  return CertifiedKey(request, &ca);
}

asio::awaitable<void> say_yes(ServerExchange& exchange) {
  HttpResponse response;
  response.status = 200;
  co_await exchange.reply(response);
}

// A worker with gRPC over TLS and without methods.
class TlsWorker {
 public:
  explicit TlsWorker(const CertifiedKey& identity) {
    grpc::SslServerCredentialsOptions options;
    options.pem_key_cert_pairs.push_back({identity.key_pem(), identity.pem()});
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &port);
    builder.RegisterCallbackGenericService(&service);
    server = builder.BuildAndStart();
  }
  ~TlsWorker() { server->Shutdown(); }
  int port = 0;
  grpc::CallbackGenericService service;
  std::unique_ptr<grpc::Server> server;
};

}  // namespace

TEST_CASE("over HTTPS a certificate is for its alternative names only") {
  const NameCase c = GENERATE(from_range(name_cases()));
  CAPTURE(c.host, c.common_name, c.names);
  const CertifiedKey ca(authority_request());
  const TemporaryFile ca_file(ca.pem());
  const CertifiedKey identity = identity_for(c, ca);
  const TlsContextPtr context = identity.server_context();
  DialFixture fixture;
  fixture.network.ca_file = ca_file.path();
  HttpServer server(fixture.io.get_executor(), say_yes);
  const std::uint16_t port = server.listen("127.0.0.1", 0, [&](std::string_view) { return context.get(); }).value();
  fixture.network.connect_to.push_back(ConnectTo::parse(fmt::format("::127.0.0.1:{}", port)).value());
  const auto outcome = fixture.dial(fmt::format("https://{}/", c.host));
  REQUIRE(outcome->result.has_value());
  CHECK(outcome->result->has_value() == c.is_accepted);
  CHECK(is_certificate_for(*identity.certificate, c.host) == c.is_accepted);
  if (c.is_accepted) return;
  CHECK(outcome->failure().code() == Errc::tls_failed);
  if (c.names.empty()) CHECK_THAT(outcome->failure().message(), Catch::Contains("without subject alternative names"));
}

TEST_CASE("over gRPC a certificate is for its alternative names only", "[grpc]") {
  const NameCase c = GENERATE(from_range(name_cases()));
  CAPTURE(c.host, c.common_name, c.names);
  const CertifiedKey ca(authority_request());
  const TemporaryFile ca_file(ca.pem());
  const CertifiedKey identity = identity_for(c, ca);
  const TlsWorker worker(identity);
  NetworkOptions network;
  network.ca_file = ca_file.path();
  network.connect_to.push_back(ConnectTo::parse(fmt::format("::127.0.0.1:{}", worker.port)).value());
  asio::io_context io{1};
  const auto timers = std::make_shared<TimerQueue>(system_time(), io.get_executor());
  const auto transport = make_grpc_transport(io.get_executor(), timers, network, file_system());
  RpcRequest request(c.host + ":8470", "/tensorflow.WorkerService/GetStatus");
  request.is_tls = true;
  RpcOptions options;
  options.deadline = timers->now() + std::chrono::seconds(20);
  std::optional<Result<RpcAnswer>> answer;
  asio::co_spawn(io, transport->call(request, options),
                 [&](std::exception_ptr, Result<RpcAnswer> result) { answer.emplace(std::move(result)); });
  while (!answer && io.run_one() > 0) continue;
  REQUIRE(answer);
  if (answer->has_error()) UNSCOPED_INFO(answer->error().message());
  CHECK(answer->has_value() == c.is_accepted);
  if (!c.is_accepted) CHECK(answer->error().code() == Errc::tls_failed);
}

TEST_CASE("an invalid name never passes the verification") {
  CHECK(certificate_name("tpu.example.com.") == "tpu.example.com");
  for (const std::string& host :
       {std::string(), std::string("."), std::string("tpu.example.com\0.evil.test", 26), std::string("\0tpu", 4)}) {
    CHECK(certificate_name(host).empty());
    const CertifiedKey ca(authority_request());
    const CertifiedKey identity(CertificateRequest({"DNS:tpu.example.com"}), &ca);
    CHECK_FALSE(is_certificate_for(*identity.certificate, host));
    const TemporaryFile ca_file(ca.pem());
    const TlsContextPtr context = identity.server_context();
    DialFixture fixture;
    fixture.network.ca_file = ca_file.path();
    HttpServer server(fixture.io.get_executor(), say_yes);
    const std::uint16_t port = server.listen("127.0.0.1", 0, [&](std::string_view) { return context.get(); }).value();
    ServerAccess access;
    access.server_name = host;
    Url url = Url::parse(fmt::format("https://127.0.0.1:{}/", port)).value();
    if (host.size() < 2) {  // an empty name is none
      access.server_name.clear();
      url.host = ".";
      fixture.network.connect_to.push_back(ConnectTo::parse(fmt::format("::127.0.0.1:{}", port)).value());
    }
    std::optional<Result<Stream>> dialled;
    const auto dial = [&]() -> asio::awaitable<void> {
      dialled.emplace(co_await fixture.the_dialer().dial(url, fixture.options, std::make_shared<const ServerAccess>(access)));
    };
    asio::co_spawn(fixture.io, dial(), asio::detached);
    fixture.run_until([&] { return dialled.has_value(); });
    REQUIRE(dialled->has_error());
    CHECK(dialled->error().code() == Errc::tls_failed);
  }
}
