#include "fleet/rights/token_reviews.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/post.hpp>

#include "async/spawn.hpp"
#include "auth/token_request.hpp"
#include "base/ip.hpp"
#include "base/saturating.hpp"
#include "fleet/rights/rules/token_claims.hpp"
#include "fleet/rights/wire/token_review.hpp"
#include "resolvers/kubernetes/access/rules/kubernetes_service.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration review_patience = std::chrono::seconds(10);
constexpr Duration review_pace = std::chrono::milliseconds(100);  // until the next attempt, for repeated reviews over the budget

// The API server's refusal of the service's own credentials is no verdict on the token.
Failure no_verdict(const Failure& why) {
  if (why.code() == Errc::cancelled) return why;
  return Failure(Errc::unavailable, fmt::format("the token cannot be reviewed at present: {}", why.what()));
}

asio::awaitable<Result<std::string>> ask_review(Call& call, std::shared_ptr<const FleetClients> clients,
                                                std::shared_ptr<const ShownToken> token) {
  const KubernetesOptions options = kubernetes_options_of(*clients);
  const Result<KubernetesServer> server = co_await find_kubernetes(call, options);
  if (!server) co_return no_verdict(server.error());
  if (!server->root.is_https && !is_loopback(server->root.host)) {
    co_return no_verdict(
        Failure(Errc::refused_by_policy, fmt::format("it would go to {} without encryption: nothing was sent", server->root.origin())));
  }
  TokenRequest question(url_below(*server, "apis/authentication.k8s.io/v1/tokenreviews"), "the token review");
  address_api(question.request(), *server);
  question.set_json(render_token_review(token->text.reveal(), clients->audience));
  question.request().secrets.push_back(token->text);
  const Result<HttpResponse> answer = co_await api_send(call, question.request());
  if (!answer) co_return no_verdict(answer.error());
  Result<std::string> user = parse_token_review(answer->body, clients->audience);
  const bool is_verdict = user || user.error().code() == Errc::unauthenticated;
  if (is_verdict) co_return user;
  Failure failure = user.error();
  hide_secrets(question.request(), failure);
  co_return no_verdict(failure);
}

}  // namespace

KubernetesOptions kubernetes_options_of(const FleetClients& clients) {
  KubernetesOptions options;
  options.context(clients.context).kubeconfig(clients.kubeconfig);
  return options;
}

void address_api(ApiRequest& request, const KubernetesServer& server, std::string_view media_type) {
  request.service = &kubernetes_service;
  request.credentials = server.credentials;
  request.with_token = server.credentials != nullptr;
  request.http.access = server.access;
  server.headers.each([&request](std::string_view name, std::string_view value) { request.http.headers.add(name, value); });
  request.http.headers.add("Accept", media_type);
}

Url url_below(const KubernetesServer& server, std::string_view path) {
  Url url = server.root;
  url.target += path;
  return url;
}

class TokenReviews::Review {
 public:
  explicit Review(std::shared_ptr<const ShownToken> shown) : token(std::move(shown)) {}
  bool is_fresh(SteadyTime now) const { return verdict && now < fresh_until; }

  std::shared_ptr<const ShownToken> token;
  std::optional<Result<std::string>> verdict;
  SteadyTime fresh_until{};
  std::weak_ptr<LivingProof> proof;  // of the streams that depend on the token
  SingleFlight<std::string> flight;
  int waiting = 0;
};

asio::awaitable<Result<TokenOwner>> TokenReviews::owner_of(std::shared_ptr<const ShownToken> token, ReviewBudget::Kind kind) {
  const std::shared_ptr<TokenReviews> self = shared_from_this();
  const auto known = reviews_.find(token->digest);
  std::shared_ptr<Review> review = known == reviews_.end() ? nullptr : known->second;
  if (review && review->is_fresh(now())) co_return owner(*review);
  const bool is_under_way = review && review->waiting > 0;
  if (!is_under_way && !budget_.take(kind, token->parsed.subject, now())) {
    co_return Failure(Errc::unavailable, fmt::format("the API server is asked about {} tokens a second at most", ReviewBudget::a_second));
  }
  if (!review) {
    review = std::make_shared<Review>(token);
    reviews_.emplace(token->digest, review);
  }
  const Result<std::string> user = co_await ask(review);
  if (!user) co_return user.error();
  co_return owner(*review);
}

std::optional<TokenOwner> TokenReviews::recall(const std::string& digest) const {
  const auto known = reviews_.find(digest);
  if (known == reviews_.end() || !known->second->is_fresh(now())) return std::nullopt;
  Result<TokenOwner> found = owner(*known->second);
  if (!found) return std::nullopt;
  return std::move(*found);
}

void TokenReviews::close() {
  if (!runtime_->loop.is_going()) return;
  asio::post(runtime_->executor, [self = shared_from_this()] { self->stop_.emit(asio::cancellation_type::terminal); });
}

asio::awaitable<Result<std::string>> TokenReviews::ask(std::shared_ptr<Review> review) {
  CallOptions options;
  options.timeout(review_patience);
  auto script = [clients = clients_, token = review->token](Call& call) { return ask_review(call, clients, token); };
  ++review->waiting;
  Result<std::string> user = co_await review->flight.run(runtime_, std::move(options), CallSubject("the token review"), std::move(script));
  --review->waiting;
  if (!review->is_fresh(now())) settle(review, user);
  co_return user;
}

// Called by the first of the waiting clients.
void TokenReviews::settle(const std::shared_ptr<Review>& review, const Result<std::string>& user) {
  const std::string& digest = review->token->digest;
  const auto known = reviews_.find(digest);
  const bool is_this = known != reviews_.end() && known->second == review;
  const bool is_refused = !user && user.error().code() == Errc::unauthenticated;
  if (user || is_refused) {
    review->verdict = user;
    review->fresh_until = saturating_sum(now(), TokenMethod::kept_for);
    const std::shared_ptr<LivingProof> proof = review->proof.lock();
    if (proof && is_refused) proof->is_over = true;
    if (!is_this) return;
    due_.push_back(Due{digest, review->fresh_until});
    if (is_reviewing_again_) return;
    is_reviewing_again_ = true;
    spawn(runtime_->executor, review_again(), stop_.slot(), [self = shared_from_this()](std::exception_ptr) {});
  } else if (is_this && review->waiting == 0 && !review->verdict) {
    reviews_.erase(known);
  }
}

Result<TokenOwner> TokenReviews::owner(Review& review) const {
  if (!*review.verdict) return review.verdict->error();
  Result<std::string> name = service_account_name(**review.verdict);
  if (!name) return name.error();
  TokenOwner made(std::move(*name));
  std::shared_ptr<LivingProof> proof = review.proof.lock();
  if (!proof) proof = std::make_shared<LivingProof>();
  review.proof = proof;
  made.proof = std::move(proof);
  made.expires = review.token->parsed.expires;
  return made;
}

// Runs as long as there are cached verdicts.
asio::awaitable<void> TokenReviews::review_again() {
  const std::shared_ptr<TokenReviews> self = shared_from_this();
  while (!due_.empty()) {
    const SteadyTime at = due_.front().at;
    if (at > now()) {
      const bool goes_on = co_await sleep_until(*runtime_->timers, at);
      if (!goes_on) co_return;
    }
    std::string digest = std::move(due_.front().digest);
    due_.pop_front();
    co_await review_again_one(std::move(digest));
  }
  is_reviewing_again_ = false;
}

asio::awaitable<void> TokenReviews::review_again_one(std::string digest) {
  const auto known = reviews_.find(digest);
  if (known == reviews_.end() || known->second->is_fresh(now())) co_return;  // it was reviewed in between
  const std::shared_ptr<Review> review = known->second;
  const bool is_held = !review->proof.expired() && *review->verdict;
  if (!is_held) {
    if (review->waiting == 0) reviews_.erase(known);
    co_return;
  }
  bool goes_on = true;
  while (goes_on && !budget_.take(ReviewBudget::Kind::again, std::string(), now()))
    goes_on = co_await sleep_until(*runtime_->timers, saturating_sum(now(), review_pace));
  if (!goes_on) co_return;
  static_cast<void>(co_await ask(review));
  if (!review->is_fresh(now())) due_.push_back(Due{std::move(digest), saturating_sum(now(), TokenMethod::kept_for)});
}

}  // namespace rollcall::fleet
