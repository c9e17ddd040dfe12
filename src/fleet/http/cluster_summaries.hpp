// Every followed target in a line: made once a second at most, judged anew where something has changed, for lists, streams and the page.
#pragma once

#include <asio/awaitable.hpp>
#include <map>
#include <memory>
#include <string>

#include "call/runtime_impl.hpp"
#include "call/single_flight.hpp"
#include "fleet/fleet.hpp"
#include "rollcall/fleet_cluster.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

class ClusterSummaries : public std::enable_shared_from_this<ClusterSummaries> {
 public:
  class Line {
   public:
    std::uint64_t id = 0;   ///< of the line, as long as it is there; never given twice
    std::uint64_t at = 0;   ///< version() in which it became what it is, but for its age
    Target target;
    FleetCluster cluster;   ///< without its age
    std::string head;       ///< render_fleet_cluster_head()
    std::string history;    ///< `[[seconds since 1970, phase, ready, total],…]`: the last two hours, bounded
    std::optional<SteadyTime> polled_at;

   private:
    friend class ClusterSummaries;
    std::weak_ptr<Topic> topic_;
    std::uint64_t revision_ = 0;
    std::uint64_t seen_ = 0;
  };

  ClusterSummaries(std::shared_ptr<Fleet> fleet, std::shared_ptr<Runtime::Impl> runtime);

  /// Brings the lines up to a second ago. Who asks meanwhile waits for the same. Errors: cancelled, deadline_exceeded.
  asio::awaitable<Result<bool>> refresh();
  /// By target.
  const std::map<std::string, Line>& lines() const noexcept { return lines_; }
  /// Counts refreshings in which a line came, changed or went.
  std::uint64_t version() const noexcept { return version_; }
  /// Counts refreshings.
  std::uint64_t rounds() const noexcept { return rounds_; }

 private:
  asio::awaitable<Result<bool>> make();
  asio::awaitable<void> judge(Line& line, std::shared_ptr<Topic> topic);
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

/// The age in milliseconds of what was seen at `polled_at`, for JSON; `null`: it was never seen.
std::string age_text(const std::optional<SteadyTime>& polled_at, SteadyTime now);

}  // namespace rollcall::fleet
