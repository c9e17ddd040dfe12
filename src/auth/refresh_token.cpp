// Users who have logged in: a refresh token, exchanged for a new access token each hour.
#include "auth/credential_kinds.hpp"
#include "auth/refreshed_credentials.hpp"
#include "auth/token_request.hpp"

namespace rollcall {
namespace {

class LoggedInUser final : public RefreshedCredentials {
 public:
  explicit LoggedInUser(AuthorizedUser user) : user_(std::move(user)) {}
  std::string describe() const override { return "the user who logged in with gcloud"; }

 protected:
  asio::awaitable<Result<AccessToken>> fetch(Call& call) override {
    TokenRequest request(user_.token_url, "token of " + describe());
    request.add("grant_type", "refresh_token");
    request.add("client_id", user_.client_id);
    request.add_secret("client_secret", user_.client_secret);
    request.add_secret("refresh_token", user_.refresh_token);
    co_return co_await ask_for_token(call, request);
  }

 private:
  const AuthorizedUser user_;
};

class WorkforceLogin final : public RefreshedCredentials {
 public:
  explicit WorkforceLogin(WorkforceUser user) : user_(std::move(user)) {}
  std::string describe() const override { return "the workforce user who logged in with gcloud"; }

 protected:
  asio::awaitable<Result<AccessToken>> fetch(Call& call) override {
    TokenRequest request(user_.token_url, "token of " + describe());
    request.add("grant_type", "refresh_token");
    request.add_secret("refresh_token", user_.refresh_token);
    request.set_client(user_.client_id, user_.client_secret);
    Result<TokenAnswer> reply = co_await ask_token_service(call, request);
    if (!reply) co_return reply.error();
    if (!reply->refresh_token.empty()) user_.refresh_token = std::move(reply->refresh_token);
    co_return token_of(std::move(*reply));
  }

 private:
  WorkforceUser user_;
};

}  // namespace

std::shared_ptr<Credentials> authorized_user_credentials(AuthorizedUser user) { return std::make_shared<LoggedInUser>(std::move(user)); }
std::shared_ptr<Credentials> workforce_user_credentials(WorkforceUser user) { return std::make_shared<WorkforceLogin>(std::move(user)); }

}  // namespace rollcall
