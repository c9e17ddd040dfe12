// Whole places that are followed whether anybody asks or not: each is listed once a minute, and what is found there becomes a topic that is
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
  explicit PinnedPlaces(std::shared_ptr<Fleet> fleet) : fleet_(std::move(fleet)) {}
  ~PinnedPlaces() { close(); }
  PinnedPlaces(const PinnedPlaces&) = delete;
  PinnedPlaces& operator=(const PinnedPlaces&) = delete;

  /// From now on these, and no others; places that were followed before go on. What is not pinned any more is followed for as long as other
  /// targets are that nobody listens to.
  void follow(const std::vector<FleetPlace>& places);
  /// What keeps places from being listed whole, or some of what they hold from being followed; `tpu p: …`.
  std::vector<std::string> troubles() const;
  /// True once each place has been listed, or could not be.
  bool is_listed() const noexcept;
  /// How many targets are pinned, each counted once for each place that holds it.
  std::size_t targets() const noexcept;
  /// Ends all of it; idempotent.
  void close();

 private:
  std::shared_ptr<Fleet> fleet_;
  std::vector<std::shared_ptr<class PinnedPlace>> places_;
};

inline constexpr Duration pause_between_lists = std::chrono::minutes(1);  ///< of a place; a tenth more or less

}  // namespace rollcall::fleet
