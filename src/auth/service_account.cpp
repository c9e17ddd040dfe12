#include <fmt/format.h>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "auth/credential_kinds.hpp"
#include "auth/refreshed_credentials.hpp"
#include "auth/token_request.hpp"
#include "base/base64.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "call/runtime_impl.hpp"
#include "crypto/signature.hpp"

namespace rollcall {
namespace {

constexpr std::chrono::seconds lifetime = std::chrono::hours(1);
constexpr std::string_view grant_audience = "https://oauth2.googleapis.com/token";  // independent of token_uri, as in google-auth

class ServiceAccount final : public RefreshedCredentials {
 public:
  ServiceAccount(ServiceAccountKey key, bool has_token_service)
      : key_(std::move(key)), name_("the service account " + printable(key_.client_email, 200)), has_token_service_(has_token_service) {}

  std::string describe() const override { return name_; }
  void invalidate(const AccessToken& rejected) override {
    // The token service's answer about the account's signature has more detail than a 401, and some services accept only its tokens.
    if (rejected.value == signed_ && has_token_service_) uses_token_service_ = true;
    RefreshedCredentials::invalidate(rejected);
  }

 protected:
  asio::awaitable<Result<AccessToken>> fetch(Call& call) override {
    const WallTime now = impl_of(call).time->wall_now();
    Result<Secret<std::string>> jwt = sign(now);
    if (!jwt) co_return jwt.error();
    if (!uses_token_service_) {
      signed_ = *jwt;
      AccessToken token(std::move(*jwt));
      token.expires_at = saturating_sum(now, lifetime);
      co_return token;
    }
    TokenRequest request(key_.token_url, "token of " + name_);
    request.request().refusal_hint =
        "The credentials were refused: the key may be deleted or disabled (gcloud iam service-accounts keys list), or this machine's clock "
        "is "
        "wrong";
    request.add("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer");
    request.add_secret("assertion", *jwt);
    co_return co_await ask_for_token(call, request);
  }

 private:
  Result<Secret<std::string>> sign(WallTime now) const {
    boost::json::object header{{"alg", "RS256"}, {"typ", "JWT"}};
    if (!key_.key_id.empty()) header["kid"] = key_.key_id;
    const std::int64_t issued_at = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    boost::json::object claims{
        {"iss", key_.client_email}, {"iat", issued_at}, {"exp", issued_at + lifetime.count()}, {"scope", cloud_platform_scope}};
    if (uses_token_service_) {
      claims["aud"] = grant_audience;
    } else {
      claims["sub"] = key_.client_email;
    }
    const std::string jwt = base64url_encode(boost::json::serialize(header)) + "." + base64url_encode(boost::json::serialize(claims));
    Result<std::string> signature = sign_rs256("the private_key of " + name_, key_.key, jwt);
    if (!signature) return signature.error();
    const Secret<std::string> encoded(base64url_encode(*signature));
    clear_and_wipe(*signature);
    return joined_secret({jwt, ".", encoded.reveal()});
  }

  const ServiceAccountKey key_;
  const std::string name_;
  const bool has_token_service_;
  bool uses_token_service_ = false;
  Secret<std::string> signed_;  // the last self-signed JWT that was used as a token
};

}  // namespace

std::shared_ptr<Credentials> service_account_credentials(ServiceAccountKey key, const std::string& universe_domain) {
  return std::make_shared<ServiceAccount>(std::move(key), universe_domain == google_universe);
}

}  // namespace rollcall
