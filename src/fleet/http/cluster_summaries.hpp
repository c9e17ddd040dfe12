// A summary of every followed target, for lists, streams of lists and the overview page. Refreshed once a second at most.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "call/runtime_impl.hpp"
#include "call/single_flight.hpp"
#include "fleet/entry/admission.hpp"
#include "fleet/fleet.hpp"
#include "rollcall/fleet_cluster.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

class ClusterSummaries : public std::enable_shared_from_this<ClusterSummaries> {
 public:
  class Line {
   public:
    std::uint64_t id = 0;   ///< never used again after the line is gone
    std::uint64_t at = 0;   ///< version() of its last change, changes of its age excepted
    Target target;
    FleetCluster cluster;   ///< without its age
    std::string head;       ///< render_fleet_cluster_head()
    std::string history;    ///< `[[seconds since 1970, phase, ready, total],…]`: the last two hours, bounded
    std::optional<SteadyTime> polled_at;

   private:
    friend class ClusterSummaries;
    std::weak_ptr<Topic> topic_;
    Position at_;
    std::uint64_t seen_ = 0;
  };

  ClusterSummaries(std::shared_ptr<Fleet> fleet, std::shared_ptr<Runtime::Impl> runtime);

  /// Refreshes the lines unless they are less than a second old. Concurrent calls wait for the same refresh. Errors: cancelled,
  /// deadline_exceeded.
  asio::awaitable<Result<bool>> refresh();
  /// By target.
  const std::map<std::string, Line>& lines() const noexcept { return lines_; }
  /// Calls `visit` with each line that the client may read, in turns: lines may be added, changed and removed in between. The references
  /// live as long as the await.
  asio::awaitable<void> visit(const Admission& admission, const Client& client, const std::function<void(const Line&)>& visit);
  /// Number of refreshes in which a line was added, changed or removed.
  std::uint64_t version() const noexcept { return version_; }
  /// Number of refreshes.
  std::uint64_t rounds() const noexcept { return rounds_; }

 private:
  asio::awaitable<Result<bool>> make();
  asio::awaitable<void> summarize(Line& line, std::shared_ptr<Topic> topic);
  SteadyTime now() const { return runtime_->time->now(); }

  std::shared_ptr<Fleet> fleet_;
  std::shared_ptr<Runtime::Impl> runtime_;
  std::map<std::string, Line> lines_;
  std::uint64_t last_id_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t rounds_ = 0;
  std::optional<SteadyTime> made_at_;
  SingleFlight<bool> flight_;
};

/// The age of a poll in milliseconds, for JSON; `null`: there was none.
std::string age_text(const std::optional<SteadyTime>& polled_at, SteadyTime now);

}  // namespace rollcall::fleet
