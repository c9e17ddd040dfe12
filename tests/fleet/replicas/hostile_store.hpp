// A store between a replica and the engine in memory that does what a test says: it refuses, lies, or counts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "support/etcd/memory_store.hpp"

namespace rollcall::testing {

class HostileStore final : public store::Store {
 public:
  explicit HostileStore(std::shared_ptr<sim::EtcdModel> model) : behind(sim::make_memory_store(std::move(model))) {}

  asio::awaitable<Result<store::Listing>> list(Call& call, std::string prefix, bool may_be_old) override {
    ++lists;
    return behind->list(call, std::move(prefix), may_be_old);
  }
  asio::awaitable<Result<store::Outcome>> commit(Call& call, store::Transaction transaction) override {
    ++commits;
    std::optional<Failure> refusal;
    if (on_commit) refusal = on_commit(transaction);
    if (refusal) co_return std::move(*refusal);
    co_return co_await behind->commit(call, std::move(transaction));
  }
  asio::awaitable<Result<store::WatchEnd>> watch(Call& call, std::string prefix, std::uint64_t revision, store::Watcher& watcher) override {
    ++watches;
    std::optional<Failure> refusal;
    if (on_watch) refusal = on_watch(watcher);
    if (refusal) co_return std::move(*refusal);
    co_return co_await behind->watch(call, std::move(prefix), revision, watcher);
  }
  asio::awaitable<Result<store::Lease>> grant(Call& call, Duration ttl) override {
    ++grants;
    Result<store::Lease> lease = co_await behind->grant(call, ttl);
    // An endless loop would not let virtual time go on.
    if (grants > most_grants) co_return Failure(Errc::unavailable, "too many leases");
    if (lease && granted_ttl) lease->ttl = *granted_ttl;
    co_return lease;
  }
  asio::awaitable<Result<store::Lease>> keep_alive(Call& call, std::int64_t id) override {
    Result<store::Lease> lease = co_await behind->keep_alive(call, id);
    if (lease && granted_ttl) lease->ttl = *granted_ttl;
    co_return lease;
  }
  asio::awaitable<Result<void>> revoke(Call& call, std::int64_t lease) override { return behind->revoke(call, lease); }
  std::size_t max_writes() const noexcept override { return most_writes; }

  static constexpr int most_grants = 500;
  std::shared_ptr<sim::MemoryStore> behind;
  std::function<std::optional<Failure>(const store::Transaction&)> on_commit;
  std::function<std::optional<Failure>(store::Watcher&)> on_watch;
  std::optional<Duration> granted_ttl;
  std::size_t most_writes = 128;
  int lists = 0;
  int commits = 0;
  int watches = 0;
  int grants = 0;
};

}  // namespace rollcall::testing
