// The rules about one host: what was read of it becomes facts and findings. Same input, same output.
#pragma once

#include "preflight/host/rules/host_look.hpp"
#include "preflight/host/rules/host_notes.hpp"
#include "rollcall/host_checks.hpp"
#include "rollcall/host_report.hpp"

namespace rollcall {

HostReport judge_host(const HostLook& look, const HostChecks& checks);

// Its parts.
void judge_system(const HostLook& look, HostNotes& notes);     ///< clock, names, kernel, os, libraries, packages
void judge_resources(const HostLook& look, HostNotes& notes);  ///< memory, shm, limits, cpu
void judge_folders(const HostLook& look, HostNotes& notes);    ///< disk:, mount:
void judge_speeds(const HostLook& look, HostNotes& notes);     ///< memory_speed, disk_speed
void judge_network(const HostLook& look, HostNotes& notes);    ///< nic, port:
void judge_devices(const HostLook& look, HostNotes& notes);    ///< accelerators, driver
void judge_nvidia(const HostLook& look, HostNotes& notes);     ///< gpu, in_use
void judge_sysfs(const HostLook& look, HostNotes& notes);      ///< gpu: of AMD and Intel
void judge_others(const HostLook& look, HostNotes& notes);     ///< others/NAME

/// GPUs that the host, or this container, can use.
std::size_t usable_accelerators(const LocalDevices& devices);

}  // namespace rollcall
