// The settings of `rollcall serve`: of its file, and over them those of the command line. Whether a file that is read again was cut.
#pragma once

#include <string>

#include "command/arguments/command_table.hpp"
#include "rollcall/fleet_settings.hpp"

namespace rollcall::command {

class ServiceSettings {
 public:
  ServiceSettings() {}
  FleetServiceOptions options;
  std::string text;  ///< of the file as it was read; empty: there is none
};

/// The file that `arguments` name, read from `files`, and the options of the command line in place of what it says. Errors: as
/// read_fleet_settings() and check_fleet_options().
Result<ServiceSettings> read_service_settings(const Arguments& arguments, const Files& files);

/// Settings that are read again, for a service that runs by `before`. Errors: refused_by_policy, where the file ends earlier than before
/// and says something else by that: a full disk, or an editor, may have cut it. An end that only names fewer places, clients, rights or
/// patterns is taken.
Result<void> check_not_cut(const ServiceSettings& before, const ServiceSettings& now);

}  // namespace rollcall::command
