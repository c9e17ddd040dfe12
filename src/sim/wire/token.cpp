// Issues and checks access tokens.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "sim/wire/encoding.hpp"
#include "sim/wire/signed_in.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

namespace {

IssuedToken& current_token(const Context& context) {
  const TokenModel& model = context.model.token;
  auto& tokens = context.state.tokens;
  const Duration renewed_before = std::min(model.renewed_before, model.lifetime / 2);
  // A first token that is already inside the window is issued too: the script wants an old one.
  const bool is_first = tokens.size() == 1;
  const bool is_spent =
      !tokens.empty() && (tokens.back().is_revoked || tokens.back().expires_at <= context.now ||
                          (!(is_first && model.age > Duration(0)) && tokens.back().expires_at - renewed_before <= context.now));
  if (tokens.empty() || is_spent) {
    IssuedToken token;
    token.value = fmt::format("ya29.sim-{}", tokens.size() + 1);
    token.expires_at = context.now + model.lifetime - (tokens.empty() ? model.age : Duration(0));
    tokens.push_back(std::move(token));
  }
  return tokens.back();
}

}  // namespace

std::string_view bearer_of(const Request& request) {
  const auto header = request.headers.get("Authorization");
  if (!header || header->size() < 7 || !equals_ignoring_case(header->substr(0, 7), "Bearer ")) return {};
  return trim(header->substr(7));
}

std::string token_json(const Context& context) {
  const IssuedToken& token = current_token(context);
  const auto left = std::chrono::floor<std::chrono::seconds>(token.expires_at - context.now).count();
  return fmt::format(R"({{"access_token":"{}","expires_in":{},"token_type":"Bearer"}})", token.value, std::max<std::int64_t>(left, 0));
}

TokenVerdict judge_token(const Context& context, const Request& request, std::string_view query_token) {
  const ApiModel& api = context.model.api;
  const std::string_view bearer = bearer_of(request);
  const std::string_view token = bearer.empty() ? query_token : bearer;
  if (token.empty()) return api.is_open ? TokenVerdict::accepted : TokenVerdict::missing;
  for (const IssuedToken& issued : context.state.tokens) {
    if (issued.value != token) continue;
    const bool is_expired = issued.is_revoked || (api.checks_expiry && issued.expires_at <= context.now);
    return is_expired && !api.is_open ? TokenVerdict::expired : TokenVerdict::accepted;
  }
  if (const auto caller = read_access_token(context, token)) {
    return caller->is_expired && api.checks_expiry && !api.is_open ? TokenVerdict::expired : TokenVerdict::accepted;
  }
  if (api.is_open || !api.tokens) return TokenVerdict::accepted;
  return std::find(api.tokens->begin(), api.tokens->end(), token) == api.tokens->end() ? TokenVerdict::refused : TokenVerdict::accepted;
}

std::string_view bearer_challenge(TokenVerdict verdict) {
  return verdict == TokenVerdict::missing ? "Bearer realm=\"https://accounts.google.com/\""
                                          : "Bearer realm=\"https://accounts.google.com/\", error=\"invalid_token\"";
}

void expire_token(const Context& context, const Request& request) {
  const std::string_view bearer = bearer_of(request);
  for (IssuedToken& issued : context.state.tokens) {
    if (issued.value == bearer) issued.is_revoked = true;
  }
  constexpr std::size_t max_revoked = 10'000;
  const bool is_judged = context.model.kubernetes || read_access_token(context, bearer);
  if (is_judged && !bearer.empty() && context.state.revoked_tokens.size() < max_revoked) context.state.revoked_tokens.emplace(bearer);
  const std::string_view of_slurm = request.headers.get("X-SLURM-USER-TOKEN").value_or("");
  if (context.model.slurm && !of_slurm.empty() && context.state.revoked_tokens.size() < max_revoked)
    context.state.revoked_tokens.emplace(of_slurm);
}

}  // namespace rollcall::sim
