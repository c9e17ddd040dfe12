#include "net/tls/tls_pem.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <memory>
#include <string_view>

namespace rollcall {
namespace {

using BioPtr = std::unique_ptr<BIO, decltype(&BIO_free)>;
using X509Ptr = std::unique_ptr<X509, decltype(&X509_free)>;
using KeyPtr = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

BioPtr pem_reader(std::string_view text) { return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free); }

// Asked for a passphrase, OpenSSL would turn to the terminal.
int no_passphrase(char*, int, int, void* was_asked) {
  *static_cast<bool*>(was_asked) = true;
  return 0;
}

X509Ptr next_certificate(BIO* from) { return X509Ptr(PEM_read_bio_X509(from, nullptr, nullptr, nullptr), X509_free); }

// Reading ends with "no start line" at the end of the text and with anything else inside a damaged certificate.
bool is_at_end() {
  const unsigned long code = ERR_peek_last_error();
  return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

Failure unusable_pem(const std::string& from, std::string_view why) {
  ERR_clear_error();
  return Failure(Errc::invalid_argument, fmt::format("{} cannot be used: {}", from.empty() ? "the PEM text" : from, why));
}

}  // namespace

Result<void> trust_authorities(SSL_CTX* context, const ServerAccess& access) {
  ERR_clear_error();
  const BioPtr from = pem_reader(access.authorities);
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  int count = 0;
  for (X509Ptr one = next_certificate(from.get()); one; one = next_certificate(from.get())) {
    if (X509_STORE_add_cert(store, one.get()) != 1) return unusable_pem(access.authorities_from, "OpenSSL refuses a certificate in it");
    ++count;
  }
  if (!is_at_end()) return unusable_pem(access.authorities_from, "it contains a damaged certificate");
  if (count == 0) return unusable_pem(access.authorities_from, "it contains no PEM certificate");
  ERR_clear_error();
  return {};
}

Result<void> use_identity(SSL_CTX* context, const ServerAccess& access) {
  ERR_clear_error();
  const BioPtr from = pem_reader(access.certificate);
  const X509Ptr own = next_certificate(from.get());
  if (!own) return unusable_pem(access.identity_from, is_at_end() ? "it contains no PEM certificate" : "the certificate is damaged");
  if (SSL_CTX_use_certificate(context, own.get()) != 1) return unusable_pem(access.identity_from, "OpenSSL refuses the certificate");
  for (X509Ptr link = next_certificate(from.get()); link; link = next_certificate(from.get())) {
    if (SSL_CTX_add1_chain_cert(context, link.get()) != 1) return unusable_pem(access.identity_from, "OpenSSL refuses its chain");
  }
  if (!is_at_end()) return unusable_pem(access.identity_from, "its chain is damaged");
  ERR_clear_error();
  const BioPtr key_from = pem_reader(access.key.reveal());
  bool was_asked = false;
  const KeyPtr key(PEM_read_bio_PrivateKey(key_from.get(), nullptr, no_passphrase, &was_asked), EVP_PKEY_free);
  if (!key) return unusable_pem(access.identity_from, was_asked ? "its key has a passphrase" : "its key is no PEM private key");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1) return unusable_pem(access.identity_from, "the key is not the certificate's");
  ERR_clear_error();
  return {};
}

}  // namespace rollcall
