#include "net/grpc/grpc_credentials.hpp"

#include <fmt/format.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <functional>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "net/tls/tls_names.hpp"

namespace rollcall {
namespace {

// Accepts certificates for `host` by the rule of net/tls/tls_names.hpp; gRPC's own rule accepts a common name, too. The authority's
// signature is checked before.
class NameVerifier final : public grpc::experimental::ExternalCertificateVerifier {
 public:
  explicit NameVerifier(std::string host) : host_(std::move(host)) {}

  bool Verify(grpc::experimental::TlsCustomVerificationCheckRequest* request, std::function<void(grpc::Status)>,
              grpc::Status* status) override {
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
  void Cancel(grpc::experimental::TlsCustomVerificationCheckRequest*) override {}

 private:
  const std::string host_;
};

}  // namespace

// The content of the files.
Result<ServerAccess> GrpcCredentials::read() const {
  constexpr std::size_t max_bytes = 4 * 1024 * 1024;
  ServerAccess access;
  if (!paths_.authorities.empty()) {
    Result<std::string> authorities = files_->read(paths_.authorities, max_bytes);
    if (!authorities) return authorities.error();
    access.authorities = std::move(*authorities);
    access.authorities_from = "the CA file " + quoted_path(paths_.authorities);
  }
  if (!paths_.certificate.empty()) {
    Result<std::string> certificate = files_->read(paths_.certificate, max_bytes);
    if (!certificate) return certificate.error();
    Result<std::string> key = files_->read(paths_.key, max_bytes);
    if (!key) return key.error();
    access.certificate = std::move(*certificate);
    access.key = Secret<std::string>(std::move(*key));
    access.identity_from =
        fmt::format("the client certificate {} with its key {}", quoted_path(paths_.certificate), quoted_path(paths_.key));
  }
  if (access.authorities.empty() && access.certificate.empty()) return access;
  // gRPC would accept any key, also one with an empty passphrase, and notice only in a handshake that a certificate is damaged or was
  // written before its key.
  const Result<std::unique_ptr<TlsContext>> usable = TlsContext::create(TlsFiles(), &access);
  if (!usable) return usable.error();
  return access;
}

Result<void> GrpcCredentials::refresh() {
  std::string stamp = paths_.stamp();  // before they are read: the next call notices changes made meanwhile
  if (number_ != 0 && stamp == stamp_) return {};
  const Result<ServerAccess> access = read();
  if (!access) return number_ != 0 ? Result<void>() : access.error();
  stamp_ = std::move(stamp);
  ++number_;
  has_authorities_ = !access->authorities.empty();
  has_identity_ = !access->certificate.empty();
  if (!has_authorities_ && !has_identity_) return {};
  std::vector<grpc::experimental::IdentityKeyCertPair> identity;
  if (has_identity_) {
    grpc::experimental::IdentityKeyCertPair& pair = identity.emplace_back();
    pair.certificate_chain = access->certificate;
    pair.private_key = access->key.reveal();  // gRPC keeps it, and does not wipe it
  }
  provider_ = std::make_shared<grpc::experimental::StaticDataCertificateProvider>(access->authorities, std::move(identity));
  return {};
}

// gRPC 1.51 frees its options only with the credentials that are created from them: nothing may fail in between.
std::shared_ptr<grpc::ChannelCredentials> GrpcCredentials::make(const std::string& verified_host) const {
  grpc::experimental::TlsChannelCredentialsOptions tls;
  if (provider_) tls.set_certificate_provider(provider_);
  if (has_authorities_) tls.watch_root_certs();
  if (has_identity_) tls.watch_identity_key_cert_pairs();
  tls.set_certificate_verifier(grpc::experimental::ExternalCertificateVerifier::Create<NameVerifier>(verified_host));
  return grpc::experimental::TlsCredentials(tls);
}

}  // namespace rollcall
