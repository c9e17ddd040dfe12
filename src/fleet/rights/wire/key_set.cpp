#include "fleet/rights/wire/key_set.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/base64.hpp"
#include "json/json_dom.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t min_rsa_bits = 2048;
constexpr std::size_t max_rsa_key_bits = 8192;  // as in read_private_key(): the time to verify grows with the key
constexpr std::size_t max_exponent_bits = 64;

Failure bad_key_set(std::string_view why) { return Failure(Errc::malformed_response, fmt::format("the key set {}", why)); }

Result<JsonDocument> read_small(std::string_view document, std::string_view text) {
  ParseLimits limits;
  limits.max_depth = 16;
  limits.max_document = 256 * 1024;
  limits.max_document_memory = std::size_t{4} << 20;
  return JsonDocument::parse(document, text, limits);
}

// The bytes of a number; empty: the field is missing or invalid.
std::string number_of(const boost::json::value& key, std::string_view name) {
  std::string bytes = base64url_decode(find_text(key, name).value_or("")).value_or("");
  bytes.erase(0, bytes.find_first_not_of('\0'));
  return bytes;
}

std::size_t bits_of(std::string_view number) {
  return number.empty() ? 0
                        : 8 * (number.size() - 1) + static_cast<std::size_t>(std::bit_width(static_cast<unsigned char>(number.front())));
}

std::string rsa_fault(const WebKey& key) {
  const std::size_t bits = bits_of(key.modulus);
  if (bits < min_rsa_bits) return fmt::format("has {} bits: fewer than {} are refused", bits, min_rsa_bits);
  if (bits > max_rsa_key_bits) return fmt::format("has {} bits: more than {} are refused", bits, max_rsa_key_bits);
  const std::size_t exponent_bits = bits_of(key.exponent);
  const bool is_odd = !key.exponent.empty() && (static_cast<unsigned char>(key.exponent.back()) & 1) != 0;
  return exponent_bits < 2 || exponent_bits > max_exponent_bits || !is_odd ? "has an exponent that no key should have" : "";
}

// None: a key of another kind, or for another use.
Result<std::optional<WebKey>> read_key(const boost::json::value& entry) {
  if (!entry.is_object()) return bad_key_set("has an entry that is no object");
  const std::string_view kind = find_text(entry, "kty").value_or("");
  const std::string_view use = find_text(entry, "use").value_or("sig");
  const bool is_rsa = kind == "RSA";
  const bool is_of_curve = kind == "EC" && find_text(entry, "crv") == "P-256";
  const std::string_view algorithm = is_rsa ? "RS256" : "ES256";
  if ((!is_rsa && !is_of_curve) || use != "sig" || find_text(entry, "alg").value_or(algorithm) != algorithm) return std::optional<WebKey>();
  WebKey key;
  key.id = find_text(entry, "kid").value_or("");
  if (is_rsa) {
    key.modulus = number_of(entry, "n");
    key.exponent = number_of(entry, "e");
    if (key.modulus.empty() || key.exponent.empty()) return bad_key_set("has an RSA key without its numbers");
    key.fault = rsa_fault(key);
    return std::optional<WebKey>(std::move(key));
  }
  constexpr std::size_t coordinate_bytes = 32;
  key.algorithm = SignatureAlgorithm::es256;
  key.x = base64url_decode(find_text(entry, "x").value_or("")).value_or("");
  key.y = base64url_decode(find_text(entry, "y").value_or("")).value_or("");
  if (key.x.size() != coordinate_bytes || key.y.size() != coordinate_bytes) return bad_key_set("has a key of P-256 without its point");
  return std::optional<WebKey>(std::move(key));
}

}  // namespace

Result<std::vector<WebKey>> parse_key_set(std::string_view text) {
  const Result<JsonDocument> document = read_small("the key set", text);
  if (!document) return document.error();
  const boost::json::value* const list = find(document->root(), "keys");
  if (!list || !list->is_array()) return bad_key_set("has no list of keys");
  if (list->get_array().size() > max_keys_of_issuer)
    return Failure(Errc::limit_exceeded, fmt::format("the key set has more than {} keys", max_keys_of_issuer));
  std::vector<WebKey> keys;
  for (const boost::json::value& entry : list->get_array()) {
    Result<std::optional<WebKey>> key = read_key(entry);
    if (!key) return key.error();
    if (*key) keys.push_back(std::move(**key));
  }
  if (keys.empty()) return bad_key_set("has no key for RS256 or ES256");
  return keys;
}

Result<std::string> parse_issuer(std::string_view text) {
  const Result<JsonDocument> document = read_small("the discovery document", text);
  if (!document) return document.error();
  const std::optional<std::string_view> issuer = find_text(document->root(), "issuer");
  if (!issuer || issuer->empty()) return Failure(Errc::malformed_response, "the discovery document names no issuer");
  return std::string(*issuer);
}

}  // namespace rollcall::fleet
