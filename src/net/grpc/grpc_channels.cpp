#include "net/grpc/grpc_channels.hpp"

#include <fmt/format.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/support/channel_arguments.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "keys/private_key.hpp"
#include "net/dial/connect_to.hpp"
#include "net/grpc/grpc_compression.hpp"
#include "net/tls/tls_context.hpp"
#include "net/tls/tls_names.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

// Each is a connection, and connections are descriptors; a process may often have no more than 1024 of them.
constexpr std::size_t most_channels = 256;

// gRPC's name for an address: a literal is not looked up.
std::string target_of(const Destination& to, const std::vector<std::string>& dns_servers) {
  const std::string address = Endpoint(to.host, to.port).to_text();
  if (is_ipv4_literal(to.host) || is_ipv6_literal(to.host, true))
    return fmt::format("{}:{}", to.host.find(':') == std::string::npos ? "ipv4" : "ipv6", address);
  return fmt::format("dns://{}/{}", dns_servers.empty() ? "" : dns_servers.front(), address);
}

// Accepts certificates for `host` by the rule of net/tls/tls_names.hpp; gRPC's own takes a common name, too. That an authority vouches for
// the certificate is checked before.
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

// A call that was over before it began, on a channel of its own. Never freed.
class Forgotten {
 public:
  Forgotten() : channel_(grpc::CreateChannel("ipv4:127.0.0.1:1", grpc::InsecureChannelCredentials())) {
    context_.set_deadline(std::chrono::system_clock::time_point());
    const grpc::Slice nothing;
    request_ = grpc::ByteBuffer(&nothing, 1);
    grpc::GenericStub stub(channel_);
    stub.UnaryCall(&context_, "/none", grpc::StubOptions(), &request_, &answer_, [](const grpc::Status&) {});
  }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer answer_;
};

// Trust anchors and a client certificate, where there are files of them; else the system decides whom to trust.
class TlsTexts {
 public:
  TlsTexts() {}
  std::string authorities;
  std::vector<grpc::experimental::IdentityKeyCertPair> identity;
};

Result<TlsTexts> read_tls_files(const NetworkOptions& network, const Files& files) {
  constexpr std::size_t max_bytes = 4 * 1024 * 1024;
  const TlsFiles paths(network);
  TlsTexts texts;
  if (!paths.authorities.empty()) {
    Result<std::string> authorities = files.read(paths.authorities, max_bytes);
    if (!authorities) return authorities.error();
    texts.authorities = std::move(*authorities);
  }
  if (paths.certificate.empty()) return texts;
  Result<std::string> certificate = files.read(paths.certificate, max_bytes);
  if (!certificate) return certificate.error();
  Result<std::string> key = files.read(paths.key, max_bytes);
  if (!key) return key.error();
  // gRPC would work on whatever key it is given, and take one whose passphrase is empty.
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(BIO_new_mem_buf(key->data(), static_cast<int>(key->size())), BIO_free);
  const Result<PrivateKeyPtr> usable = read_private_key(*text);
  if (!usable) {
    return Failure(Errc::invalid_argument,
                   fmt::format("the client certificate's key {} cannot be used: it {}", quoted(paths.key), usable.error().what()));
  }
  grpc::experimental::IdentityKeyCertPair pair;
  pair.certificate_chain = std::move(*certificate);
  pair.private_key = std::move(*key);
  texts.identity.push_back(std::move(pair));
  return texts;
}

// gRPC 1.51 frees its options only with the credentials that they are made into: nothing may fail in between.
std::shared_ptr<grpc::ChannelCredentials> tls_credentials(TlsTexts texts, const std::string& verified_host) {
  grpc::experimental::TlsChannelCredentialsOptions tls;
  const bool has_authorities = !texts.authorities.empty();
  const bool has_identity = !texts.identity.empty();
  if (has_authorities || has_identity) {
    tls.set_certificate_provider(
        std::make_shared<grpc::experimental::StaticDataCertificateProvider>(texts.authorities, std::move(texts.identity)));
  }
  if (has_authorities) tls.watch_root_certs();
  if (has_identity) tls.watch_identity_key_cert_pairs();
  tls.set_certificate_verifier(grpc::experimental::ExternalCertificateVerifier::Create<NameVerifier>(verified_host));
  return grpc::experimental::TlsCredentials(tls);
}

}  // namespace

Result<std::shared_ptr<grpc::Channel>> GrpcChannels::at(const RpcRequest& request, std::size_t max_message_bytes) {
  const std::string key = fmt::format("{}{}#{}", request.is_tls ? "tls:" : "", request.address, max_message_bytes);
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    kept_.splice(kept_.begin(), kept_, found->second);
    return kept_.front().channel;
  }
  Result<std::shared_ptr<grpc::Channel>> made = make(request, max_message_bytes);
  if (!made) return made;
  kept_.push_front(Kept{key, *made});
  by_key_.emplace(key, kept_.begin());
  while (kept_.size() > most_channels) {
    by_key_.erase(kept_.back().key);
    kept_.pop_back();
  }
  return made;
}

void GrpcChannels::clear() noexcept {
  by_key_.clear();
  kept_.clear();
}

Result<std::shared_ptr<grpc::Channel>> GrpcChannels::make(const RpcRequest& request, std::size_t max_message_bytes) {
  const Result<Endpoint> worker = Endpoint::parse(request.address);
  if (!worker) return worker.error();
  if (!worker->port)
    return Failure(Errc::invalid_argument, "the worker's address has no port: " + request.address).with_target(request.address);
  const Destination to = apply_connect_to(network_.connect_to, worker->host, *worker->port);

  keep_grpc_callback_threads();
  grpc::ChannelArguments arguments;
  arguments.SetInt("grpc.enable_http_proxy", 0);  // workers are neighbours
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 3000);  // of one connection, TLS included; else 20 s, and no call gets another one
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);  // else a worker that is back is noticed 8 s late
  arguments.SetInt(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, static_cast<int>(std::min<std::size_t>(max_message_bytes, 1U << 30)));
  take_no_compression(arguments);
  // Its own connections: another part of the process may talk to the same worker with other back-off.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  if (to.host != worker->host || to.port != *worker->port) arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, request.address);

  std::shared_ptr<grpc::ChannelCredentials> credentials;
  if (request.is_tls) {
    Result<TlsTexts> texts = read_tls_files(network_, *files_);
    if (!texts) return texts.error();
    if (to.host != worker->host) arguments.SetString(GRPC_SSL_TARGET_NAME_OVERRIDE_ARG, worker->host);
    credentials = tls_credentials(std::move(*texts), worker->host);
  } else {
    credentials = grpc::InsecureChannelCredentials();
  }
  return grpc::CreateCustomChannel(target_of(to, network_.dns_servers), credentials, arguments);
}

void keep_grpc_callback_threads() {
  static const auto* const kept = new Forgotten;
  static_cast<void>(kept);
}

}  // namespace rollcall
