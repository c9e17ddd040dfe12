// What the pages and protocols of one service share: admission, topics, groups, numbers, and the end of the service.
#pragma once

#include <memory>
#include <optional>

#include "call/runtime_impl.hpp"
#include "fleet/entry/admission.hpp"
#include "fleet/entry/loop_lag.hpp"
#include "fleet/entry/service_numbers.hpp"
#include "fleet/entry/topic_lookup.hpp"
#include "fleet/entry/view_groups.hpp"
#include "fleet/fleet.hpp"
#include "net/server/http_server.hpp"
#include "net/server/rules/fair_shares.hpp"
#include "rollcall/fleet_service.hpp"

namespace rollcall::fleet {

class FleetHttpOptions {
 public:
  FleetHttpOptions() {}
  FleetBounds bounds;
  std::shared_ptr<Access> access;  ///< null: every client may read everything
  /// The service listens on loopback only and authenticates no clients: a request for the name of another host comes from a browser that
  /// was redirected here.
  bool is_for_this_machine = true;
  FleetWatchers watchers;
  ServerLimits server_limits;  ///< of the server that sends the answers
};

/// All calls on the Runtime's executor.
class ServiceEntry {
 public:
  ServiceEntry(std::shared_ptr<Fleet> fleet, const FleetHttpOptions& options);
  ServiceEntry(const ServiceEntry&) = delete;
  ServiceEntry& operator=(const ServiceEntry&) = delete;

  /// From now on /readyz answers 503 and no stream begins. Streams end with `moved`, each at a random moment within `spread`.
  void close(Duration spread = Duration(0));
  bool is_closing() const noexcept { return closing_at_.has_value(); }
  /// When a stream that asks for it ends; another random moment at each call. Only while is_closing().
  SteadyTime end_of_stream() const;
  /// Limits from now on.
  void change(const FleetBounds& bounds) { admission_->change(bounds); }
  /// Streams whose rights have changed end; call it after each change of the rights.
  void judge_again();
  /// Clients have to authenticate again: their streams end like those whose proof of identity is over.
  void require_reauthentication();

  Fleet& fleet() const noexcept { return *fleet_; }
  Admission& admission() const noexcept { return *admission_; }
  TopicLookup& topics() noexcept { return topics_; }
  ViewGroups& groups() noexcept { return groups_; }
  ServiceNumbers& numbers() noexcept { return numbers_; }
  LoopLag& loop_lag() noexcept { return loop_lag_; }
  /// The memory for answers that are rendered for a single client, in bytes by Client::peer_key.
  const std::shared_ptr<FairShares>& own_bytes() const noexcept { return own_bytes_; }
  /// For clients that lose the service; at most a second old.
  const FallbackSchedule& fallback_schedule();
  const std::shared_ptr<Runtime::Impl>& runtime() const noexcept { return runtime_; }
  SteadyTime now() const { return runtime_->time->now(); }
  const ServerLimits& server_limits() const noexcept { return server_limits_; }
  /// Metrics of the whole process; null: none.
  const Metrics* metrics() const noexcept { return watchers_.metrics.get(); }
  bool logs_requests() const noexcept { return watchers_.requests != nullptr; }
  /// Does nothing unless logs_requests().
  void log(const ServedRequest& event) const;

 private:
  std::shared_ptr<Fleet> fleet_;
  std::shared_ptr<Runtime::Impl> runtime_;
  FleetWatchers watchers_;
  ServerLimits server_limits_;
  ServiceNumbers numbers_;
  std::shared_ptr<Admission> admission_;
  ViewGroups groups_;
  TopicLookup topics_;
  LoopLag loop_lag_;
  std::shared_ptr<FairShares> own_bytes_ = std::make_shared<FairShares>(64 * 1024 * 1024);
  FallbackSchedule fallback_schedule_;
  std::optional<SteadyTime> fallback_schedule_at_;
  std::optional<SteadyTime> closing_at_;
  Duration closing_spread_{0};
};

}  // namespace rollcall::fleet
