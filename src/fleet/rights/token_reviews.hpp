// Verdicts of a Kubernetes API server on tokens: one review for all clients that show the token, repeated as long as a stream depends on
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
#include "resolvers/kubernetes/access/kubernetes_server.hpp"

namespace rollcall::fleet {

KubernetesOptions kubernetes_options_of(const FleetClients& clients);
/// Sends the request to the server, with the service's credentials.
void address_api(ApiRequest& request, const KubernetesServer& server, std::string_view media_type = "application/json");
Url url_below(const KubernetesServer& server, std::string_view path);

/// A verdict is cached for a minute; a failure to get one is not. Then the tokens of open streams are reviewed again, the oldest verdict
/// first, at the rate of ReviewBudget. While the API server cannot be asked, verdicts stay as they are.
class TokenReviews : public std::enable_shared_from_this<TokenReviews> {
 public:
  TokenReviews(std::shared_ptr<Runtime::Impl> runtime, std::shared_ptr<const FleetClients> clients)
      : runtime_(std::move(runtime)), clients_(std::move(clients)) {}

  /// `kind`: whether the token's signature was verified. Suspends if the API server must be asked, for 10 s at most; cancellable.
  /// Errors: unauthenticated, unavailable, cancelled.
  asio::awaitable<Result<TokenOwner>> owner_of(std::shared_ptr<const ShownToken> token, ReviewBudget::Kind kind);
  /// The API server's verdict, if it is at most a minute old.
  std::optional<TokenOwner> recall(const std::string& digest) const;
  /// Ends the repeated reviews.
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
  std::deque<Due> due_;                                               // by the time of the verdict
  bool is_reviewing_again_ = false;
  ReviewBudget budget_;
  asio::cancellation_signal stop_;
};

}  // namespace rollcall::fleet
