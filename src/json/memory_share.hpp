// Memory of answers: counted while they are read and collected, over all that are read at a time.
//
// Decision: costs are charged, not measured. A few bytes of text become an element of hundreds of bytes, so neither the bytes of a document
// nor the elements of one of its arrays bound the memory. A counting allocator would be exact, but every kept type would have to use its
// strings and vectors. Price: code that keeps elements charges them (machinery shared by all readers does, see json/json_shape.hpp), and
// tests/json/memory_test.cpp compares the charges with the allocations.
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
  /// False, and nothing is charged, if the limit would be exceeded.
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

/// The charge of one document, or of a list of many pages; released at its end.
class MemoryShare {
 public:
  /// Without account and limit, until another share is assigned to it.
  MemoryShare() noexcept : limit_(static_cast<std::size_t>(-1)) {}
  /// Without account: at most `limit` by itself.
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

  /// False if the limit is exceeded: the reader must stop.
  [[nodiscard]] bool charge(std::size_t bytes) noexcept {
    if (bytes > limit_ - used_ || (account_ && !account_->take(bytes))) return false;
    used_ += bytes;
    return true;
  }
  /// A kept text, and perhaps a second copy of a part of it. Short ones are within their string object.
  [[nodiscard]] bool charge_text(std::string_view text) noexcept { return text.size() < 16 || charge(2 * text.size() + 32); }
  /// Room for one more element; the vector's capacity is charged, and doubled when it is used up.
  template <class T>
  [[nodiscard]] bool make_room(std::vector<T>& list) {
    if (list.size() < list.capacity()) return true;
    const std::size_t more = std::max<std::size_t>(list.size(), 1);
    if (!charge(more * sizeof(T))) return false;
    list.reserve(list.size() + more);
    return true;
  }

  /// Back to an earlier value of used(); for data that is dropped after all.
  void return_to(std::size_t used) noexcept {
    if (used >= used_) return;
    if (account_) account_->give_back(used_ - used);
    used_ = used;
  }
  void give_back(std::size_t bytes) noexcept { return_to(used_ - std::min(bytes, used_)); }
  void clear() noexcept { return_to(0); }
  /// Takes over the charge of `other`, which has the same account: its elements are kept here from now on.
  void add(MemoryShare&& other) noexcept { used_ += std::exchange(other.used_, 0); }

 private:
  std::shared_ptr<MemoryAccount> account_;  // may be null
  std::size_t limit_;
  std::size_t used_ = 0;
};

/// limit_exceeded: the document, the limit, and what to do. `document` is a text of the program: "the list of TPU nodes".
Failure too_much_memory(std::string_view document, const MemoryShare& share);

}  // namespace rollcall
