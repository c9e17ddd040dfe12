// A replica's questions to the store: each has its time, and each answer tells how far the store has come.
#pragma once

#include <asio/awaitable.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>

#include "call/call_scope.hpp"
#include "fleet/replicas/rules/revision_clock.hpp"
#include "store/store.hpp"

namespace rollcall::fleet {

class StoreAsker {
 public:
  StoreAsker(std::shared_ptr<Runtime::Impl> runtime, std::shared_ptr<store::Store> store)
      : runtime_(std::move(runtime)), store_(std::move(store)) {}
  static constexpr Duration patience = std::chrono::seconds(1);
  static constexpr Duration patience_with_lists = std::chrono::seconds(10);

  /// As Store has them, with these deadlines; `revision` of what comes back is noted.
  asio::awaitable<Result<store::Listing>> list(std::string prefix, bool may_be_old = false);
  asio::awaitable<Result<store::Outcome>> commit(store::Transaction transaction);
  asio::awaitable<Result<store::Lease>> grant(Duration ttl);
  asio::awaitable<Result<store::Lease>> keep_alive(std::int64_t lease);
  asio::awaitable<Result<void>> revoke(std::int64_t lease);
  asio::awaitable<Result<store::WatchEnd>> watch(Call& call, std::string prefix, std::uint64_t revision, store::Watcher& watcher) {
    return store_->watch(call, std::move(prefix), revision, watcher);
  }
  std::size_t max_writes() const noexcept { return store_->max_writes(); }
  std::size_t max_transaction_bytes() const noexcept { return store_->max_transaction_bytes(); }

  /// A watch has told of that much. It says nothing of the store's going back: it is told by one server, which may lag behind.
  void note_heard(std::uint64_t revision) noexcept { revision_ = std::max(revision_, revision); }

  /// The highest that was heard of.
  std::uint64_t revision() const noexcept { return revision_; }
  /// By all answers so far.
  const RevisionClock& clock() const noexcept { return clock_; }

  /// The store has come back with less than it had: it is one that was restored.
  bool has_gone_back() const noexcept { return has_gone_back_; }
  /// From now on, as of a new history.
  void restart() {
    has_gone_back_ = false;
    revision_ = 0;
    clock_.clear();
  }
  std::function<void()> on_gone_back;

  /// As of the last commit it takes no writes, for want of space.
  bool is_full() const noexcept { return is_full_; }
  std::function<void()> on_full;  ///< called when that changes

 private:
  void note(std::uint64_t asked_after, std::uint64_t revision);
  void note_space(const Result<store::Outcome>& outcome);
  std::shared_ptr<Runtime::Impl> runtime_;
  std::shared_ptr<store::Store> store_;
  SteadyTime now() const { return runtime_->time->now(); }

  std::uint64_t revision_ = 0;
  RevisionClock clock_;
  bool has_gone_back_ = false;
  bool is_full_ = false;
};

}  // namespace rollcall::fleet
