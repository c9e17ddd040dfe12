// Where replicas of a service share what they know: keys in order, each with the revision of its last change, leases that end when their
// holder does, and writes that happen only if nobody was there first. The shape is etcd's; any engine that can do this fits.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "store/wire/values.hpp"

namespace rollcall::store {

/// Hears of changes, in the order of their revisions. All changes of one revision come together. Called on the Runtime's executor.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// The watch stands: what is written from now on is told.
  virtual void on_revision(std::uint64_t revision) = 0;
  virtual void on_changes(std::uint64_t revision, std::vector<Change> changes) = 0;
};

/// All calls on the Runtime's executor; any number at once. All suspend, and can be cancelled; a write that is cancelled, or was not
/// answered, may have happened. Errors of all: unavailable, unreachable, unauthenticated, permission_denied, malformed_response,
/// limit_exceeded (also: the store is out of space), the time-outs, cancelled.
class Store {
 public:
  virtual ~Store() = default;
  /// What begins with `prefix`. `may_be_old`: what one server has, without asking the others; it works while most of them are away.
  virtual asio::awaitable<Result<Listing>> list(Call& call, std::string prefix, bool may_be_old = false) = 0;
  /// Errors besides: invalid_argument: more compares, writes or bytes than it takes, a key twice; not_found: a lease that is not there any
  /// more. Repeating it is safe only if a compare fails once it has happened.
  virtual asio::awaitable<Result<Outcome>> commit(Call& call, Transaction transaction) = 0;
  /// Tells of each change of what begins with `prefix` after `revision`, until the store ends it, or it fails: a connection that broke.
  virtual asio::awaitable<Result<WatchEnd>> watch(Call& call, std::string prefix, std::uint64_t revision, Watcher& watcher) = 0;
  virtual asio::awaitable<Result<Lease>> grant(Call& call, Duration ttl) = 0;
  /// As it is now. Errors besides: not_found: it has ended, and its keys with it.
  virtual asio::awaitable<Result<Lease>> keep_alive(Call& call, std::int64_t lease) = 0;
  /// Deletes its keys. One that is not there any more is no error.
  virtual asio::awaitable<Result<void>> revoke(Call& call, std::int64_t lease) = 0;
  /// Of compares, and of writes, in one transaction.
  virtual std::size_t max_writes() const noexcept { return 128; }
  /// Of all keys and values in one transaction, together.
  virtual std::size_t max_transaction_bytes() const noexcept { return 1'000'000; }
};

}  // namespace rollcall::store
