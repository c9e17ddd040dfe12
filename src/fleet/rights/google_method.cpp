// Google's identity tokens: of instances, from their metadata server, and of service accounts [facts: google-identity].
#include "call/api_client.hpp"
#include "fleet/rights/issuer_keys.hpp"
#include "fleet/rights/rules/token_claims.hpp"
#include "fleet/rights/token_method.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::string_view google_issuer = "https://accounts.google.com";
constexpr std::string_view google_certs = "https://www.googleapis.com/oauth2/v3/certs";
constexpr Duration max_google = std::chrono::hours(2);  // the tokens are valid for one hour

asio::awaitable<Result<IssuerDocument>> fetch_google_keys(Call& call) {
  Result<Url> url = Url::parse(google_certs);
  if (!url) co_return url.error();
  ApiRequest request(std::move(*url));
  request.what = "the keys of Google's identity tokens";
  request.http.headers.add("Accept", "application/json");
  const Result<HttpResponse> answer = co_await api_send(call, request);
  if (!answer) co_return answer.error();
  Result<std::vector<WebKey>> keys = parse_key_set(answer->body);
  if (!keys) co_return keys.error();
  IssuerDocument document;
  document.issuer = google_issuer;
  document.keys = std::move(*keys);
  co_return document;
}

class GoogleMethod final : public TokenMethod {
 public:
  GoogleMethod(std::shared_ptr<Runtime::Impl> runtime, FleetClients clients)
      : runtime_(runtime), clients_(std::move(clients)),
        keys_(std::make_shared<IssuerKeys>(std::move(runtime), "the keys of Google's identity tokens", IssuerKeys::Absence::is_no_verdict,
                                           &fetch_google_keys)) {}

  asio::awaitable<Result<TokenOwner>> owner_of(std::shared_ptr<const ShownToken> token) override {
    const JsonWebToken& claims = token->parsed;
    if (claims.issuer != google_issuer) co_return Failure(Errc::not_found, "the token is of another issuer (iss)");
    const Result<void> fine = check_claims(claims, clients_.audience, max_google, runtime_->time->wall_now());
    if (!fine) co_return fine.error();
    Result<std::shared_ptr<const IssuerKeys::Known>> keys = co_await keys_->find(claims.key_id);
    if (!keys) co_return keys.error();
    const Result<void> is_signed = (*keys)->check(claims);
    if (!is_signed) co_return is_signed.error();
    Result<std::string> name = google_account_name(claims, clients_.projects);
    if (!name) co_return name.error();
    co_return TokenOwner(std::move(*name));
  }
  bool is_signed(const JsonWebToken& claims) const override {
    return check_claims(claims, clients_.audience, max_google, runtime_->time->wall_now()) && keys_->have_signed(claims);
  }

 private:
  std::shared_ptr<Runtime::Impl> runtime_;
  FleetClients clients_;
  std::shared_ptr<IssuerKeys> keys_;
};

}  // namespace

std::shared_ptr<TokenMethod> make_google_method(std::shared_ptr<Runtime::Impl> runtime, FleetClients clients) {
  return std::make_shared<GoogleMethod>(std::move(runtime), std::move(clients));
}

}  // namespace rollcall::fleet
