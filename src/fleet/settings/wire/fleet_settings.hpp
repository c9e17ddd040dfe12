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

/// `path` is that of the file: for messages, and paths in the file are relative to its directory. Errors: as parse_yaml().
Result<ParsedSettings> parse_fleet_settings(const std::string& path, std::string_view text);

}  // namespace rollcall::fleet
