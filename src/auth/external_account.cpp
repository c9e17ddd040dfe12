// An identity of another provider, exchanged for a token (RFC 8693), and optionally for a service account's after that.
#include <fmt/format.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "auth/credential_kinds.hpp"
#include "auth/refreshed_credentials.hpp"
#include "auth/subject_token.hpp"
#include "auth/token_request.hpp"
#include "base/text.hpp"
#include "base/url.hpp"

namespace rollcall {
namespace {

std::unique_ptr<SubjectTokenSource> source_of(const ExternalAccount& account) {
  if (const auto* file = std::get_if<FileSource>(&account.source)) return subject_token_file(*file);
  if (const auto* url = std::get_if<UrlSource>(&account.source)) return subject_token_url(*url);
  if (const auto* executable = std::get_if<ExecutableSource>(&account.source)) return subject_token_executable(*executable, account);
  return subject_token_aws(std::get<AwsSource>(account.source), account);
}

class Federated final : public RefreshedCredentials {
 public:
  explicit Federated(ExternalAccount account) : account_(std::move(account)), source_(source_of(account_)) {}

  std::string describe() const override {
    const std::string identity = "the federated identity of " + source_->describe();
    return account_.impersonation_url ? fmt::format("{}, as {}", identity, impersonated_account(*account_.impersonation_url)) : identity;
  }

 protected:
  asio::awaitable<Result<AccessToken>> fetch(Call& call) override {
    const Result<Secret<std::string>> subject = co_await source_->subject_token(call);
    if (!subject) co_return subject.error();
    TokenRequest request(account_.token_url, "token of the federated identity");
    request.request().refusal_hint = fmt::format(
        "The credentials were refused: look at the workload identity pool's provider, its issuer, audience and attribute condition, which "
        "{} "
        "must meet",
        source_->describe());
    request.add("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange");
    request.add("audience", account_.audience);
    request.add("scope", cloud_platform_scope);
    request.add("requested_token_type", "urn:ietf:params:oauth:token-type:access_token");
    request.add_secret("subject_token", *subject);
    request.add("subject_token_type", account_.subject_token_type);
    if (!account_.client_id.empty()) {
      request.set_client(account_.client_id, account_.client_secret);
    } else if (!account_.workforce_user_project.empty()) {
      const boost::json::object options{{"userProject", account_.workforce_user_project}};
      request.add("options", percent_encode_path_segment(boost::json::serialize(options)));
    }
    Result<AccessToken> federated = co_await ask_for_token(call, request);
    if (!federated || !account_.impersonation_url) co_return federated;
    std::shared_ptr<Credentials> source = static_token(federated->value);
    std::vector<std::string> no_delegates;
    Result<AccessToken> token =
        co_await impersonate(call, *account_.impersonation_url, std::move(source), std::move(no_delegates), account_.impersonated_lifetime);
    co_return token;
  }

 private:
  const ExternalAccount account_;
  const std::unique_ptr<SubjectTokenSource> source_;
};

}  // namespace

std::shared_ptr<Credentials> external_account_credentials(ExternalAccount account) {
  return std::make_shared<Federated>(std::move(account));
}

}  // namespace rollcall
