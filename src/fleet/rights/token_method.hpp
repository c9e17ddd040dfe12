// How tokens of one kind prove who shows them.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "call/runtime_impl.hpp"
#include "fleet/rights/access.hpp"
#include "fleet/rights/wire/json_web_token.hpp"
#include "rollcall/fleet_service.hpp"
#include "rollcall/secret.hpp"

namespace rollcall::fleet {

/// A token that somebody shows.
class ShownToken {
 public:
  ShownToken() {}
  Secret<std::string> text;
  std::string digest;  ///< SHA-256 of the text
  JsonWebToken parsed;
};

class TokenOwner {
 public:
  TokenOwner() {}
  explicit TokenOwner(std::string is_called) : name(std::move(is_called)) {}
  std::string name;
  std::shared_ptr<const LivingProof> proof;  ///< null: it ends by itself alone
  std::optional<std::int64_t> expires;       ///< the token's `exp`; from recall()
};

class TokenMethod {
 public:
  virtual ~TokenMethod() = default;
  /// Suspends only where somebody must be asked; cancellable. Errors: not_found (another issuer's token,
  /// which may be another method's), unauthenticated, unavailable. All callers hold the method and the token.
  virtual asio::awaitable<Result<TokenOwner>> owner_of(std::shared_ptr<const ShownToken> token) = 0;
  /// As it was told within the last minute, where the method remembers it.
  virtual std::optional<TokenOwner> recall(const std::string&) const { return std::nullopt; }
  /// True if it is the issuer's, for this service and in its time, as far as can be told without a question: no guess.
  virtual bool is_signed(const JsonWebToken& token) const = 0;
  /// For how long a verdict may be remembered.
  static constexpr Duration kept_for = std::chrono::minutes(1);
};

std::shared_ptr<TokenMethod> make_google_method(std::shared_ptr<Runtime::Impl> runtime, FleetClients clients);
std::shared_ptr<TokenMethod> make_kubernetes_method(std::shared_ptr<Runtime::Impl> runtime, FleetClients clients);

}  // namespace rollcall::fleet
