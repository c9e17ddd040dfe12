// Whole places that are followed without clients: each is listed once a minute, and each target found there becomes a topic that is
// followed like any other. All calls on the fleet's executor.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "fleet/fleet.hpp"
#include "rollcall/fleet_settings.hpp"

namespace rollcall::fleet {

class PinnedPlaces {
 public:
  /// `slurm`: how the Slurm of each cluster is asked.
  explicit PinnedPlaces(std::shared_ptr<Fleet> fleet, std::vector<FleetSlurm> slurm = {})
      : fleet_(std::move(fleet)), slurm_(std::move(slurm)) {}
  ~PinnedPlaces() { close(); }
  PinnedPlaces(const PinnedPlaces&) = delete;
  PinnedPlaces& operator=(const PinnedPlaces&) = delete;

  /// Replaces the list of places; a place that was in the earlier list is not started again. A target that is no longer pinned is followed
  /// as long as other targets without listeners.
  void follow(const std::vector<FleetPlace>& places);
  /// Why places cannot be listed, or some of their targets cannot be followed; `tpu p: …`.
  std::vector<std::string> troubles() const;
  /// True once each place has been listed or has failed.
  bool is_listed() const noexcept;
  /// The number of pinned targets, each counted once for each place that holds it.
  std::size_t targets() const noexcept;
  /// Stops all of it; idempotent.
  void close();

 private:
  std::shared_ptr<Fleet> fleet_;
  std::vector<FleetSlurm> slurm_;
  std::vector<std::shared_ptr<class PinnedPlace>> places_;
};

inline constexpr Duration pause_between_lists = std::chrono::minutes(1);  ///< of a place; up to a tenth more or less

}  // namespace rollcall::fleet
