#include "net/tls/tls_context.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "net/tls/pem_files.hpp"
#include "net/tls/tls_names.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {
namespace {

constexpr std::string_view ca_file = "the CA file";

void free_origin(void*, void* origin, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<std::string*>(origin); }

// The slot of an SSL object for its origin, the key of its sessions. Sessions arrive long after the handshake.
int origin_slot() {
  static const int slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, free_origin);
  return slot;
}

int owner_slot() {
  static const int slot = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return slot;
}

// Reading a bundle takes 30 to 50 ms, the directory nothing until a certificate is looked up in it.
Result<void> trust_system(SSL_CTX* context) {
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  if (const char* const file = std::getenv(X509_get_default_cert_file_env()); file && *file) {
    const Result<void> fine = check_path(X509_get_default_cert_file_env(), file);
    return fine ? trust_file(store, file, ca_file) : fine;
  }
  const char* const own = std::getenv(X509_get_default_cert_dir_env());
  const std::array<const char*, 3> directories{own ? own : "", X509_get_default_cert_dir(), "/etc/ssl/certs"};
  for (const char* const directory : directories) {
    const std::vector<std::string_view> parts = split(directory, ':');  // OpenSSL accepts several
    if (std::none_of(parts.begin(), parts.end(), [](std::string_view part) { return is_directory(std::string(part).c_str()); })) continue;
    X509_LOOKUP* const lookup = X509_STORE_add_lookup(store, X509_LOOKUP_hash_dir());
    if (lookup && X509_LOOKUP_add_dir(lookup, directory, X509_FILETYPE_PEM) == 1) return {};
  }
  const std::array<const char*, 3> bundles{X509_get_default_cert_file(), "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"};
  for (const char* const bundle : bundles) {
    if (trust_file(store, bundle, ca_file)) break;
  }
  ERR_clear_error();
  return {};  // without anchors every handshake fails, with a hint
}

// Errors: invalid_argument naming the source of the text; never the text.
Result<void> trust_authorities(SSL_CTX* context, const ServerAccess& access) {
  ERR_clear_error();
  const BioPtr from = pem_reader(access.authorities);
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  int count = 0;
  for (X509Ptr one = next_certificate(from.get()); one; one = next_certificate(from.get())) {
    if (X509_STORE_add_cert(store, one.get()) != 1) return unusable_pem(access.authorities_from, "OpenSSL refuses a certificate in it");
    ++count;
  }
  if (!is_at_pem_end()) return unusable_pem(access.authorities_from, "it contains a damaged certificate");
  if (count == 0) return unusable_pem(access.authorities_from, no_certificate_in(from.get()));
  ERR_clear_error();
  return {};
}

// The anchors that check_ca_file() has read last, until a context takes them: a program that checks the file at its start does not read it
// twice. A bundle takes 30 to 50 ms.
class CheckedAnchors {
 public:
  void put(StorePtr store, const std::string& path, std::string stamp) {
    const std::lock_guard lock(mutex_);
    store_ = std::move(store);
    path_ = path;
    stamp_ = std::move(stamp);
  }
  /// Null: the file is another one, or has changed.
  StorePtr take(const std::string& path) {
    const std::lock_guard lock(mutex_);
    return path == path_ && stamp_of_file(path) == stamp_ ? std::move(store_) : nullptr;
  }

 private:
  std::mutex mutex_;
  StorePtr store_;
  std::string path_;
  std::string stamp_;
};

CheckedAnchors& checked_anchors() {
  static CheckedAnchors all;
  return all;
}

Result<void> trust_ca_file(SSL_CTX* context, const std::string& path) {
  StorePtr checked = checked_anchors().take(path);
  if (!checked) return trust_file(SSL_CTX_get_cert_store(context), path, ca_file);
  SSL_CTX_set_cert_store(context, checked.release());
  return {};
}

Result<void> use_own_identity(SSL_CTX* context, const ServerAccess& access) {
  const BioPtr from = pem_reader(access.certificate);
  const BioPtr key_from = pem_reader(access.key.reveal());
  return use_identity(context, from.get(), key_from.get(), access.identity_from);
}

}  // namespace

Result<void> check_ca_file(const std::string& path) {
  std::string stamp = stamp_of_file(path);  // before it is read
  StorePtr store(X509_STORE_new());  // a whole context costs five times as much
  if (!store) return Failure(Errc::tls_failed, "OpenSSL cannot be set up");
  const Result<void> trusted = trust_file(store.get(), path, ca_file);
  if (trusted) checked_anchors().put(std::move(store), path, std::move(stamp));
  return trusted;
}

Result<void> check_client_certificate(const std::string& certificate, const std::string& key) {
  TlsFiles files;
  files.certificate = certificate;
  files.key = key.empty() ? certificate : key;
  const Result<std::unique_ptr<TlsContext>> made = TlsContext::create(files);
  if (made.has_error()) return made.error();
  return {};
}

TlsContext::TlsContext(SSL_CTX* context) : context_(context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_CLEANSE_PLAINTEXT);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, on_new_session);
  SSL_CTX_set_ex_data(context, owner_slot(), this);
  static constexpr unsigned char protocols[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context, protocols, sizeof protocols - 1);
}

// Streams that outlive this object keep the SSL_CTX alive.
TlsContext::~TlsContext() { SSL_CTX_set_ex_data(context_.get(), owner_slot(), nullptr); }

Result<std::unique_ptr<TlsContext>> TlsContext::create(const TlsFiles& files, const ServerAccess* access) {
  ERR_clear_error();
  SSL_CTX* const made = SSL_CTX_new(TLS_client_method());
  if (!made) return Failure(Errc::tls_failed, "OpenSSL cannot be set up");
  std::unique_ptr<TlsContext> context(new TlsContext(made));
  const bool has_authorities = access && !access->authorities.empty();
  const Result<void> trusted = has_authorities             ? trust_authorities(made, *access)
                               : files.authorities.empty() ? trust_system(made)
                                                           : trust_ca_file(made, files.authorities);
  if (trusted.has_error()) return trusted.error();
  Result<void> identified;
  if (access && !access->certificate.empty()) {
    identified = use_own_identity(made, *access);
  } else if (!files.certificate.empty()) {
    identified = use_identity_files(made, files, "the client certificate");
  }
  if (identified.has_error()) return identified.error();
  context->skips_verification_ = access && access->skips_verification;
  return context;
}

int TlsContext::on_new_session(SSL* ssl, SSL_SESSION* session) {
  auto* const self = static_cast<TlsContext*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), owner_slot()));
  const auto* const origin = static_cast<const std::string*>(SSL_get_ex_data(ssl, origin_slot()));
  if (!self || !origin) return 0;
  self->sessions_.put(*origin, SslSessionPtr(session));
  return 1;  // kept
}

SslPtr TlsContext::make(const std::string& host, std::uint16_t port, TlsFault& fault) {
  SslPtr ssl(SSL_new(context_.get()));
  if (!ssl) return nullptr;
  set_stream_modes(ssl.get());
  SSL_set_read_ahead(ssl.get(), 1);  // a record's header and body by one system call
  SSL_set_app_data(ssl.get(), &fault);
  if (skips_verification_) {
    SSL_set_verify(ssl.get(), SSL_VERIFY_NONE, nullptr);
  } else {
    SSL_set_verify(ssl.get(), SSL_VERIFY_PEER, note_verification);
  }
  const std::string name = certificate_name(host);
  if (name.empty()) return nullptr;
  bool is_set = false;
  SSL_set_hostflags(ssl.get(), certificate_name_flags);
  if (is_ip_address(name)) {
    is_set = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), name.c_str()) == 1;
  } else {
    is_set = SSL_set_tlsext_host_name(ssl.get(), name.c_str()) == 1 && SSL_set1_host(ssl.get(), name.c_str()) == 1;
  }
  if (!is_set) return nullptr;
  auto origin = std::make_unique<std::string>(fmt::format("{}:{}", to_lower(name), port));
  if (SSL_set_ex_data(ssl.get(), origin_slot(), origin.get()) == 1) static_cast<void>(origin.release());
  SSL_set_connect_state(ssl.get());
  return ssl;
}

void TlsContext::resume(SSL* ssl) {
  const auto* const origin = static_cast<const std::string*>(SSL_get_ex_data(ssl, origin_slot()));
  const SslSessionPtr session = origin ? sessions_.take(*origin) : nullptr;
  if (session) SSL_set_session(ssl, session.get());
}

}  // namespace rollcall
