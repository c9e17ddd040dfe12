#include "auth/wire/subject_token.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_subject_token = 256 * 1024;  // SAML answers are long

constexpr std::string_view saml_type = "urn:ietf:params:oauth:token-type:saml2";
constexpr std::string_view jwt_types[] = {"urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token"};

}  // namespace

Result<Secret<std::string>> parse_subject_token(std::string_view name, std::string_view text, const SubjectTokenFormat& format) {
  const auto refuse = [&name](std::string_view what) {
    return Failure(Errc::invalid_argument, fmt::format("{} {}", name, what))
        .with_hint("see what writes it, and the format in the file's credential_source");
  };
  std::string_view token = trim(text);
  std::optional<Result<JsonDocument>> document;
  if (!format.json_field.empty()) {
    ParseLimits limits;
    limits.max_document = max_subject_token;
    document.emplace(JsonDocument::parse(name, text, limits));
    if (!*document) {
      Failure failure = document->error();
      failure.with_code(Errc::invalid_argument);
      return failure;
    }
    const auto field = find_text((*document)->root(), format.json_field);
    if (!field) return refuse(fmt::format("has no text {}", quoted(format.json_field, 80)));
    token = trim(*field);
  }
  if (token.empty()) return refuse("is empty");
  if (token.size() > max_subject_token) return refuse(fmt::format("has {} bytes", token.size()));
  return Secret<std::string>(std::string(token));
}

Result<ExecutableReply> parse_executable_reply(std::string_view name, std::string_view json) {
  const auto refuse = [&name](std::string_view what) { return Failure(Errc::malformed_response, fmt::format("{}: {}", name, what)); };
  ParseLimits limits;
  limits.max_document = 512 * 1024;
  const Result<JsonDocument> document = JsonDocument::parse(name, json, limits);
  if (!document) return document.error();
  const boost::json::value& root = document->root();
  const boost::json::value* version = find(root, "version");
  if (!version || !version->is_int64()) return refuse("has no version");
  if (version->get_int64() != 1) return refuse(fmt::format("the version is {}, not 1", version->get_int64()));
  const boost::json::value* success = find(root, "success");
  if (!success || !success->is_bool()) return refuse("has no success");
  if (!success->get_bool()) {
    return Failure(Errc::unauthenticated,
                   fmt::format("{}: it failed with code {}: {}", name, quoted_words(find_text(root, "code").value_or(""), 40),
                               printable(without_secrets(find_text(root, "message").value_or("no message")), 300)));
  }
  const std::string_view type = find_text(root, "token_type").value_or("");
  const bool is_saml = type == saml_type;
  if (!is_saml && std::find(std::begin(jwt_types), std::end(jwt_types), type) == std::end(jwt_types)) {
    return refuse(fmt::format("the token_type {} is not known", quoted_words(type, 80)));
  }
  const std::string_view key = is_saml ? "saml_response" : "id_token";
  const std::string_view token = find_text(root, key).value_or("");
  if (token.empty()) return refuse(fmt::format("has no {}", key));
  ExecutableReply reply;
  reply.token = Secret<std::string>(std::string(token));
  if (const boost::json::value* expiry = find(root, "expiration_time")) {
    constexpr std::int64_t last = 9'000'000'000;  // of the seconds that a WallTime can represent
    if (!expiry->is_int64() || expiry->get_int64() < 0) return refuse("expiration_time is no number of seconds");
    reply.expires_at = WallTime(std::chrono::seconds(std::min(expiry->get_int64(), last)));
  }
  return reply;
}

}  // namespace rollcall
