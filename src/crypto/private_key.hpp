// Private keys in PEM, from credential files, kubeconfigs and options: read without a prompt, and in a bounded time.
#pragma once

#include <openssl/evp.h>

#include <memory>

#include "rollcall/error.hpp"

namespace rollcall {

struct PrivateKeyDeleter {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
using PrivateKeyPtr = std::unique_ptr<EVP_PKEY, PrivateKeyDeleter>;

inline constexpr int max_rsa_bits = 8192;

/// The first private key of the PEM text; other content, such as a certificate, is skipped. Decision: keys are RSA, of `max_rsa_bits` at
/// most, or of an elliptic curve, and without a passphrase. Otherwise the author of the file could block the loop for hours: OpenSSL
/// accepts any number of rounds between a passphrase and its key, and does an exponentiation while it reads a DSA key of any size. Errors:
/// invalid_argument; what() follows the key's name ("has a passphrase") and quotes nothing of the text.
Result<PrivateKeyPtr> read_private_key(BIO& text);

}  // namespace rollcall
