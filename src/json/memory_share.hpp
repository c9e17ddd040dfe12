// What answers cost in memory: counted while they are read and collected, over all that are read at a time.
//
// Decision: costs are charged, not measured. A few bytes of text make an element of hundreds, so neither the bytes of a document nor the
// elements of one of its arrays bound what it becomes. An allocator that counts would be exact, but every kept type would have to be
// made of its strings and vectors. Price: whoever keeps elements charges them (machinery shared by all readers does, see
// json/json_shape.hpp), and tests/json/memory_test.cpp compares with what is allocated.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"

namespace rollcall {

/// The memory of all documents that are read at a time. Used on one executor.
class MemoryAccount {
 public:
  explicit MemoryAccount(std::size_t limit) noexcept : limit_(limit) {}
  std::size_t limit() const noexcept { return limit_; }
  std::size_t used() const noexcept { return used_; }
  /// False, and nothing taken, when that would be over the limit.
  bool take(std::size_t bytes) noexcept {
    if (bytes > limit_ - used_) return false;
    used_ += bytes;
    return true;
  }
  void give_back(std::size_t bytes) noexcept { used_ -= bytes; }

 private:
  std::size_t limit_;
  std::size_t used_ = 0;
};

/// One document's part, or that of a list of many pages; given back at its end.
class MemoryShare {
 public:
  /// Of no account and without a limit, until it takes another's place.
  MemoryShare() noexcept : limit_(static_cast<std::size_t>(-1)) {}
  /// Of no account: at most `limit` by itself.
  explicit MemoryShare(std::size_t limit) noexcept : limit_(limit) {}
  explicit MemoryShare(std::shared_ptr<MemoryAccount> account) noexcept : account_(std::move(account)), limit_(account_->limit()) {}
  ~MemoryShare() { clear(); }
  MemoryShare(MemoryShare&& other) noexcept : account_(other.account_), limit_(other.limit_), used_(std::exchange(other.used_, 0)) {}
  MemoryShare& operator=(MemoryShare&& other) noexcept {
    if (this == &other) return *this;
    clear();
    account_ = other.account_;
    limit_ = other.limit_;
    used_ = std::exchange(other.used_, 0);
    return *this;
  }

  std::size_t used() const noexcept { return used_; }
  std::size_t limit() const noexcept { return limit_; }

  /// False when that is too much: what is being read is to be given up.
  [[nodiscard]] bool charge(std::size_t bytes) noexcept {
    if (bytes > limit_ - used_ || (account_ && !account_->take(bytes))) return false;
    used_ += bytes;
    return true;
  }
  /// A text that is kept, and perhaps once more in part. Short ones are within their string.
  [[nodiscard]] bool charge_text(std::string_view text) noexcept { return text.size() < 16 || charge(2 * text.size() + 32); }
  /// Room for one more element, doubled when it is used up; what the vector has room for is charged.
  template <class T>
  [[nodiscard]] bool make_room(std::vector<T>& list) {
    if (list.size() < list.capacity()) return true;
    const std::size_t more = std::max<std::size_t>(list.size(), 1);
    if (!charge(more * sizeof(T))) return false;
    list.reserve(list.size() + more);
    return true;
  }

  /// Back to what was used() before; for what is not kept after all.
  void return_to(std::size_t used) noexcept {
    if (used >= used_) return;
    if (account_) account_->give_back(used_ - used);
    used_ = used;
  }
  void give_back(std::size_t bytes) noexcept { return_to(used_ - std::min(bytes, used_)); }
  void clear() noexcept { return_to(0); }
  /// What `other` has charged, both of the same account: its elements are kept here from now on.
  void add(MemoryShare&& other) noexcept { used_ += std::exchange(other.used_, 0); }

 private:
  std::shared_ptr<MemoryAccount> account_;  // may be null
  std::size_t limit_;
  std::size_t used_ = 0;
};

/// limit_exceeded: what was read, the bound, and what to do. `document` is a text of ours: "the list of TPU nodes".
Failure too_much_memory(std::string_view document, const MemoryShare& share);

}  // namespace rollcall
