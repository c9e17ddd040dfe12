// Where replicas of a service share what they know: keys in order, each with the revision of its last change, leases that end when their
// holder does, and writes that happen only if nobody was there first. The shape is etcd's; any engine that can do this fits.
#pragma once

#include <asio/awaitable.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall::store {

/// A key as it is at some revision.
class Entry {
 public:
  Entry() {}
  std::string key;
  std::string value;                   ///< any bytes
  std::uint64_t create_revision = 0;   ///< of the write that made it; another one after it was deleted and made anew
  std::uint64_t modify_revision = 0;   ///< of its last write
  std::int64_t lease = 0;              ///< 0: none
  friend bool operator==(const Entry&, const Entry&) = default;
};

class Listing {
 public:
  Listing() {}
  std::vector<Entry> entries;  ///< by key, ascending
  std::uint64_t revision = 0;  ///< of the whole store: the entries are as they were then
};

class Change {
 public:
  Change() {}
  Entry entry;              ///< of one that is deleted: the key, and modify_revision, which is that of its deletion
  bool is_deleted = false;
};

/// Hears of changes, in the order of their revisions. All changes of one revision come together. Called on the Runtime's executor.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// The watch stands: what is written from now on is told.
  virtual void on_standing(std::uint64_t revision) = 0;
  virtual void on_changes(std::uint64_t revision, std::vector<Change> changes) = 0;
};

/// Why a watch that did not fail has ended.
class WatchEnd {
 public:
  WatchEnd() {}
  bool is_compacted = false;          ///< what was asked for is not there any more: list, and watch from the list's revision
  std::uint64_t compact_revision = 0;
  std::string reason;                 ///< in the store's words; `no leader`
};

/// What must be so for a transaction to write.
class Compare {
 public:
  enum class What { create_revision, modify_revision };
  static Compare is_absent(std::string key) { return Compare(std::move(key), What::create_revision, 0); }
  static Compare was_created_at(std::string key, std::uint64_t revision) {
    return Compare(std::move(key), What::create_revision, revision);
  }
  static Compare was_modified_at(std::string key, std::uint64_t revision) {
    return Compare(std::move(key), What::modify_revision, revision);
  }
  std::string key;
  What what;
  std::uint64_t revision;  ///< 0: the key is absent

 private:
  Compare(std::string of, What compared, std::uint64_t at) : key(std::move(of)), what(compared), revision(at) {}
};

class Write {
 public:
  static Write put(std::string key, std::string value, std::int64_t lease = 0) { return Write(std::move(key), std::move(value), lease); }
  static Write remove(std::string key) { return Write(std::move(key)); }
  std::string key;
  std::optional<std::string> value;  ///< none: the key is deleted
  std::int64_t lease = 0;

 private:
  explicit Write(std::string of) : key(std::move(of)) {}
  Write(std::string of, std::string bytes, std::int64_t held) : key(std::move(of)), value(std::move(bytes)), lease(held) {}
};

class Transaction {
 public:
  Transaction() {}
  std::vector<Compare> compares;  ///< all must hold
  std::vector<Write> writes;      ///< at once; no key twice
};

class Outcome {
 public:
  Outcome() {}
  bool is_written = false;      ///< false: a compare did not hold, and nothing was written
  std::uint64_t revision = 0;   ///< of the store after it; where it was written, of these writes
  std::vector<Entry> compared;  ///< if it was not written: the keys of the compares as they are; those that are absent are left out
};

class Lease {
 public:
  Lease() {}
  std::int64_t id = 0;
  Duration ttl{0};  ///< at least this long, from when it was asked for
};

/// All calls on the Runtime's executor; any number at once. All suspend, and can be cancelled; a write that is cancelled, or was not
/// answered, may have happened. Errors of all: unavailable, unreachable, unauthenticated, permission_denied, malformed_response,
/// limit_exceeded (also: the store is out of space), the time-outs, cancelled.
class Store {
 public:
  virtual ~Store() = default;
  /// What begins with `prefix`. `may_be_old`: what one server has, without asking the others; it works while most of them are away.
  virtual asio::awaitable<Result<Listing>> list(Call& call, std::string prefix, bool may_be_old = false) = 0;
  /// Errors besides: invalid_argument: more than max_writes() compares or writes, a key twice; not_found: a lease that is not there any
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
