// The rights of the settings, parsed once: which clients may read which targets, which targets may be named, and which clients may read
// metrics. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/rights/rules/target_pattern.hpp"
#include "rollcall/error.hpp"
#include "rollcall/fleet_settings.hpp"

namespace rollcall::fleet {

/// As the settings spell FleetPlace::Kind, whose targets have that scheme, and FleetClients::Method.
inline constexpr std::array<std::string_view, 4> place_kinds = {"tpu", "gce", "kubernetes", "slurm"};
inline constexpr std::array<std::string_view, 3> client_methods = {"certificate", "kubernetes", "google"};

/// What clients are called, before the colon: FleetClients::as, or by their method.
std::string client_name_of(const FleetClients& clients);

/// Targets of a followed place may be named even if no pattern matches them.
bool is_in_place(const FleetPlace& place, const Target& target);

class RightRow {
 public:
  RightRow() {}
  std::string who;
  std::vector<TargetPattern> read;
  bool metrics = false;
  bool replica = false;
  bool barrier = false;
};

class RightTable {
 public:
  RightTable() {}
  std::string certificates_as;  ///< client_name_of() of those who show certificates, whose names have a kind; empty: there are none
  bool distinguishes_clients = false;  ///< false: everybody is the same, and may read everything
  std::vector<RightRow> rows;
  std::vector<TargetPattern> allowed;
  std::vector<FleetPlace> followed;

  bool may_read(std::string_view who, const Target& target) const;
  bool has_flag(std::string_view who, bool RightRow::* right) const;
  /// A bare `*` is not enough for `dns:`, whose names could be anybody's: they need a pattern that says something of the name.
  bool is_allowed(const Target& target) const;
  /// True if some row is about them.
  bool mentions(std::string_view who) const;

 private:
  bool means(const RightRow& row, std::string_view who) const;
};

/// Errors: invalid_argument, of the first that is no pattern; `path` begins the message: `rights[0].read[1]`.
Result<std::vector<TargetPattern>> parse_patterns(const std::vector<std::string>& texts, std::string_view path);

}  // namespace rollcall::fleet
