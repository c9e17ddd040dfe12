// What a store keeps, what it tells, and what it is asked to write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

}  // namespace rollcall::store
