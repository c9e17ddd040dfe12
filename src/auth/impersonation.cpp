// A service account that other credentials impersonate.
#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "auth/credential_kinds.hpp"
#include "auth/refreshed_credentials.hpp"
#include "auth/token_request.hpp"

namespace rollcall {
namespace {

class Impersonated final : public RefreshedCredentials {
 public:
  Impersonated(ImpersonatedAccount account, std::string name)
      : account_(std::move(account)), name_(std::move(name)), source_(credentials_of(*account_.source)) {}
  std::string describe() const override { return fmt::format("{}, as {}", source_->describe(), name_); }

 protected:
  asio::awaitable<Result<AccessToken>> fetch(Call& call) override {
    co_return co_await impersonate(call, account_.url, source_, account_.delegates, std::chrono::hours(1));
  }

 private:
  const ImpersonatedAccount account_;
  const std::string name_;
  const std::shared_ptr<Credentials> source_;
};

}  // namespace

asio::awaitable<Result<AccessToken>> impersonate(Call& call, Url url, std::shared_ptr<Credentials> source,
                                                 std::vector<std::string> delegates, Duration lifetime) {
  const std::string account = impersonated_account(url);
  const boost::json::object question{
      {"delegates", boost::json::array(delegates.begin(), delegates.end())},
      {"scope", {cloud_platform_scope}},
      {"lifetime", fmt::format("{}s", std::chrono::duration_cast<std::chrono::seconds>(lifetime).count())},
  };
  TokenRequest request(std::move(url), "token of the service account " + account);
  request.set_json(boost::json::serialize(question));
  request.use(std::move(source));
  Result<AccessToken> token = co_await ask_for_generated_token(call, request);
  if (!token && token.error().code() == Errc::permission_denied) {
    Failure failure = token.error();
    failure.with_hint(
        fmt::format("grant roles/iam.serviceAccountTokenCreator on {} to the requesting identity (for a federated identity: "
                    "roles/iam.workloadIdentityUser), and enable iamcredentials.googleapis.com",
                    account));
    co_return failure;
  }
  co_return token;
}

std::shared_ptr<Credentials> impersonated_credentials(ImpersonatedAccount account) {
  std::string name = impersonated_account(account.url);
  return std::make_shared<Impersonated>(std::move(account), std::move(name));
}

}  // namespace rollcall
