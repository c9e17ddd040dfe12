// Verifies tokens of one kind.
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

/// A token of a request.
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
  std::shared_ptr<const LivingProof> proof;  ///< null: the proof is not reviewed again
  std::optional<std::int64_t> expires;       ///< the token's `exp`; from recall()
};

class TokenMethod {
 public:
  virtual ~TokenMethod() = default;
  /// Suspends only if an issuer must be asked; cancellable. Errors: not_found (the token is another issuer's,
  /// and another method may know it), unauthenticated, unavailable. All callers hold the method and the token.
  virtual asio::awaitable<Result<TokenOwner>> owner_of(std::shared_ptr<const ShownToken> token) = 0;
  /// The result of the last minute, if the method caches it.
  virtual std::optional<TokenOwner> recall(const std::string&) const { return std::nullopt; }
  /// True if the token is the issuer's, for this service, and valid at present, as far as cached keys show: it is not a guess.
  virtual bool is_signed(const JsonWebToken& token) const = 0;
  /// For how long a result may be cached.
  static constexpr Duration kept_for = std::chrono::minutes(1);
};

std::shared_ptr<TokenMethod> make_google_method(std::shared_ptr<Runtime::Impl> runtime, FleetClients clients);
std::shared_ptr<TokenMethod> make_kubernetes_method(std::shared_ptr<Runtime::Impl> runtime, FleetClients clients);

}  // namespace rollcall::fleet
