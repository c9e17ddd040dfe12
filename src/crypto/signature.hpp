// Signatures and digests by OpenSSL for credentials.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {

/// RS256 (RFC 7518, section 3.3): RSASSA-PKCS1-v1_5 over SHA-256 with the PEM key. `name` begins the messages: "the private_key of …".
/// Errors: invalid_argument (no RSA key of 2048 to `max_rsa_bits` bits, and those of read_private_key()).
Result<std::string> sign_rs256(std::string_view name, const Secret<std::string>& key, std::string_view message);

/// 32 bytes each (FIPS 180-4; RFC 2104).
std::string sha256(std::string_view message);
Secret<std::string> hmac_sha256(std::string_view key, std::string_view message);
/// Lower-case hexadecimal digits.
std::string to_hex(std::string_view bytes);

}  // namespace rollcall
