// The settings of `rollcall serve`: those of its file, overridden by the command line. Detects a truncated file at a reload.
#pragma once

#include <string>

#include "command/arguments/command_table.hpp"
#include "rollcall/fleet_settings.hpp"

namespace rollcall::command {

class ServiceSettings {
 public:
  ServiceSettings() {}
  FleetServiceOptions options;
  std::string text;  ///< of the file as it was read; empty: no file
};

/// Reads the file that `arguments` name from `files`; the command line's options override it. Errors: as read_fleet_settings() and
/// check_fleet_options().
/// read_fleet_settings() and check_fleet_options().
Result<ServiceSettings> read_service_settings(const Arguments& arguments, const Files& files);

/// Reads the settings again, for a service that runs with `before`. Errors: refused_by_policy if the file ends earlier than before and this
/// changes its meaning: a full disk or an editor may have truncated it. A shorter file that only names fewer places, clients, rights or
/// patterns is accepted.
Result<void> check_not_cut(const ServiceSettings& before, const ServiceSettings& now);

}  // namespace rollcall::command
