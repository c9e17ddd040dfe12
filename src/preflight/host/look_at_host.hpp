// Reads what the kernel's files say about this host. Needs no privileges, opens no device, and touches no folder of users.
#pragma once

#include <set>
#include <string>

#include "base/host_folders.hpp"
#include "preflight/host/rules/host_look.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// `root` stands in front of all paths. Fills the system's part of `look`.
void look_at_system(const Files& files, const std::string& root, HostLook& look);
/// The health of accelerators by sysfs; `look.machine` says which there are.
void look_at_sysfs_health(const Files& files, const std::string& root, HostLook& look);
/// The device files of `look.machine` and `look.devices` that this user cannot open, or that another process of this user has open.
void look_at_device_nodes(const Files& files, const std::string& root, HostLook& look);
/// The process of this user that has one of `targets` open, as the links of /proc/PID/fd name them; those of others do not show them.
/// `process 123 (python3)`; empty: there is none.
std::string process_with(const HostFolders& folders, const std::set<std::string>& targets);
/// Tries to listen on `port` of all addresses.
PortLook look_at_port(const Files& files, const std::string& root, std::uint16_t port);

}  // namespace rollcall
