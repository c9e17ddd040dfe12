#include "net/tls/tls_context.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "base/text.hpp"
#include "net/tls/tls_names.hpp"
#include "net/tls/tls_pem.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {
namespace {

void free_origin(void*, void* origin, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<std::string*>(origin); }

// The slot of an SSL object that holds its origin, the key of its sessions. Sessions arrive long after the handshake.
int origin_slot() {
  static const int slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, free_origin);
  return slot;
}

int owner_slot() {
  static const int slot = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return slot;
}

Failure unusable_file(const std::string& path) {
  const unsigned long code = ERR_peek_last_error();
  struct stat info{};
  std::string why = "it contains no PEM certificate";
  if (::stat(path.c_str(), &info) != 0) {
    why = std::error_code(errno, std::system_category()).message();
  } else if (S_ISDIR(info.st_mode)) {
    why = "it is a directory";
  } else if (ERR_GET_LIB(code) == ERR_LIB_SYS) {
    why = std::error_code(ERR_GET_REASON(code), std::system_category()).message();
  }
  ERR_clear_error();
  return Failure(Errc::invalid_argument, fmt::format("the CA file {} cannot be used: {}", quoted(path), why)).with_target(printable(path));
}

bool is_directory(const char* path) noexcept {
  struct stat info{};
  return ::stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

Result<void> trust_file(SSL_CTX* context, const std::string& path) {
  if (is_directory(path.c_str()) || SSL_CTX_load_verify_file(context, path.c_str()) != 1) return unusable_file(path);
  return {};
}

// Reading a bundle costs 30 to 50 ms, the directory nothing until a certificate is looked for in it.
Result<void> trust_system(SSL_CTX* context) {
  if (const char* const file = std::getenv(X509_get_default_cert_file_env()); file && *file) return trust_file(context, file);
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  const char* const own = std::getenv(X509_get_default_cert_dir_env());
  const std::array<const char*, 3> directories{own ? own : "", X509_get_default_cert_dir(), "/etc/ssl/certs"};
  for (const char* const directory : directories) {
    if (!is_directory(directory)) continue;
    X509_LOOKUP* const lookup = X509_STORE_add_lookup(store, X509_LOOKUP_hash_dir());
    if (lookup && X509_LOOKUP_add_dir(lookup, directory, X509_FILETYPE_PEM) == 1) return {};
  }
  const std::array<const char*, 3> bundles{X509_get_default_cert_file(), "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"};
  for (const char* const bundle : bundles) {
    if (SSL_CTX_load_verify_file(context, bundle) == 1) break;
  }
  ERR_clear_error();
  return {};  // without anchors every handshake fails, with a hint
}

}  // namespace

Result<void> check_ca_file(const std::string& path) {
  const Result<std::unique_ptr<TlsContext>> made = TlsContext::create(path);
  if (made.has_error()) return made.error();
  return {};
}

TlsContext::TlsContext(SSL_CTX* context) : context_(context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, on_new_session);
  SSL_CTX_set_ex_data(context, owner_slot(), this);
  static constexpr unsigned char protocols[] = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context, protocols, sizeof protocols - 1);
}

// Streams that outlive this object keep the SSL_CTX alive.
TlsContext::~TlsContext() { SSL_CTX_set_ex_data(context_.get(), owner_slot(), nullptr); }

Result<std::unique_ptr<TlsContext>> TlsContext::create(const std::string& ca_file, const ServerAccess* access) {
  ERR_clear_error();
  SSL_CTX* const made = SSL_CTX_new(TLS_client_method());
  if (!made) return Failure(Errc::tls_failed, "OpenSSL cannot be set up");
  std::unique_ptr<TlsContext> context(new TlsContext(made));
  const bool has_authorities = access && !access->authorities.empty();
  const Result<void> trusted = has_authorities   ? trust_authorities(made, *access)
                               : ca_file.empty() ? trust_system(made)
                                                 : trust_file(made, ca_file);
  if (trusted.has_error()) return trusted.error();
  if (access && !access->certificate.empty()) {
    const Result<void> identified = use_identity(made, *access);
    if (identified.has_error()) return identified.error();
  }
  return context;
}

int TlsContext::on_new_session(SSL* ssl, SSL_SESSION* session) {
  auto* const self = static_cast<TlsContext*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), owner_slot()));
  const auto* const origin = static_cast<const std::string*>(SSL_get_ex_data(ssl, origin_slot()));
  if (!self || !origin) return 0;
  self->sessions_.put(*origin, SslSessionPtr(session));
  return 1;  // kept
}

SslPtr TlsContext::make(const std::string& host, std::uint16_t port, int descriptor, TlsFault& fault) {
  SslPtr ssl(SSL_new(context_.get()));
  if (!ssl || !attach_socket(ssl.get(), descriptor)) return nullptr;
  set_stream_modes(ssl.get());
  SSL_set_app_data(ssl.get(), &fault);
  SSL_set_verify(ssl.get(), SSL_VERIFY_PEER, note_verification);
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
  if (const SslSessionPtr session = sessions_.take(*origin)) SSL_set_session(ssl.get(), session.get());
  if (SSL_set_ex_data(ssl.get(), origin_slot(), origin.get()) == 1) static_cast<void>(origin.release());
  SSL_set_connect_state(ssl.get());
  return ssl;
}

}  // namespace rollcall
