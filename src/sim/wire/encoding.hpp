// Base64 in its URL-safe alphabet, without padding, and in its usual form; a stable 64-bit hash as text; gzip.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rollcall::sim {

std::string base64url_encode(std::string_view bytes);
/// Absent: another character, padding included, or a last letter that is too little for a byte.
std::optional<std::string> base64url_decode(std::string_view text);
/// The usual alphabet, with padding.
std::string base64_encode(std::string_view bytes);
/// FNV-1a, 16 hexadecimal digits.
std::string fingerprint(std::string_view bytes);

std::string gzip(std::string_view text);

}  // namespace rollcall::sim
