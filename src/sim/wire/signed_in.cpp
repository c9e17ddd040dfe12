#include "sim/wire/signed_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "sim/wire/encoding.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view token_start = "ya29.sim.";

std::int64_t seconds_of(WallTime time) { return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count(); }

std::optional<std::int64_t> number_of(const json::object& claims, std::string_view name) {
  const json::value* const value = claims.if_contains(name);
  return value && value->is_int64() ? std::optional(value->get_int64()) : std::nullopt;
}

}  // namespace

std::string make_access_token(const Context& context, std::string_view name, Duration lifetime) {
  const auto end = std::chrono::floor<std::chrono::milliseconds>(context.now + lifetime).count();
  const std::string content = base64url_encode(fmt::format("{} {} {}", end, context.state.total, name));
  return fmt::format("{}{}.{}", token_start, content, fingerprint(content));
}

std::optional<json::object> jwt_claims(std::string_view token) {
  const std::vector<std::string_view> parts = split(token, '.');
  if (parts.size() != 3 || parts[2].empty() || token.size() > max_sign_in_question) return std::nullopt;
  const auto text = base64url_decode(parts[1]);
  std::error_code error;
  json::value claims = text ? json::parse(*text, error) : json::value();
  if (error || !claims.is_object()) return std::nullopt;
  return std::move(claims.get_object());
}

bool is_jwt_current(const Context& context, const json::object& claims) {
  constexpr std::int64_t max = 3600;
  constexpr std::int64_t skew = 300;
  const auto from = number_of(claims, "iat");
  const auto until = number_of(claims, "exp");
  const std::int64_t now = seconds_of(context.date());
  // Compared with bounds instead of by differences, which could overflow.
  const bool is_near = from && until && *from > now - max - skew && *from <= now + skew;
  return is_near && *until > now - skew && *until <= *from + max && *until > *from;
}

std::optional<SignedIn> read_access_token(const Context& context, std::string_view token) {
  SignedIn out;
  if (token.starts_with(token_start)) {
    const std::string_view rest = token.substr(token_start.size());
    const std::string_view content = rest.substr(0, rest.find('.'));
    const auto text =
        rest.size() > content.size() && rest.substr(content.size() + 1) == fingerprint(content) ? base64url_decode(content) : std::nullopt;
    const std::size_t first = text ? text->find(' ') : std::string::npos;
    const std::size_t second = first == std::string::npos ? first : text->find(' ', first + 1);
    const auto end = second == std::string::npos ? std::nullopt : parse_decimal<std::int64_t>(std::string_view(*text).substr(0, first));
    if (!end) return std::nullopt;
    out.name = text->substr(second + 1);
    out.is_expired = std::chrono::floor<std::chrono::milliseconds>(context.now).count() >= *end;
  } else {
    const auto& accounts = context.model.sign_in.service_accounts;
    const auto claims = accounts ? jwt_claims(token) : std::nullopt;
    const json::value* const issuer = claims ? claims->if_contains("iss") : nullptr;
    if (!issuer || !issuer->is_string() || !find_identity(accounts, std::string_view(issuer->get_string()))) return std::nullopt;
    out.name = issuer->get_string();
    out.is_expired = !is_jwt_current(context, *claims);
  }
  out.is_expired = out.is_expired || context.state.revoked_tokens.contains(token);
  return out;
}

const SignInIdentity* find_identity(const std::optional<std::vector<SignInIdentity>>& list, std::string_view name) {
  if (!list) return nullptr;
  const auto found = std::find_if(list->begin(), list->end(), [&](const SignInIdentity& one) { return one.name == name; });
  return found == list->end() ? nullptr : &*found;
}

bool lacks_permission(const Context& context, const Request& request, std::string_view permission) {
  const SignInModel& model = context.model.sign_in;
  const std::vector<std::string>* missing = &model.missing;
  if (const auto caller = read_access_token(context, bearer_of(request))) {
    for (const auto* list : {&model.users, &model.service_accounts, &model.providers}) {
      const SignInIdentity* const identity = find_identity(*list, caller->name);
      if (identity && identity->missing) missing = &*identity->missing;
    }
  }
  return std::find(missing->begin(), missing->end(), permission) != missing->end();
}

}  // namespace rollcall::sim
