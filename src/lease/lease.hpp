// The lease that decides which replica of a service asks the clouds. An engine keeps one record and writes it by compare-and-set; it needs
// no clock, and no lease of its own: the rules are in rules/candidacy.hpp, once for all engines.
#pragma once

#include <asio/awaitable.hpp>
#include <optional>
#include <string>

#include "lease/wire/lease_record.hpp"
#include "rollcall/call.hpp"
#include "rollcall/error.hpp"

namespace rollcall::lease {

/// All calls on the Runtime's executor. Errors of all: unavailable, unreachable, unauthenticated, permission_denied, malformed_response,
/// failed_precondition (the record belongs to another program), the time-outs, cancelled.
class LeaseEngine {
 public:
  virtual ~LeaseEngine() = default;
  /// The record as it is now: what was written before the question is in the answer.
  virtual asio::awaitable<Result<LeaseRecord>> read(Call& call) = 0;
  /// Writes `next` if the record still has the version of `seen`. The record as it is then; none: another write came first. A write that
  /// failed may have happened. Sent once only.
  virtual asio::awaitable<Result<std::optional<LeaseRecord>>> write(Call& call, LeaseRecord seen, LeaseRecord next) = 0;
  /// For messages: "Lease 'rollcall' in namespace 'ml'", "etcd key '/rollcall/prod/leader'".
  virtual std::string name() const = 0;
};

}  // namespace rollcall::lease
