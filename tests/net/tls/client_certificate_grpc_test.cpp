// A client certificate for workers that request one over gRPC.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <catch2/catch.hpp>

#include "net/grpc/grpc_fixture.hpp"
#include "support/certificates.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

// It has no methods, and accepts only clients of the authority.
class SecureWorker {
 public:
  SecureWorker(const CertifiedKey& identity, const CertifiedKey& clients, const std::string& at = "127.0.0.1:0") {
    grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
    options.pem_root_certs = clients.pem();
    options.pem_key_cert_pairs.push_back({identity.key_pem(), identity.pem()});
    grpc::ServerBuilder builder;
    builder.AddListeningPort(at, grpc::SslServerCredentials(options), &port_);
    builder.RegisterCallbackGenericService(&service_);
    server_ = builder.BuildAndStart();
  }
  ~SecureWorker() { server_->Shutdown(); }
  SecureWorker(const SecureWorker&) = delete;
  SecureWorker& operator=(const SecureWorker&) = delete;
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  int port_ = 0;
  grpc::CallbackGenericService service_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace

TEST_CASE("a client certificate from files is presented to workers, too", "[grpc]") {
  const bool has_certificate = GENERATE(true, false);
  const CertifiedKey ca(authority_request());
  const TemporaryFile ca_file(ca.pem());
  const CertifiedKey worker(CertificateRequest({"IP:127.0.0.1"}), &ca);
  const CertifiedKey client(CertificateRequest({"DNS:client.test"}), &ca);
  const TemporaryFile certificate(client.pem());
  const TemporaryFile key(client.key_pem());
  const SecureWorker server(worker, ca);
  NetworkOptions network;
  network.ca_file = ca_file.path();
  if (has_certificate) {
    network.certificate_file = certificate.path();
    network.key_file = key.path();
  }
  GrpcFixture fixture(network);
  const Result<RpcAnswer> answer = fixture.call(server.address(), std::chrono::seconds(20), true);
  if (answer.has_error()) UNSCOPED_INFO(answer.error().message());
  CHECK(answer.has_value() == has_certificate);
}

TEST_CASE("renewed certificates are used for the next call to a worker; while they are damaged the last ones are used", "[grpc]") {
  const CertifiedKey first_ca(authority_request("First CA"));
  const CertifiedKey second_ca(authority_request("Second CA"));
  const CertificateRequest for_worker({"IP:127.0.0.1"});
  const CertificateRequest for_client({"DNS:client.test"});
  const CertifiedKey first(for_client, &first_ca);
  const CertifiedKey second(for_client, &second_ca);
  const TemporaryFile authorities(first_ca.pem());
  const TemporaryFile certificate(first.pem());
  const TemporaryFile key(first.key_pem());
  NetworkOptions network;
  network.ca_file = authorities.path();
  network.certificate_file = certificate.path();
  network.key_file = key.path();
  GrpcFixture fixture(network);
  auto server = std::make_unique<SecureWorker>(CertifiedKey(for_worker, &first_ca), first_ca);
  const std::string address = server->address();
  const auto is_answered = [&] {
    const Result<RpcAnswer> answer = fixture.call(address, std::chrono::seconds(20), true);
    if (answer.has_error()) UNSCOPED_INFO(answer.error().message());
    return answer.has_value();
  };
  REQUIRE(is_answered());
  // Three files are not written at once.
  certificate.write(second.pem());
  CHECK(is_answered());
  authorities.write("-----BEGIN CERTIFICATE-----\nhalf of it");
  CHECK(is_answered());

  server.reset();
  server = std::make_unique<SecureWorker>(CertifiedKey(for_worker, &second_ca), second_ca, address);
  CHECK_FALSE(is_answered());
  key.write(second.key_pem());
  authorities.write(second_ca.pem());
  CHECK(is_answered());
}

TEST_CASE("an unusable key of a client certificate is reported before gRPC reads it", "[grpc]") {
  const CertifiedKey client(CertificateRequest({"DNS:client.test"}));
  const TemporaryFile certificate(client.pem());
  const TemporaryFile key("hush");
  NetworkOptions network;
  network.certificate_file = certificate.path();
  network.key_file = key.path();
  GrpcFixture fixture(network);
  const Result<RpcAnswer> answer = fixture.call("127.0.0.1:1", std::chrono::seconds(20), true);
  REQUIRE(answer.has_error());
  CHECK(answer.error().code() == Errc::invalid_argument);
  CHECK_THAT(answer.error().message(),
             Catch::Contains(key.path()) && Catch::Contains("its key is no PEM private key") && !Catch::Contains("hush"));
}
