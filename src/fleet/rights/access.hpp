// Authenticates the clients of the service, and decides what they may read.
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

/// A proof of identity that is reviewed again as long as a stream holds it.
class LivingProof {
 public:
  bool is_over = false;  ///< a later review has rejected it
};

/// An authenticated client.
class Identity {
 public:
  Identity() {}
  std::string text;  ///< `AS:NAME`; empty: the service does not distinguish clients
  /// End of the proof, on the clock of the TimeSource, without the grace period, which callers add; absent: the proof has no end.
  std::optional<WallTime> expires;
  std::shared_ptr<const LivingProof> proof;  ///< null: the proof is not reviewed again
};

class Access {
 public:
  virtual ~Access() = default;
  /// Identifies a client without waiting: by the certificate of its connection, or by a token that was verified a short while ago. Absent:
  /// use identify().
  virtual std::optional<Identity> recognize(const ServerRequest&) { return std::nullopt; }
  /// True if the request has a token that a cached key of its issuer has signed: it is not a guess, even if other clients at the same
  /// address guess tokens. identify() identifies its owner.
  virtual bool is_signed(const ServerRequest&) const { return false; }
  /// Identifies a client by the token of the Authorization field (`Bearer TOKEN`, or the token alone as Prometheus sends it by default),
  /// else by the certificate. Suspends only if an issuer's keys, or the API server, must be asked; cancellable. Errors: unauthenticated (no
  /// valid proof: the message says what is missing or wrong, and quotes nothing of the token), unavailable (the issuer cannot be asked at
  /// present).
  virtual asio::awaitable<Result<Identity>> identify(const ServerRequest& request) = 0;
  virtual bool may_read(const Identity& who, const Target& target) const = 0;
  virtual bool may_read_metrics(const Identity& who) const = 0;
  /// True if the client may follow the service as one of its replicas.
  virtual bool may_join(const Identity& who) const = 0;
  /// True if clients may name the target at all (FleetServiceOptions::allow). A target of `follow` may always be named.
  virtual bool is_allowed(const Target& target) const = 0;
  /// Number of changes of the rights: streams are judged again at each.
  virtual std::uint64_t version() const noexcept = 0;
  /// The former rights stay if there is an error.
  virtual Result<void> change(const FleetServiceOptions& options) = 0;
  /// True if the client may wait at barriers here.
  virtual bool may_meet(const Identity& who) const = 0;
};

/// For options without clients: all clients have the same identity, may read everything, and may name what is allowed. Errors:
/// invalid_argument.
Result<std::shared_ptr<Access>> make_access(Runtime runtime, const FleetServiceOptions& options);

}  // namespace rollcall::fleet
