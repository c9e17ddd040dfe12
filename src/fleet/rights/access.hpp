// Who asks the service, and what it may: the one question that each request is put before anything else.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "net/server/server_exchange.hpp"
#include "rollcall/error.hpp"
#include "rollcall/fleet_service.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/target.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

/// A proof that is looked at again for as long as somebody holds it.
class LivingProof {
 public:
  bool is_over = false;  ///< whoever could tell does not stand by it any more
};

/// A client that has proven who it is.
class Identity {
 public:
  Identity() {}
  std::string text;  ///< `AS:NAME`; empty: the service does not tell its clients apart
  /// When its proof ends, on the clock of the TimeSource; absent: not by itself. A minute of grace is added by who asks.
  std::optional<WallTime> expires;
  std::shared_ptr<const LivingProof> proof;  ///< null: it ends by its time alone
};

class Access {
 public:
  virtual ~Access() = default;
  /// Who asks, where telling it takes nothing: by a certificate that its connection was opened with, or a token that was found good a short
  /// while ago. Absent: identify() tells.
  virtual std::optional<Identity> recognize(const ServerRequest&) { return std::nullopt; }
  /// True if the request shows a token that its issuer has signed, as the keys that are at hand say: no guess, whoever else guesses at the
  /// same address. identify() tells whose it is.
  virtual bool is_signed(const ServerRequest&) const { return false; }
  /// By the token of the Authorization field (`Bearer TOKEN`, or the token alone as Prometheus has it by default), else by the certificate.
  /// Suspends only where an issuer's keys, or the API server, must be asked; cancellable. Errors: unauthenticated (nothing proves anything:
  /// the message says what is missing or wrong, and nothing of the token), unavailable (the issuer cannot be asked at present).
  virtual asio::awaitable<Result<Identity>> identify(const ServerRequest& request) = 0;
  virtual bool may_read(const Identity& who, const Target& target) const = 0;
  virtual bool may_read_metrics(const Identity& who) const = 0;
  /// True if followers may name the target at all (FleetServiceOptions::allow). A target of `follow` may be named always.
  virtual bool is_allowed(const Target& target) const = 0;
  /// Counts changes of the rights: what is open is judged again at each.
  virtual std::uint64_t version() const noexcept = 0;
  /// The old ones stay where there is an error.
  virtual Result<void> change(const FleetServiceOptions& options) = 0;
};

/// For options without clients: everybody is the same, may read everything, and name what is allowed. Errors: invalid_argument.
Result<std::shared_ptr<Access>> make_access(Runtime runtime, const FleetServiceOptions& options);

}  // namespace rollcall::fleet
