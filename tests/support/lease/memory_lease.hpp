// An engine of the lease in memory, and a replica's way to it with faults, in the time of the Runtime that asks.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "async/async_event.hpp"
#include "base/saturating.hpp"
#include "call/runtime_impl.hpp"
#include "lease/lease.hpp"

namespace rollcall::testing {

/// The record itself, one for all replicas.
class MemoryLease {
 public:
  lease::LeaseRecord record;
  int writes = 0;
  int reads = 0;

  /// None: another write came first.
  std::optional<lease::LeaseRecord> write(const lease::LeaseRecord& seen, lease::LeaseRecord next) {
    if (seen.version != record.version) return std::nullopt;
    put(std::move(next));
    return record;
  }
  /// As another program, or an operator, would.
  void put(lease::LeaseRecord next) {
    record = std::move(next);
    record.version = "v" + std::to_string(++writes);
  }
  void remove() { record = lease::LeaseRecord(); }
};

/// What happens to one question.
class LeaseFault {
 public:
  enum class Kind {
    none,
    refused,      ///< unavailable, at once; nothing is written
    no_answer,    ///< nothing is written, and no answer comes
    lost_answer,  ///< it is carried out, and no answer comes
    late,         ///< it is carried out at once; the answer comes after `by`
    late_arrival  ///< it is carried out after `by`
  };
  LeaseFault(Kind of, Duration how_long = Duration(0)) : kind(of), by(how_long) {}
  Kind kind;
  Duration by;
};

class MemoryLeaseEngine final : public lease::LeaseEngine {
 public:
  using Kind = LeaseFault::Kind;
  explicit MemoryLeaseEngine(std::shared_ptr<MemoryLease> shared) : lease_(std::move(shared)) {}

  LeaseFault always = Kind::none;   ///< of the questions for which nothing else is scripted
  std::deque<LeaseFault> scripted;  ///< of the next questions

  asio::awaitable<Result<lease::LeaseRecord>> read(Call& call) override {
    const LeaseFault fault = next_fault();
    ++lease_->reads;
    const Result<void> arrived = co_await arrive(call, fault);
    if (!arrived) co_return arrived.error();
    const lease::LeaseRecord record = lease_->record;
    const Result<void> answered = co_await answer(call, fault);
    if (!answered) co_return answered.error();
    co_return record;
  }
  asio::awaitable<Result<std::optional<lease::LeaseRecord>>> write(Call& call, lease::LeaseRecord seen, lease::LeaseRecord next) override {
    const LeaseFault fault = next_fault();
    const Result<void> arrived = co_await arrive(call, fault);
    if (!arrived) co_return arrived.error();
    const std::optional<lease::LeaseRecord> written = lease_->write(seen, std::move(next));
    const Result<void> answered = co_await answer(call, fault);
    if (!answered) co_return answered.error();
    co_return written;
  }
  std::string name() const override { return "the lease in memory"; }

 private:
  LeaseFault next_fault() {
    if (scripted.empty()) return always;
    const LeaseFault fault = scripted.front();
    scripted.pop_front();
    return fault;
  }
  // `by`, or until the deadline.
  static asio::awaitable<Result<void>> pass(Call& call, Duration by) {
    Runtime::Impl& impl = impl_of(call);
    const SteadyTime until = std::min(saturating_sum(impl.time->now(), by), call.deadline());
    const bool is_awake = co_await sleep_until(*impl.timers, until);
    if (!is_awake) co_return Failure(Errc::cancelled, "stopped");
    if (until == call.deadline()) co_return Failure(Errc::response_timeout, "the lease in memory: no answer");
    co_return Result<void>();
  }
  static asio::awaitable<Result<void>> arrive(Call& call, LeaseFault fault) {
    co_await next_turn();
    if (fault.kind == Kind::refused) co_return Failure(Errc::unavailable, "the lease in memory: refused");
    if (fault.kind == Kind::no_answer) co_return co_await pass(call, Duration::max());
    if (fault.kind == Kind::late_arrival) co_return co_await pass(call, fault.by);
    co_return Result<void>();
  }
  static asio::awaitable<Result<void>> answer(Call& call, LeaseFault fault) {
    co_await next_turn();
    if (fault.kind == Kind::lost_answer) co_return co_await pass(call, Duration::max());
    if (fault.kind == Kind::late) co_return co_await pass(call, fault.by);
    co_return Result<void>();
  }

  std::shared_ptr<MemoryLease> lease_;
};

}  // namespace rollcall::testing
