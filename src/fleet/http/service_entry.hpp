// What other protocols share with HTTP: who asks, what it may read, the bounds on it, and the numbers.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "call/runtime_impl.hpp"
#include "fleet/http/client.hpp"
#include "fleet/http/service_numbers.hpp"
#include "fleet/topic.hpp"
#include "rollcall/error.hpp"
#include "rollcall/fleet_service.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

/// What was looked for and is not there; an older status may be known of it.
inline bool is_absent(const Known& known) { return known.failure && known.failure->code() == Errc::not_found; }

/// All calls on the Runtime's executor.
class ServiceEntry {
 public:
  /// A place among those that wait, until it is destroyed.
  class StreamSlot {
   public:
    virtual ~StreamSlot() = default;
  };
  virtual ~ServiceEntry() = default;

  /// Who asks; counted as a request of that client. `request` lives as long as the await. Suspends as Access::identify(). Errors:
  /// unauthenticated, unavailable (who signed its token cannot be asked), rate_limited.
  virtual asio::awaitable<Result<ClientPtr>> authenticate(const ServerRequest& request) = 0;
  /// Errors: limit_exceeded (nobody has room), rate_limited (this client has taken as many as it may).
  virtual Result<std::unique_ptr<StreamSlot>> slot(const ClientPtr& client) = 0;
  /// Errors: permission_denied (it may not be read, or not be named here), invalid_argument (no target for a service), limit_exceeded,
  /// rate_limited.
  virtual Result<std::shared_ptr<Topic>> topic_for(const Target& target, const Client& client) = 0;
  /// Whether what was let in may hear of the target still. Errors: permission_denied; unauthenticated and unavailable: what it has proven
  /// who it is by is over, for all targets.
  virtual Result<void> judge(const Client& client, const std::string& target) const = 0;
  /// Another number after each change of what judge() rests on, but for time.
  virtual std::uint64_t judgement_version() const noexcept = 0;
  /// The proof of who it is has ended.
  virtual bool is_proof_over(const Client& client) const = 0;
  virtual bool is_closing() const noexcept = 0;
  virtual ServiceNumbers& numbers() noexcept = 0;
  virtual void log(const ServedRequest& event) = 0;  ///< where requests are logged
  virtual const std::shared_ptr<Runtime::Impl>& runtime() const noexcept = 0;
};

}  // namespace rollcall::fleet
