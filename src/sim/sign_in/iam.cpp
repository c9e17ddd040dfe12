// IAM: tokens of service accounts for callers that may impersonate them, and tests of the caller's permissions.
#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "sim/sign_in/sign_in.hpp"
#include "sim/wire/responses.hpp"
#include "sim/wire/signed_in.hpp"

namespace rollcall::sim {

namespace {

Reply payload_error(std::string_view what) { return google_error(400, fmt::format("Invalid JSON payload received. {}", what)); }

// The request's body as an object; none if it is not one.
std::optional<json::object> read_question(const Request& request) {
  std::error_code error;
  json::value value = request.body.size() > max_sign_in_question ? json::value() : json::parse(request.body, error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

// A list of texts; none if the value is something else.
std::optional<std::vector<std::string>> texts_of(const json::object& question, std::string_view key) {
  std::vector<std::string> out;
  const json::value* const list = question.if_contains(key);
  if (!list) return out;
  if (!list->is_array()) return std::nullopt;
  for (const json::value& one : list->get_array()) {
    if (!one.is_string()) return std::nullopt;
    out.emplace_back(one.get_string());
  }
  return out;
}

Reply may_not_act(std::string_view account) {
  constexpr std::string_view permission = "iam.serviceAccounts.getAccessToken";
  return google_error(403, fmt::format("Permission '{}' denied on resource (or it may not exist).", permission),
                      {error_info("IAM_PERMISSION_DENIED", "iam.googleapis.com",
                                  {{"permission", permission}, {"resource", fmt::format("projects/-/serviceAccounts/{}", account)}})});
}

// Each account must allow impersonation by the one before it. Returns the first that does not; none if all do.
std::optional<std::string> first_refused(const SignInModel& model, std::string actor, const std::vector<std::string>& chain) {
  for (const std::string& account : chain) {
    const SignInIdentity* const known = find_identity(model.service_accounts, account);
    if (model.service_accounts && !known) return account;
    const bool is_fine = !known || !known->actors || std::find(known->actors->begin(), known->actors->end(), actor) != known->actors->end();
    if (!is_fine) return account;
    actor = account;
  }
  return std::nullopt;
}

// `3600s`
std::optional<Duration> read_lifetime(const json::object& question) {
  constexpr std::int64_t max = 12 * 3600;
  const json::value* const value = question.if_contains("lifetime");
  if (!value) return std::chrono::hours(1);
  const std::string_view text = value->is_string() ? std::string_view(value->get_string()) : std::string_view();
  const auto seconds = text.ends_with('s') ? parse_decimal<std::int64_t>(text.substr(0, text.size() - 1), 1, max) : std::nullopt;
  if (!seconds) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

Reply generate_access_token(const Context& context, const Request& request, const Route& route) {
  const std::string account = route.item.substr(0, route.item.rfind(':'));
  const auto question = read_question(request);
  if (!question) return payload_error("Expected an object.");
  const auto scopes = texts_of(*question, "scope");
  const auto delegates = texts_of(*question, "delegates");
  const auto lifetime = read_lifetime(*question);
  if (!scopes || scopes->empty()) return invalid_argument("scope", "At least one scope is required.");
  if (!delegates) return invalid_argument("delegates", "A list of service accounts is required.");
  if (!lifetime) return invalid_argument("lifetime", "A number of seconds from 1s to 43200s is required.");
  std::vector<std::string> chain;
  for (const std::string& delegate : *delegates) chain.push_back(delegate.substr(delegate.rfind('/') + 1));
  chain.push_back(account);
  const auto caller = read_access_token(context, bearer_of(request));
  if (const auto refused = first_refused(context.model.sign_in, caller ? caller->name : "", chain)) return may_not_act(*refused);
  const WallTime end = std::chrono::floor<std::chrono::seconds>(saturating_sum(context.date(), *lifetime));
  return json_reply(json::object{{"accessToken", make_access_token(context, account, *lifetime)}, {"expireTime", format_rfc3339(end)}},
                    true);
}

Reply test_permissions(const Context& context, const Request& request, const Route& route) {
  constexpr std::size_t max = 100;
  const std::string project = route.item.substr(0, route.item.rfind(':'));
  if (project != context.model.project && project != context.model.project_number) {
    return google_error(403, "The caller does not have permission");
  }
  const auto question = read_question(request);
  const auto asked = question ? texts_of(*question, "permissions") : std::nullopt;
  if (!asked) return payload_error("Expected a list of permissions.");
  if (asked->size() > max) return invalid_argument("permissions", "At most 100 permissions can be tested.");
  json::array granted;
  for (const std::string& permission : *asked) {
    if (!lacks_permission(context, request, permission)) granted.emplace_back(permission);
  }
  json::object out;
  put(out, "permissions", std::move(granted));
  return json_reply(out, true);
}

}  // namespace

Reply answer_iam(const Context& context, const Request& request, const Route& route, const ParsedTarget& target) {
  const TokenVerdict verdict = judge_token(context, request, target.get("access_token").value_or(""));
  if (verdict != TokenVerdict::accepted) {
    Reply reply = google_error(401, default_message(401));
    reply.headers.add("WWW-Authenticate", bearer_challenge(verdict));
    return reply;
  }
  if (route.name == "serviceAccounts.generateAccessToken") return generate_access_token(context, request, route);
  if (route.name == "projects.testIamPermissions") return test_permissions(context, request, route);
  return google_error(501, fmt::format("The simulated cloud does not serve {}.", route.name));
}

}  // namespace rollcall::sim
