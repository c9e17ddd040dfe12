// Reads what the kernel's files say about this host. Needs no privileges, opens no device, and touches no folder of users.
#pragma once

#include <string>

#include "preflight/host/rules/host_look.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// `root` stands in front of all paths. Fills the system's part of `look`.
void look_at_system(const Files& files, const std::string& root, HostLook& look);
/// The health of accelerators by sysfs; `look.machine` says which there are.
void look_at_sysfs_health(const Files& files, const std::string& root, HostLook& look);
/// Tries to listen on `port` of all addresses.
PortLook look_at_port(const Files& files, const std::string& root, std::uint16_t port);

}  // namespace rollcall
