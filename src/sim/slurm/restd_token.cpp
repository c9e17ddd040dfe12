#include "sim/slurm/restd_token.hpp"

#include "base/base64.hpp"
#include "base/text.hpp"
#include "sim/slurm/restd_api.hpp"
#include "sim/wire/encoding.hpp"
#include "sim/wire/signed_in.hpp"

namespace rollcall::sim {
namespace {

std::int64_t date_seconds(WallTime time) { return std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count(); }

std::int64_t whole_claim(const json::object& claims, std::string_view key) {
  const json::value* const value = claims.if_contains(key);
  return value && value->is_int64() ? value->get_int64() : 0;
}

}  // namespace

std::string make_slurm_token(const SlurmClusterModel& cluster, WallTime now) {
  const std::int64_t made = date_seconds(now);
  const std::int64_t life = std::chrono::ceil<std::chrono::seconds>(cluster.token_lifetime).count();
  const json::object claims{{"exp", made + life}, {"iat", made}, {"sun", cluster.user}};
  const std::string content =
      base64url_encode(R"({"alg":"HS256","typ":"JWT"})") + "." + base64url_encode(json::serialize(json::value(claims)));
  return content + "." + base64url_encode(fingerprint(content));  // which is not verified
}

RestdVerdict judge_slurm_token(const Context& context, const Request& request) {
  const bool is_old = context.model.slurm->release == 0;
  std::string_view token = request.headers.get("X-SLURM-USER-TOKEN").value_or("");
  const std::string_view user = request.headers.get("X-SLURM-USER-NAME").value_or("");
  if (token.empty() && !is_old) token = bearer_of(request);
  if (token.empty() || (is_old && user.empty())) return RestdVerdict::missing;
  if (context.state.revoked_tokens.contains(token)) return RestdVerdict::refused;
  const std::optional<json::object> claims = jwt_claims(token);
  if (!claims || whole_claim(*claims, "exp") <= date_seconds(context.date())) return RestdVerdict::refused;
  const json::value* const owner = claims->if_contains("sun");
  const std::string_view name = owner && owner->is_string() ? std::string_view(owner->get_string()) : std::string_view();
  const bool is_own = user.empty() || name.empty() || name == user;
  return is_own ? RestdVerdict::accepted : RestdVerdict::refused;
}

}  // namespace rollcall::sim
