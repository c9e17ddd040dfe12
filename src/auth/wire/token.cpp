// Parses access tokens.
#include "auth/wire/token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/field_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::string_view document_name = "the token reply";
constexpr std::size_t max_token = 16 * 1024;
constexpr std::int64_t max_lifetime_seconds = 366 * 24 * 3600;

Failure malformed_reply(std::string_view what) { return Failure(Errc::malformed_response, fmt::format("{}: {}", document_name, what)); }

Result<JsonDocument> parse_document(std::string_view text) {
  ParseLimits limits;
  limits.max_document = 256 * 1024;
  Result<JsonDocument> document = JsonDocument::parse(document_name, text, limits);
  if (document && !document->root().is_object()) return malformed_reply(fmt::format("is {}, not an object", kind_name(document->root())));
  return document;
}

Result<Secret<std::string>> read_token(const boost::json::value& root, std::string_view key) {
  const auto token = find_text(root, key);
  if (!token || token->empty()) return malformed_reply(fmt::format("has no {}", key));
  if (token->size() > max_token || !is_graphic(*token)) return malformed_reply(fmt::format("{} is not a token", key));
  return Secret<std::string>(std::string(*token));
}

Result<Duration> read_seconds(const boost::json::value& value) {
  double seconds = 0;
  if (const std::int64_t* whole = value.if_int64()) {
    seconds = static_cast<double>(*whole);
  } else if (const std::uint64_t* large = value.if_uint64()) {
    seconds = static_cast<double>(*large);
  } else if (const double* fraction = value.if_double()) {
    if (std::isnan(*fraction)) return malformed_reply("expires_in is no number");  // the parser's value for 0e999
    seconds = *fraction;
  } else if (value.is_string()) {
    const auto number = parse_python_int(std::string_view(value.get_string()));
    if (!number) return malformed_reply("expires_in is no number");
    seconds = static_cast<double>(*number);
  } else {
    return malformed_reply(fmt::format("expires_in is {}, not a number", kind_name(value)));
  }
  seconds = std::clamp(seconds, 0.0, static_cast<double>(max_lifetime_seconds));
  return Duration(std::chrono::seconds(static_cast<std::int64_t>(seconds)));
}

}  // namespace

Result<TokenReply> parse_token_reply(std::string_view json) {
  const Result<JsonDocument> document = parse_document(json);
  if (!document) return document.error();
  const boost::json::value& root = document->root();
  Result<Secret<std::string>> token = read_token(root, "access_token");
  if (!token) return token.error();
  if (const boost::json::value* type = find(root, "token_type")) {
    const bool is_bearer = type->is_string() && equals_ignoring_case(std::string_view(type->get_string()), "Bearer");
    if (!is_bearer) return malformed_reply("token_type is not Bearer");
  }
  TokenReply reply;
  if (const boost::json::value* expires_in = find(root, "expires_in")) {
    const Result<Duration> lifetime = read_seconds(*expires_in);
    if (!lifetime) return lifetime.error();
    reply.lifetime = *lifetime;
  }
  if (find(root, "refresh_token")) {
    Result<Secret<std::string>> next = read_token(root, "refresh_token");
    if (!next) return next.error();
    reply.refresh_token = std::move(*next);
  }
  reply.access_token = std::move(*token);
  return reply;
}

Result<TokenReply> parse_generated_token(std::string_view json, WallTime now) {
  const Result<JsonDocument> document = parse_document(json);
  if (!document) return document.error();
  Result<Secret<std::string>> token = read_token(document->root(), "accessToken");
  if (!token) return token.error();
  const auto expiry = parse_rfc3339(find_text(document->root(), "expireTime").value_or(""));
  if (!expiry) return malformed_reply("has no valid expireTime");
  TokenReply reply;
  const Duration max = std::chrono::seconds(max_lifetime_seconds);
  if (*expiry <= now) {
    reply.lifetime = Duration(0);
  } else {
    reply.lifetime = std::min(saturating_difference(*expiry, now), max);
  }
  reply.access_token = std::move(*token);
  return reply;
}

Result<Secret<std::string>> parse_token_text(std::string_view source, std::string_view text) {
  const std::string_view token = trim(text);
  const auto refuse = [&](std::string_view what) {
    return Failure(Errc::invalid_argument, fmt::format("the access token in {} {}", source, what))
        .with_hint("a token is one line as gcloud auth print-access-token or kubectl create token prints it");
  };
  if (token.empty()) return refuse("is empty");
  if (token.size() > max_token) return refuse(fmt::format("has {} bytes", token.size()));
  if (!is_graphic(token)) return refuse("contains blanks, control characters or non-ASCII characters");
  return Secret<std::string>(std::string(token));
}

}  // namespace rollcall
