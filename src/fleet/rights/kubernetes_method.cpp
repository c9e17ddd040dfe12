// Tokens of Kubernetes service accounts, verified by the cluster's keys and, if configured, by asking its API server about each token.
//
// Decision: keys come from the API server's own /openid/v1/jwks, never from the address in its discovery document: the request carries the
// service's credentials [facts: k8s-issuer].
// Decision: a token of a key that the cluster did not list within the last half minute is refused, also with reviews: otherwise tokens with
// invented keys would each cause a request to the API server. A cluster lists a new key before it signs with it.
#include <fmt/format.h>

#include "base/text.hpp"
#include "fleet/rights/issuer_keys.hpp"
#include "fleet/rights/rules/token_claims.hpp"
#include "fleet/rights/token_reviews.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration max_of_account = std::chrono::hours(48);

asio::awaitable<Result<std::string>> fetch_document(Call& call, const KubernetesServer& server, std::string_view path,
                                                    std::string_view media_type, std::string what) {
  ApiRequest request(url_below(server, path));
  address_api(request, server, media_type);
  request.what = std::move(what);
  Result<HttpResponse> answer = co_await api_send(call, request);
  if (!answer) co_return answer.error();
  co_return std::move(answer->body);
}

asio::awaitable<Result<IssuerDocument>> fetch_cluster_keys(Call& call, std::shared_ptr<const FleetClients> clients) {
  const KubernetesOptions options = kubernetes_options_of(*clients);
  const Result<KubernetesServer> server = co_await find_kubernetes(call, options);
  if (!server) co_return server.error();
  std::string what = "the discovery document of service accounts' tokens";
  const Result<std::string> sent =
      co_await fetch_document(call, *server, ".well-known/openid-configuration", "application/json", std::move(what));
  if (!sent) co_return sent.error();
  Result<std::string> issuer = parse_issuer(*sent);
  if (!issuer) co_return issuer.error();
  what = "the keys of service accounts' tokens";
  const Result<std::string> set = co_await fetch_document(call, *server, "openid/v1/jwks", "application/jwk-set+json", std::move(what));
  if (!set) co_return set.error();
  Result<std::vector<WebKey>> keys = parse_key_set(*set);
  if (!keys) co_return keys.error();
  IssuerDocument document;
  document.issuer = std::move(*issuer);
  document.keys = std::move(*keys);
  co_return document;
}

class KubernetesMethod final : public TokenMethod {
 public:
  KubernetesMethod(std::shared_ptr<Runtime::Impl> runtime, std::shared_ptr<const FleetClients> clients)
      : runtime_(runtime), clients_(clients) {
    if (clients->reviews) reviews_ = std::make_shared<TokenReviews>(runtime, clients);
    const std::string subject = fmt::format("the keys of {}'s service accounts",
                                            clients->context.empty() ? "the Kubernetes cluster" : quoted(clients->context, 80));
    auto fetch = [clients](Call& call) { return fetch_cluster_keys(call, clients); };
    keys_ = std::make_shared<IssuerKeys>(std::move(runtime), subject, IssuerKeys::Absence::is_a_verdict, std::move(fetch));
  }
  ~KubernetesMethod() override {
    if (reviews_) reviews_->close();
  }

  // Tokens are verified by the keys before a review if the keys are available, so that forged tokens do not use up the reviews. If they are
  // not available, half of the reviews are for unverified tokens like this one.
  asio::awaitable<Result<TokenOwner>> owner_of(std::shared_ptr<const ShownToken> token) override {
    const JsonWebToken& claims = token->parsed;
    Result<std::string> name = service_account_name(claims.subject);
    if (!name) co_return Failure(Errc::not_found, name.error().what());
    const Result<void> fine = check_claims(claims, clients_->audience, max_of_account, runtime_->time->wall_now());
    if (!fine) co_return fine.error();
    Result<std::shared_ptr<const IssuerKeys::Known>> keys = co_await keys_->find(claims.key_id);
    if (!keys && (!clients_->reviews || keys.error().code() == Errc::cancelled)) co_return keys.error();
    if (keys) {
      if (claims.issuer != (*keys)->issuer) co_return Failure(Errc::not_found, "the token is of another issuer (iss)");
      const Result<void> is_signed = (*keys)->check(claims);
      if (!is_signed) co_return is_signed.error();
    }
    if (!reviews_) co_return TokenOwner(std::move(*name));
    if (keys) co_return co_await reviews_->owner_of(token, ReviewBudget::Kind::checked);
    co_return co_await reviews_->owner_of(token, ReviewBudget::Kind::unchecked);
  }
  bool is_signed(const JsonWebToken& claims) const override {
    return check_claims(claims, clients_->audience, max_of_account, runtime_->time->wall_now()) && keys_->have_signed(claims);
  }
  std::optional<TokenOwner> recall(const std::string& digest) const override { return reviews_ ? reviews_->recall(digest) : std::nullopt; }

 private:
  std::shared_ptr<Runtime::Impl> runtime_;
  std::shared_ptr<const FleetClients> clients_;
  std::shared_ptr<IssuerKeys> keys_;
  std::shared_ptr<TokenReviews> reviews_;  // null: no reviews, the keys alone decide
};

}  // namespace

std::shared_ptr<TokenMethod> make_kubernetes_method(std::shared_ptr<Runtime::Impl> runtime, FleetClients clients) {
  auto settings = std::make_shared<const FleetClients>(std::move(clients));
  return std::make_shared<KubernetesMethod>(std::move(runtime), std::move(settings));
}

}  // namespace rollcall::fleet
