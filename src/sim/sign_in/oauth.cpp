// The token endpoints. Errors and their texts: developers.google.com/identity/protocols/oauth2/service-account, RFC 6749 and RFC 8693.
#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "sim/sign_in/sign_in.hpp"
#include "sim/wire/issuer.hpp"
#include "sim/wire/responses.hpp"
#include "sim/wire/signed_in.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view access_token_type = "urn:ietf:params:oauth:token-type:access_token";

// The fields of a form, which has the syntax of a query.
class Form {
 public:
  explicit Form(const Request& request) : fields_(parse_target("/?" + request.body)) {}
  std::string_view get(std::string_view name) const { return fields_.get(name).value_or(""); }

 private:
  const ParsedTarget fields_;
};

Reply missing_parameter(std::string_view name) {
  return oauth_error(400, "invalid_request", fmt::format("Missing required parameter: {}", name));
}

Reply token_reply(const Context& context, std::string_view name, json::object more) {
  json::object out{{"access_token", make_access_token(context, name, context.model.sign_in.lifetime)},
                   {"expires_in", std::chrono::floor<std::chrono::seconds>(context.model.sign_in.lifetime).count()}};
  for (auto& [key, value] : more) out[key] = std::move(value);
  out["token_type"] = "Bearer";
  return json_reply(out, true);
}

// Name and password of the client, from the form, or by HTTP Basic as for the security token service.
std::pair<std::string, std::string> client_of(const Request& request, const Form& form) {
  constexpr std::string_view scheme = "Basic ";
  const std::string_view header = request.headers.get("Authorization").value_or("");
  if (header.size() < scheme.size() || !equals_ignoring_case(header.substr(0, scheme.size()), scheme)) {
    return {std::string(form.get("client_id")), std::string(form.get("client_secret"))};
  }
  const std::string pair = base64_decode(header.substr(scheme.size())).value_or("");
  const std::size_t colon = pair.find(':');
  return {pair.substr(0, colon), colon == std::string::npos ? "" : pair.substr(colon + 1)};
}

Reply refresh(const Context& context, const Request& request, const Form& form) {
  const std::string_view token = form.get("refresh_token");
  if (token.empty()) return missing_parameter("refresh_token");
  const json::object more{{"scope", "https://www.googleapis.com/auth/cloud-platform"}};
  const auto& users = context.model.sign_in.users;
  if (!users) return token_reply(context, "user@example.com", more);
  const auto user = std::find_if(users->begin(), users->end(), [&](const SignInIdentity& one) { return one.refresh_token == token; });
  const auto [client, secret] = client_of(request, form);
  const bool is_known = user != users->end();
  if (is_known && !user->client_id.empty() && user->client_id != client) {
    return oauth_error(401, "invalid_client", "The OAuth client was not found.");
  }
  if (is_known && !user->client_secret.empty() && user->client_secret != secret) return oauth_error(401, "invalid_client", "Unauthorized");
  if (!is_known) return oauth_error(400, "invalid_grant", "Bad Request");
  if (user->revoked_at && context.now >= *user->revoked_at) {
    return oauth_error(400, "invalid_grant", "Token has been expired or revoked.");
  }
  return token_reply(context, user->name, more);
}

Reply grant_for_assertion(const Context& context, const Request& request, const Form& form) {
  const auto claims = jwt_claims(form.get("assertion"));
  if (!claims) return oauth_error(400, "invalid_grant", "Invalid JWT: it is no signed JSON Web Token.");
  const auto text = [&claims](std::string_view name) {
    const json::value* const value = claims->if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
  };
  const std::string account = text("iss");
  const std::string audience = text("aud");
  const std::string here = fmt::format("{}://{}/token", request.is_https ? "https" : "http", request.host);
  if (audience != "https://oauth2.googleapis.com/token" && audience != here) {
    return oauth_error(400, "invalid_grant",
                       fmt::format("Invalid JWT: Failed audience check. The right audience is {}", "https://oauth2.googleapis.com/token"));
  }
  if (!is_jwt_current(context, *claims)) {
    return oauth_error(400, "invalid_grant",
                       "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp "
                       "values in the JWT claim.");
  }
  const auto& accounts = context.model.sign_in.service_accounts;
  if (account.empty() || (accounts && !find_identity(accounts, account))) {
    return oauth_error(400, "invalid_grant", "Invalid grant: account not found");
  }
  if (text("scope").empty()) return oauth_error(400, "invalid_scope", "Empty or missing scope not allowed.");
  return token_reply(context, account, {});
}

// The subject token of a machine of AWS: a signed request for its own identity, as JSON, percent-encoded. The signature is not checked
// here.
bool is_request_of_aws(const SignInModel& model, std::string_view token, std::string_view audience) {
  std::error_code error;
  const json::value document = json::parse(percent_decode(token, false), error);
  const json::value* const headers = !error && document.is_object() ? document.get_object().if_contains("headers") : nullptr;
  if (!headers || !headers->is_array()) return false;
  bool is_for_audience = false;
  bool is_signed = false;
  for (const json::value& header : headers->get_array()) {
    const json::value* const key = header.is_object() ? header.get_object().if_contains("key") : nullptr;
    const json::value* const value = header.is_object() ? header.get_object().if_contains("value") : nullptr;
    if (!key || !value || !key->is_string() || !value->is_string()) return false;
    const std::string_view text(value->get_string());
    const std::string credential = fmt::format("Credential={}", model.aws ? model.aws->access_key_id + "/" : "");
    if (equals_ignoring_case(key->get_string(), "x-goog-cloud-target-resource")) is_for_audience = text == audience;
    if (equals_ignoring_case(key->get_string(), "authorization")) is_signed = text.find(credential) != std::string_view::npos;
  }
  return is_for_audience && is_signed;
}

Reply exchange(const Context& context, const Form& form) {
  const SignInModel& model = context.model.sign_in;
  for (const std::string_view name : {"audience", "subject_token", "subject_token_type", "requested_token_type"}) {
    if (form.get(name).empty()) return missing_parameter(name);
  }
  if (form.get("requested_token_type") != access_token_type) {
    return oauth_error(400, "invalid_request", "Invalid value for \"requested_token_type\".");
  }
  const std::string_view audience = form.get("audience");
  const auto provider = std::find_if(model.providers ? model.providers->begin() : std::vector<SignInIdentity>::const_iterator(),
                                     model.providers ? model.providers->end() : std::vector<SignInIdentity>::const_iterator(),
                                     [&](const SignInIdentity& one) { return one.audience == audience; });
  const bool is_known = model.providers && provider != model.providers->end();
  if (model.providers && !is_known) {
    return oauth_error(400, "invalid_target",
                       "The target service indicated by the \"audience\" parameters is invalid. This might either be because the pool or "
                       "provider is disabled or deleted or because it doesn't exist.");
  }
  const std::string_view token = form.get("subject_token");
  if (form.get("subject_token_type") == "urn:ietf:params:aws:token-type:aws4_request") {
    if (!is_request_of_aws(model, token, audience)) {
      return oauth_error(400, "invalid_grant", "The AWS request is not signed for this audience, or by keys that AWS does not know.");
    }
  } else if (is_known && provider->subject_tokens &&
             std::find(provider->subject_tokens->begin(), provider->subject_tokens->end(), token) == provider->subject_tokens->end()) {
    return oauth_error(400, "invalid_grant", "The subject token is not one that the provider has issued, or it has expired.");
  }
  return token_reply(context, is_known ? std::string_view(provider->name) : audience, {{"issued_token_type", access_token_type}});
}

}  // namespace

Reply oauth_error(int status, std::string_view error, std::string_view description) {
  const std::string_view usual = status == 401   ? "invalid_client"
                                 : status == 403 ? "access_denied"
                                 : status == 429 ? "rate_limit_exceeded"
                                 : status == 503 ? "temporarily_unavailable"
                                 : status >= 500 ? "internal_failure"
                                                 : "invalid_request";
  json::object out{{"error", error.empty() ? usual : error}};
  out["error_description"] = description.empty() ? status_phrase(status) : description;
  Reply reply = json_reply(out, true);
  reply.status = status;
  return reply;
}

Reply answer_oauth(const Context& context, const Request& request, const Route& route) {
  if (route.name == "google.keys") {
    if (request.method != "GET") return oauth_error(405, "invalid_request", "Only GET is supported.");
    Reply reply = json_reply(key_set(Issuer::google), true);
    reply.headers.add("Cache-Control", "public, max-age=20000, must-revalidate, no-transform");
    return reply;
  }
  if (request.method != "POST") return oauth_error(405, "invalid_request", "Only POST is supported.");
  if (request.body.size() > max_sign_in_question) return oauth_error(413, "invalid_request", "The request is too large.");
  const std::string_view type = request.headers.get("Content-Type").value_or("");
  if (!equals_ignoring_case(trim(type.substr(0, type.find(';'))), "application/x-www-form-urlencoded")) {
    return oauth_error(400, "invalid_request", "The request is no form: Content-Type must be application/x-www-form-urlencoded.");
  }
  const Form form(request);
  const std::string_view grant = form.get("grant_type");
  if (grant.empty()) return missing_parameter("grant_type");
  const bool is_exchange = route.name == "sts.token";
  if (is_exchange && grant == "urn:ietf:params:oauth:grant-type:token-exchange") return exchange(context, form);
  if (!is_exchange && grant == "refresh_token") return refresh(context, request, form);
  if (route.name == "oauth.token" && grant == "urn:ietf:params:oauth:grant-type:jwt-bearer") {
    return grant_for_assertion(context, request, form);
  }
  return oauth_error(400, "unsupported_grant_type", fmt::format("Invalid grant_type: {}", grant));
}

}  // namespace rollcall::sim
