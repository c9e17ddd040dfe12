// Public keys, and the verification of signatures.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

using PublicKey = std::shared_ptr<EVP_PKEY>;

/// RSA, of big-endian numbers. The caller must limit their sizes: they determine the time of a check. Errors: invalid_argument.
Result<PublicKey> rsa_public_key(std::string_view modulus, std::string_view exponent);
/// Of the curve P-256: a point's coordinates, 32 bytes each. Errors: invalid_argument, if it is not on the curve.
Result<PublicKey> p256_public_key(std::string_view x, std::string_view y);

/// RS256 (RFC 7518, 3.3) with an RSA key, ES256 (3.4), whose signature has 64 bytes, with a P-256 key.
bool has_signed(const PublicKey& key, std::string_view message, std::string_view signature);

}  // namespace rollcall
