#include "auth/wire/executable_reply.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
namespace {

constexpr std::string_view saml_type = "urn:ietf:params:oauth:token-type:saml2";
constexpr std::string_view jwt_types[] = {"urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token"};

}  // namespace

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
                   fmt::format("{}: it failed with code {}: {}", name, quoted(find_text(root, "code").value_or(""), 40),
                               printable(find_text(root, "message").value_or("no message"), 300)));
  }
  const std::string_view type = find_text(root, "token_type").value_or("");
  const bool is_saml = type == saml_type;
  if (!is_saml && std::find(std::begin(jwt_types), std::end(jwt_types), type) == std::end(jwt_types)) {
    return refuse(fmt::format("the token_type {} is not known", quoted(type, 80)));
  }
  const std::string_view key = is_saml ? "saml_response" : "id_token";
  const std::string_view token = find_text(root, key).value_or("");
  if (token.empty()) return refuse(fmt::format("has no {}", key));
  ExecutableReply reply;
  reply.token = Secret<std::string>(std::string(token));
  if (const boost::json::value* expiry = find(root, "expiration_time")) {
    constexpr std::int64_t last = 9'000'000'000;  // of the seconds that a WallTime can hold
    if (!expiry->is_int64() || expiry->get_int64() < 0) return refuse("expiration_time is no number of seconds");
    reply.expires_at = WallTime(std::chrono::seconds(std::min(expiry->get_int64(), last)));
  }
  return reply;
}

}  // namespace rollcall
