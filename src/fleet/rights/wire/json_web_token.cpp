#include "fleet/rights/wire/json_web_token.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "json/json_dom.hpp"
#include "json/unique_keys.hpp"

namespace rollcall::fleet {
namespace {

Failure no_token(std::string_view why) { return Failure(Errc::unauthenticated, fmt::format("the token {}", why)); }

ParseLimits token_limits() {
  ParseLimits limits;
  limits.max_depth = 8;
  limits.max_document = max_token_bytes;
  limits.max_document_memory = std::size_t{1} << 20;
  return limits;
}

// Decodes one of the two objects. `part`: "header", "claims".
Result<JsonDocument> read_part(std::string_view part, std::string_view encoded) {
  std::optional<std::string> text = base64url_decode(encoded);
  if (!text) return no_token(fmt::format("is no JSON Web Token: its {} not base64url", part == "claims" ? "claims are" : "header is"));
  const bool is_unique = check_unique_keys("the token", *text, token_limits()).has_value();
  Result<JsonDocument> document = JsonDocument::parse("the token", *text, token_limits());
  clear_and_wipe(*text);
  if (document && !is_unique) return no_token(fmt::format("has a key twice in its {}", part));
  const bool is_object = document && document->root().is_object();
  if (!is_object)
    return no_token(fmt::format("is no JSON Web Token: its {} not a JSON object", part == "claims" ? "claims are" : "header is"));
  return document;
}

Result<void> read_header(const boost::json::value& header, JsonWebToken& token) {
  const std::optional<std::string_view> algorithm = find_text(header, "alg");
  if (!algorithm) return no_token("names no algorithm (alg)");
  if (*algorithm != "RS256" && *algorithm != "ES256") return no_token("is signed with another algorithm (alg) than RS256 and ES256");
  token.algorithm = *algorithm == "RS256" ? SignatureAlgorithm::rs256 : SignatureAlgorithm::es256;
  if (header.get_object().contains("crit")) return no_token("has critical extensions (crit), of which none are known");
  const boost::json::value* const key_id = find(header, "kid");
  if (key_id && !key_id->is_string()) return no_token("names its key (kid) by something else than a text");
  if (key_id) token.key_id = find_text(header, "kid").value_or("");
  return {};
}

Result<void> read_text(const boost::json::value& claims, std::string_view name, std::string& into) {
  const boost::json::value* const value = find(claims, name);
  if (value && !value->is_string()) return no_token(fmt::format("has a claim {} that is no text", name));
  if (value) into = std::string(value->get_string());
  return {};
}

Result<void> read_time(const boost::json::value& claims, std::string_view name, std::optional<std::int64_t>& into) {
  constexpr double max = 1e11;  // the year 5138
  const boost::json::value* const value = claims.get_object().if_contains(name);
  if (!value) return {};
  if (!value->is_number()) return no_token(fmt::format("has a claim {} that is no number", name));
  const double seconds = value->to_number<double>();
  if (!(seconds >= 0 && seconds <= max)) return no_token(fmt::format("has a claim {} that is no time", name));
  into = static_cast<std::int64_t>(std::floor(seconds));
  return {};
}

Result<void> read_audiences(const boost::json::value& claims, JsonWebToken& token) {
  constexpr std::size_t max = 64;
  const boost::json::value* const value = find(claims, "aud");
  if (!value) return {};
  if (value->is_string()) {
    token.audiences.emplace_back(value->get_string());
    return {};
  }
  const boost::json::array* const list = value->if_array();
  if (!list || list->size() > max) return no_token("has a claim aud that is neither a text nor a list of a few");
  for (const boost::json::value& one : *list) {
    if (!one.is_string()) return no_token("has a claim aud with something else than texts");
    token.audiences.emplace_back(one.get_string());
  }
  return {};
}

Result<void> read_claims(const boost::json::value& claims, JsonWebToken& token) {
  if (Result<void> read = read_text(claims, "iss", token.issuer); !read) return read;
  if (Result<void> read = read_text(claims, "sub", token.subject); !read) return read;
  if (Result<void> read = read_text(claims, "email", token.email); !read) return read;
  if (Result<void> read = read_audiences(claims, token); !read) return read;
  if (Result<void> read = read_time(claims, "exp", token.expires); !read) return read;
  if (Result<void> read = read_time(claims, "nbf", token.not_before); !read) return read;
  if (Result<void> read = read_time(claims, "iat", token.issued_at); !read) return read;
  const boost::json::value* const verified = find(claims, "email_verified");
  token.is_email_verified = verified && verified->is_bool() && verified->get_bool();
  const boost::json::value* const google = find(claims, "google");
  const boost::json::value* const machine = google ? find(*google, "compute_engine") : nullptr;
  return machine ? read_text(*machine, "project_id", token.instance_project) : Result<void>();
}

}  // namespace

Result<JsonWebToken> parse_json_web_token(std::string_view text) {
  if (text.size() > max_token_bytes) return no_token(fmt::format("has more than {} bytes", max_token_bytes));
  const std::vector<std::string_view> parts = split(text, '.');
  if (parts.size() != 3) return no_token("is no JSON Web Token: it has not three parts");
  const Result<JsonDocument> header = read_part("header", parts[0]);
  if (!header) return header.error();
  JsonWebToken token;
  if (const Result<void> read = read_header(header->root(), token); !read) return read.error();
  const Result<JsonDocument> claims = read_part("claims", parts[1]);
  if (!claims) return claims.error();
  if (const Result<void> read = read_claims(claims->root(), token); !read) return read.error();
  std::optional<std::string> signature = base64url_decode(parts[2]);
  if (!signature) return no_token("is no JSON Web Token: its signature is not base64url");
  if (signature->empty()) return no_token("has no signature");
  token.signature = std::move(*signature);
  token.signed_part = text.substr(0, parts[0].size() + 1 + parts[1].size());
  return token;
}

}  // namespace rollcall::fleet
