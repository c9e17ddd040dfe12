#include "fleet/rights/wire/token_review.hpp"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "json/json_dom.hpp"

namespace rollcall::fleet {

std::string render_token_review(std::string_view token, std::string_view audience) {
  // Rendered here and not by the JSON library, since the memory of its documents is not wiped; a token needs no escapes in JSON.
  std::string body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"audiences":[)";
  body += boost::json::serialize(boost::json::string_view(audience.data(), audience.size()));
  constexpr std::string_view before = R"(],"token":")";
  constexpr std::string_view after = R"("}})";
  body.reserve(body.size() + before.size() + token.size() + after.size());
  return body.append(before).append(token).append(after);
}

Result<std::string> parse_token_review(std::string_view text, std::string_view audience) {
  ParseLimits limits;
  limits.max_document = 256 * 1024;
  limits.max_document_memory = std::size_t{4} << 20;
  const Result<JsonDocument> document = JsonDocument::parse("the answer to the token review", text, limits);
  if (!document) return document.error();
  const boost::json::value* const status = find(document->root(), "status");
  if (!status || !status->is_object()) return Failure(Errc::malformed_response, "the answer to the token review has no status");
  const boost::json::value* const is_known = find(*status, "authenticated");
  if (!is_known || !is_known->is_bool() || !is_known->get_bool())
    return Failure(Errc::unauthenticated, "the token is refused by the API server (TokenReview)");
  const boost::json::value* const audiences = find(*status, "audiences");
  const boost::json::array* const list = audiences ? audiences->if_array() : nullptr;
  const auto is_wanted = [&audience](const boost::json::value& one) { return one.is_string() && one.get_string() == audience; };
  if (!list || std::none_of(list->begin(), list->end(), is_wanted))
    return Failure(Errc::unauthenticated, "the token is for another audience (TokenReview)");
  const boost::json::value* const user = find(*status, "user");
  const std::optional<std::string_view> name = user ? find_text(*user, "username") : std::nullopt;
  if (!name || name->empty()) return Failure(Errc::malformed_response, "the answer to the token review names no user");
  return std::string(*name);
}

}  // namespace rollcall::fleet
