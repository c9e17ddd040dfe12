// The file of `rollcall serve --config` as options: docs/fleet.md, "Settings".
#pragma once

#include <string>
#include <string_view>

#include "fleet/settings/wire/settings_node.hpp"
#include "rollcall/fleet_settings.hpp"

namespace rollcall::fleet {

class ParsedSettings {
 public:
  ParsedSettings() {}
  FleetServiceOptions options;  ///< a faulty option has its default; lists have as many items as in the file
  SettingsFaults faults;
};

/// Calls `visit(key, bound)` for each of `bounds`, a FleetBounds that may be const, with its key in the file.
template <class Bounds, class Visit>
void for_each_bound(Bounds& bounds, const Visit& visit) {
  visit("followers", bounds.followers);
  visit("targets", bounds.targets);
  visit("streams_a_client", bounds.streams_a_client);
  visit("requests_a_second", bounds.requests_a_second);
  visit("burst", bounds.burst);
  visit("unknown_targets_an_hour", bounds.unknown_targets_an_hour);
}

/// `path` is that of the file: for messages, and paths in the file are relative to its directory. Errors: as parse_yaml().
Result<ParsedSettings> parse_fleet_settings(const std::string& path, std::string_view text);

}  // namespace rollcall::fleet
