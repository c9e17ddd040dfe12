// The part of a member that gathers reports: waits for them, lets members probe late ones again and measure bandwidth, and judges.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <vector>

#include "async/async_event.hpp"
#include "call/runtime_impl.hpp"
#include "preflight/desk.hpp"
#include "preflight/rules/bandwidth.hpp"
#include "rollcall/preflight.hpp"

namespace rollcall::preflight {

class Gathering {
 public:
  /// Of this member itself: does what the order says, and hands a new report to the desk.
  using CarryOut = std::function<asio::awaitable<Result<void>>(LeaderOrder order)>;

  /// `own` and `leader`: places in the list, of this member and of the first gatherer. All references outlive it.
  Gathering(Runtime::Impl& runtime, Desk& desk, const PreflightOptions& options, std::size_t own, std::size_t leader)
      : runtime_(runtime), desk_(desk), options_(options), own_(own), leader_(leader) {}

  /// The verdict, which the desk announces from now on. `gone_at`: when the members began to probe. May suspend; cancellable.
  asio::awaitable<Result<PreflightVerdict>> judge(bool were_all_there, SteadyTime gone_at, CarryOut carry_out);
  /// The first gatherer's verdict has come.
  void note_leader(const PreflightVerdict& verdict);
  static Duration patience_for_bandwidth() noexcept;

 private:
  asio::awaitable<Result<void>> wait_for_reports(bool were_all_there);
  asio::awaitable<Result<void>> measure_in_rounds(CarryOut carry_out);
  asio::awaitable<Result<void>> lead(bool were_all_there, CarryOut carry_out);
  asio::awaitable<Result<void>> ask_again(const CarryOut& carry_out);
  asio::awaitable<Result<void>> ask_for_packages(const CarryOut& carry_out);
  asio::awaitable<Result<void>> wait_until_done(const CarryOut& carry_out, Duration patience);
  asio::awaitable<Result<void>> wait_for_leader(Duration patience);
  Duration patience_for_leader(bool were_all_there) const;
  PreflightEvidence evidence() const;

  Runtime::Impl& runtime_;
  Desk& desk_;
  const PreflightOptions& options_;
  const std::size_t own_;
  const std::size_t leader_;
  std::optional<PreflightVerdict> of_leader_;
  AsyncEvent led_;
};

}  // namespace rollcall::preflight
