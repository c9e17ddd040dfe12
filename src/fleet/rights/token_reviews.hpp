// Verdicts of a Kubernetes API server on tokens: each asked for once however many show the token, and again as long as a stream goes on by
// it.
#pragma once

#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "call/api_client.hpp"
#include "call/single_flight.hpp"
#include "fleet/rights/rules/review_budget.hpp"
#include "fleet/rights/token_method.hpp"
#include "resolvers/kubernetes/kubernetes_server.hpp"

namespace rollcall::fleet {

KubernetesOptions kubernetes_options_of(const FleetClients& clients);
/// Has the request go to the server, with what the service proves itself by.
void address_api(ApiRequest& request, const KubernetesServer& server, std::string_view media_type = "application/json");
Url url_below(const KubernetesServer& server, std::string_view path);

/// A verdict is remembered for a minute, that there was none is not. Tokens whose proof is held by a stream are reviewed again after that,
/// the one that has waited longest first; how many, ReviewBudget says. While the API server cannot be asked, what was proven stays so.
class TokenReviews : public std::enable_shared_from_this<TokenReviews> {
 public:
  TokenReviews(std::shared_ptr<Runtime::Impl> runtime, std::shared_ptr<const FleetClients> clients)
      : runtime_(std::move(runtime)), clients_(std::move(clients)) {}

  /// `kind`: whether the token's signature was checked. Suspends where the API server must be asked, 10 s at most; cancellable.
  /// Errors: unauthenticated, unavailable, cancelled.
  asio::awaitable<Result<TokenOwner>> owner_of(std::shared_ptr<const ShownToken> token, ReviewBudget::Kind kind);
  /// As the API server has said within the last minute.
  std::optional<TokenOwner> recall(const std::string& digest) const;
  /// Nothing is reviewed again from now on.
  void close();

 private:
  class Review;
  class Due {
   public:
    std::string digest;
    SteadyTime at{};
  };

  asio::awaitable<Result<std::string>> ask(std::shared_ptr<Review> review);
  void settle(const std::shared_ptr<Review>& review, const Result<std::string>& user);
  Result<TokenOwner> owner(Review& review) const;
  asio::awaitable<void> review_again();
  asio::awaitable<void> review_again_one(std::string digest);
  SteadyTime now() const { return runtime_->time->now(); }

  std::shared_ptr<Runtime::Impl> runtime_;
  std::shared_ptr<const FleetClients> clients_;
  std::unordered_map<std::string, std::shared_ptr<Review>> reviews_;  // by the token's digest
  std::deque<Due> due_;                                               // in the order of time
  bool is_reviewing_again_ = false;
  ReviewBudget budget_;
  asio::cancellation_signal stop_;
};

}  // namespace rollcall::fleet
