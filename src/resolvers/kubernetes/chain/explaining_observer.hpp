// Explains the reports of a follower: once a cluster that is not ready has not changed for some seconds, or an event warns of trouble, what
// stands around its pods is read, and added to the reports from then on.
#pragma once

#include <asio/awaitable.hpp>
#include <cstddef>
#include <optional>

#include "async/async_event.hpp"
#include "readiness/dated_observer.hpp"
#include "resolvers/kubernetes/chain/chain_request.hpp"
#include "resolvers/kubernetes/chain/event_watch.hpp"
#include "resolvers/kubernetes/chain/rules/chain_facts.hpp"
#include "rollcall/call.hpp"
#include "rollcall/cluster_status.hpp"

namespace rollcall {

class ExplainingObserver final : public DatedObserver {
 public:
  static constexpr Duration quiet_time = std::chrono::seconds(5);  ///< without a change, before the first look
  static constexpr Duration pause = std::chrono::seconds(30);  ///< between two looks
  static constexpr Duration short_pause = std::chrono::seconds(1);  ///< the same, when an event warns of something new
  static constexpr Duration facts_age = std::chrono::seconds(90);  ///< then they explain nothing any more

  /// Passes all reports on to `observer`. All references must outlive it.
  ExplainingObserver(Call& call, const ChainSource& source, StatusObserver& observer);

  /// Runs beside the follower, until it is cancelled. Failures to explain are no failures of the follower.
  asio::awaitable<Result<void>> run();

  void report(ClusterStatus status) override;
  void take_seen(const Seen& seen) override { report_seen(observer_, seen); }
  void report_trouble(const Failure& failure) override { observer_.report_trouble(failure); }
  void report_notice(const Notice& notice) override { observer_.report_notice(notice); }
  bool waits_for_existence() const override { return observer_.waits_for_existence(); }
  bool waits_for_return() const override { return observer_.waits_for_return(); }

 private:
  asio::awaitable<Result<void>> look_on();
  void notice(const KubeEvent& warning);
  bool concerns(const KubeEvent& warning) const;
  SteadyTime next_look() const;
  asio::awaitable<Result<void>> look();
  asio::awaitable<Result<void>> look_in(Call& call, ClusterStatus& status);

  Call& call_;
  const ChainSource& source_;
  StatusObserver& observer_;
  EventWatch warnings_;
  AsyncEvent event_;
  std::optional<ClusterStatus> waiting_;  // the last report, if it is not ready
  std::size_t fingerprint_ = 0;
  std::size_t reports_ = 0;
  SteadyTime changed_at_{};
  std::optional<SteadyTime> looked_at_;
  bool is_warned_ = false;  // of something that the facts do not have
  std::optional<ChainFacts> facts_;
};

}  // namespace rollcall
