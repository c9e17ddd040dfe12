// Worlds in which the same tests of a store run: whose engine is in memory, a simulated etcd, or real ones.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "sim/etcd/memory_store.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

/// Keeps what a watch tells.
class Seen final : public store::Watcher {
 public:
  void on_standing(std::uint64_t revision) override { standing = revision; }
  void on_changes(std::uint64_t revision, std::vector<store::Change> changes) override {
    revisions.push_back(revision);
    std::string& line = lines.emplace_back();
    for (const store::Change& change : changes) {
      if (!line.empty()) line += ' ';
      line += change.is_deleted ? "-" + change.entry.key : change.entry.key + "=" + change.entry.value;
    }
  }
  std::optional<std::uint64_t> standing;
  std::vector<std::uint64_t> revisions;
  std::vector<std::string> lines;  ///< one for each revision: `a=1 -b`
};

inline CallOptions for_hours() { return CallOptions().timeout(std::chrono::hours(100)); }

/// A call of a store's, as a call of a Runtime's.
template <class T>
asio::awaitable<Result<T>> stored(Runtime runtime, std::function<asio::awaitable<Result<T>>(Call&)> script,
                                  CallOptions options = for_hours()) {
  return run_call<T>(shared_impl_of(runtime), std::move(options), CallSubject("a test"), std::move(script));
}

/// Stores of replicas over one engine in memory; time is virtual.
class MemoryWorld : public TestRuntime {
 public:
  static bool is_there() { return true; }

  template <class T>
  Result<T> run(std::function<asio::awaitable<Result<T>>(Call&)> script, CallOptions options = for_hours()) {
    return VirtualLoop::run(stored<T>(runtime, std::move(script), std::move(options)));
  }
  template <class T>
  Started<Result<T>> begin(std::function<asio::awaitable<Result<T>>(Call&)> script, CallOptions options = for_hours()) {
    return start(stored<T>(runtime, std::move(script), std::move(options)));
  }
  store::Store& store(std::size_t replica = 0) { return memory(replica); }
  sim::MemoryStore& memory(std::size_t replica = 0) {
    std::shared_ptr<sim::MemoryStore>& made = stores_[replica];
    if (!made) made = sim::make_memory_store(model);
    return *made;
  }
  void pass(Duration by) {
    const SteadyTime end = time->now() + by;
    for (poll();; poll()) {
      const std::optional<SteadyTime> next = time->next_alarm();
      if (!next || *next > end) break;
      time->advance_to(*next);
    }
    time->advance_to(end);
    poll();
  }
  /// Until `is_so`, at most a minute.
  bool until(const std::function<bool()>& is_so) {
    const SteadyTime end = time->now() + std::chrono::minutes(1);
    for (poll(); !is_so(); poll()) {
      const std::optional<SteadyTime> next = time->next_alarm();
      if (!next || *next > end) return false;
      time->advance_to(*next);
    }
    return true;
  }
  void compact(std::uint64_t revision) { CHECK(model->compact(revision).has_value()); }
  std::string prefix() const { return "/t/"; }

  std::shared_ptr<sim::EtcdModel> model = std::make_shared<sim::EtcdModel>();

 private:
  std::map<std::size_t, std::shared_ptr<sim::MemoryStore>> stores_;
};

}  // namespace rollcall::testing
