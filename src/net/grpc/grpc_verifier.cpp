#include "net/grpc/grpc_verifier.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include "base/text.hpp"
#include "net/tls/tls_names.hpp"

namespace rollcall {
namespace {

namespace grpc_tls = grpc::experimental;

class NameVerifier final : public grpc_tls::ExternalCertificateVerifier {
 public:
  explicit NameVerifier(std::string host) : host_(std::move(host)) {}

  bool Verify(grpc_tls::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>, grpc::Status* status) override {
    const grpc::string_ref pem = request->peer_cert();
    const std::unique_ptr<BIO, decltype(&BIO_free)> from(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
    const std::unique_ptr<X509, decltype(&X509_free)> certificate(PEM_read_bio_X509(from.get(), nullptr, nullptr, nullptr), X509_free);
    ERR_clear_error();
    const bool is_fine = certificate && is_certificate_for(*certificate, host_);
    *status = is_fine ? grpc::Status::OK
                      : grpc::Status(grpc::StatusCode::UNAUTHENTICATED,
                                     fmt::format("none of the certificate's subject alternative names is {}", quoted(host_)));
    return true;
  }
  void Cancel(grpc_tls::TlsCustomVerificationCheckRequest*) override {}

 private:
  const std::string host_;
};

}  // namespace

std::shared_ptr<grpc_tls::CertificateVerifier> make_grpc_verifier(std::string host) {
  return grpc_tls::ExternalCertificateVerifier::Create<NameVerifier>(std::move(host));
}

}  // namespace rollcall
