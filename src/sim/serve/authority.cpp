#include "sim/serve/authority.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>

#include "base/ip.hpp"
#include "base/text.hpp"

namespace rollcall::sim {

namespace {

constexpr std::size_t max_names = 4096;
constexpr long day = 24 * 60 * 60;

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;

Failure openssl_failure(std::string what) {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_get_error(), text.data(), text.size());
  return Failure(Errc::failed_precondition, std::move(what) + ": " + text.data());
}

bool add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  if (!extension) return false;
  const bool is_added = X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return is_added;
}

Certificate new_certificate(const std::string& common_name, long serial, EVP_PKEY* key, X509* issuer) {
  Certificate certificate(X509_new());
  if (!certificate) return nullptr;
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -day);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 365 * day);
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  const auto* bytes = reinterpret_cast<const unsigned char*>(common_name.data());
  // A common name has at most 64 bytes. Clients check the alternative name.
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, bytes, static_cast<int>(std::min<std::size_t>(common_name.size(), 64)), -1, 0);
  X509_set_issuer_name(certificate.get(), issuer ? X509_get_subject_name(issuer) : subject);
  X509_set_pubkey(certificate.get(), key);
  return certificate;
}

bool is_host_name(std::string_view name) {
  return name.size() <= 253 &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '-' || c == '.' || c == '_'; });
}

std::string alternative_names(const std::string& name) {
  if (name.empty()) return "DNS:localhost,IP:127.0.0.1,IP:::1";
  if (name == "localhost") return "DNS:localhost,DNS:*.localhost,IP:127.0.0.1,IP:::1";
  return (is_ipv4_literal(name) ? "IP:" : "DNS:") + name;
}

}  // namespace

void Authority::ContextDeleter::operator()(ssl_ctx_st* context) const noexcept { SSL_CTX_free(context); }

Authority::~Authority() {
  X509_free(certificate_);
  EVP_PKEY_free(key_);
}

Result<std::shared_ptr<Authority>> Authority::create() {
  std::shared_ptr<Authority> out(new Authority());
  Key key(EVP_EC_gen("P-256"));
  if (!key) return openssl_failure("cannot make a key");
  Certificate certificate = new_certificate("Simulated cloud authority", 1, key.get(), nullptr);
  const bool is_complete = certificate && add_extension(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE") &&
                           add_extension(certificate.get(), certificate.get(), NID_key_usage, "critical,keyCertSign,cRLSign") &&
                           add_extension(certificate.get(), certificate.get(), NID_subject_key_identifier, "hash") &&
                           X509_sign(certificate.get(), key.get(), EVP_sha256()) > 0;
  if (!is_complete) return openssl_failure("cannot make the authority's certificate");
  const std::unique_ptr<BIO, Deleter<BIO_free>> text(BIO_new(BIO_s_mem()));
  char* bytes = nullptr;
  if (!text || PEM_write_bio_X509(text.get(), certificate.get()) != 1) return openssl_failure("cannot write the authority's certificate");
  const long size = BIO_get_mem_data(text.get(), &bytes);
  out->pem_.assign(bytes, static_cast<std::size_t>(size));
  out->certificate_ = certificate.release();
  out->key_ = key.release();
  return out;
}

ssl_ctx_st* Authority::context_for(std::string_view server_name) {
  const std::string name = to_lower(server_name);
  const auto known = contexts_.find(name);
  if (known != contexts_.end()) return known->second.get();
  if (!is_host_name(name) || contexts_.size() >= max_names) return nullptr;
  return make_context(name);
}

ssl_ctx_st* Authority::make_context(const std::string& name) {
  const Key key(EVP_EC_gen("P-256"));
  const Certificate leaf = key ? new_certificate(name.empty() ? "localhost" : name, next_serial_++, key.get(), certificate_) : nullptr;
  const bool is_signed = leaf && add_extension(leaf.get(), certificate_, NID_subject_alt_name, alternative_names(name)) &&
                         add_extension(leaf.get(), certificate_, NID_basic_constraints, "critical,CA:FALSE") &&
                         add_extension(leaf.get(), certificate_, NID_ext_key_usage, "serverAuth") &&
                         add_extension(leaf.get(), certificate_, NID_authority_key_identifier, "keyid") &&
                         X509_sign(leaf.get(), key_, EVP_sha256()) > 0;
  std::unique_ptr<ssl_ctx_st, ContextDeleter> context(SSL_CTX_new(TLS_server_method()));
  const bool is_ready = is_signed && context && SSL_CTX_use_certificate(context.get(), leaf.get()) == 1 &&
                        SSL_CTX_use_PrivateKey(context.get(), key.get()) == 1;
  if (!is_ready) {
    ERR_clear_error();
    return nullptr;
  }
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  static constexpr unsigned char session_context[] = "rollcall sim";
  SSL_CTX_set_session_id_context(context.get(), session_context, sizeof(session_context) - 1);
  return contexts_.emplace(name, std::move(context)).first->second.get();
}

}  // namespace rollcall::sim
