// Admission: authenticates the client and applies limits before a request is handled, and judges its rights while the answer goes on.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "call/runtime_impl.hpp"
#include "fleet/entry/client.hpp"
#include "fleet/entry/refusal.hpp"
#include "fleet/entry/rules/peer_limits.hpp"
#include "fleet/entry/service_numbers.hpp"

namespace rollcall::fleet {

class Admission;

/// One of the streams, or waiting answers, that the service has room for. Released by the destructor.
class StreamSlot {
 public:
  StreamSlot(std::shared_ptr<Admission> admission, ClientPtr client);
  ~StreamSlot();
  StreamSlot(const StreamSlot&) = delete;
  StreamSlot& operator=(const StreamSlot&) = delete;

 private:
  std::shared_ptr<Admission> admission_;  // a coroutine, and its slot, may be destroyed after the service
  ClientPtr client_;
};
using StreamSlotPtr = std::unique_ptr<StreamSlot>;

class Admission : public std::enable_shared_from_this<Admission> {
 public:
  /// `access` null: every client may read everything. `numbers` outlives every call of authenticate().
  Admission(std::shared_ptr<Runtime::Impl> runtime, std::shared_ptr<Access> access, const FleetBounds& bounds, ServiceNumbers& numbers);

  /// The client of a request, which is counted against the client's limits; with `refusal` set: the request must be refused. `request`
  /// lives as long as the await. Suspends as Access::identify().
  asio::awaitable<ClientPtr> authenticate(const ServerRequest& request, std::optional<Refusal>& refusal);
  /// True if the request has no token and Access does not know the client either. Suspends as Access::identify(). Counts nothing.
  asio::awaitable<bool> is_anonymous(const ServerRequest& request);
  /// Puts a slot into `slot`, or returns why there is none: 503 all slots are taken, 429 this client has as many as it may have.
  std::optional<Refusal> acquire_slot(const ClientPtr& client, StreamSlotPtr& slot);
  /// Counts a target that no client has named before. Errors: rate_limited.
  Result<void> take_target(const Client& client);
  /// Slots that are taken.
  std::size_t slots() const noexcept { return slots_; }

  bool may_read(const Client& client, const Target& target) const;
  bool may_read_metrics(const Client& client) const;
  bool may_join(const Client& client) const;
  bool may_meet(const Client& client) const;
  /// The answer for a target that may not be read: the same whether the target exists or not.
  Refusal hidden(const Client& client, const std::string& target) const;
  /// True if the client's proof of identity has ended or was withdrawn.
  bool is_proof_over(const Client& client) const;
  /// Set if an admitted client has to authenticate again.
  std::optional<Refusal> reauthentication(const Client& client) const;
  /// Set if an admitted client may not read the target any longer, or has to authenticate again.
  std::optional<Refusal> withdrawn(const Client& client, const std::string& target) const;
  /// Changes with the rights; for RightsWatch.
  std::uint64_t rights_version() const noexcept { return access_ ? access_->version() : 0; }

  /// Limits from now on.
  void change(const FleetBounds& bounds);
  /// The proofs of all admitted clients are over.
  void require_reauthentication() noexcept { ++proofs_; }

 private:
  friend class StreamSlot;
  Refusal too_often() const;
  static Refusal too_many_failures();
  std::optional<SteadyTime> end_of_proof(const Identity& identity) const;
  void count_identification(const ServerRequest& request, const Result<Identity>& identity);
  SteadyTime now() const { return runtime_->time->now(); }

  std::shared_ptr<Runtime::Impl> runtime_;
  std::shared_ptr<Access> access_;
  FleetBounds bounds_;
  ServiceNumbers& numbers_;
  PeerLimits peers_;
  std::size_t slots_ = 0;
  std::uint64_t proofs_ = 0;
};

}  // namespace rollcall::fleet
