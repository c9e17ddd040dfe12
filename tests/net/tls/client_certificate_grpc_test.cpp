// A client certificate for workers that ask for one over gRPC.
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <catch2/catch.hpp>

#include "net/grpc/grpc_fixture.hpp"
#include "support/certificates.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("a client certificate from files is presented to workers, too", "[grpc]") {
  const bool has_certificate = GENERATE(true, false);
  const Identity ca(authority_request());
  const TemporaryFile ca_file(ca.pem());
  const Identity worker(CertificateRequest({"IP:127.0.0.1"}), &ca);
  const Identity client(CertificateRequest({"DNS:client.test"}), &ca);
  const TemporaryFile certificate(client.pem());
  const TemporaryFile key(client.key_pem());
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = ca.pem();
  options.pem_key_cert_pairs.push_back({worker.key_pem(), worker.pem()});
  int port = 0;
  grpc::CallbackGenericService service;  // which knows no method
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(options), &port);
  builder.RegisterCallbackGenericService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  NetworkOptions network;
  network.ca_file = ca_file.path();
  if (has_certificate) {
    network.certificate_file = certificate.path();
    network.key_file = key.path();
  }
  GrpcFixture fixture(network);
  const Result<RpcAnswer> answer = fixture.call("127.0.0.1:" + std::to_string(port), std::chrono::seconds(20), true);
  if (answer.has_error()) UNSCOPED_INFO(answer.error().message());
  CHECK(answer.has_value() == has_certificate);
  server->Shutdown();
}

TEST_CASE("a client certificate's key that cannot be used is told before gRPC sees it", "[grpc]") {
  const Identity client(CertificateRequest({"DNS:client.test"}));
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
             Catch::Contains(key.path()) && Catch::Contains("it is no PEM private key") && !Catch::Contains("hush"));
}
