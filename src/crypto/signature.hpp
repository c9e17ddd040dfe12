// Signatures and digests by OpenSSL for credentials.
#pragma once

#include <cstddef>
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
/// Two codes of hmac_sha256() as text, compared in a time that does not depend on where they differ.
bool is_same_code(std::string_view a, std::string_view b) noexcept;
/// Twice as many hexadecimal digits, drawn by OpenSSL for use as a challenge. Empty: it has no random numbers.
std::string random_hex(std::size_t bytes);
/// Lower-case hexadecimal digits.
std::string to_hex(std::string_view bytes);

}  // namespace rollcall
