// What was read of a host: the input of judge_host().
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "devices/local/rules/machine_facts.hpp"
#include "preflight/host/wire/host_line.hpp"
#include "preflight/host/wire/host_texts.hpp"
#include "preflight/host/wire/mount_table.hpp"
#include "preflight/host/wire/other_verdict.hpp"
#include "rollcall/host_checks.hpp"
#include "rollcall/local_devices.hpp"

namespace rollcall {

class ClockLook {
 public:
  ClockLook() {}
  bool is_synchronised = false;
  std::int64_t max_error_microseconds = 0;
};

/// A port of an RDMA adapter.
class FabricPort {
 public:
  FabricPort() {}
  std::string name;   ///< `mlx5_0 port 1`
  std::string state;  ///< `4: ACTIVE`
  std::string rate;   ///< `400 Gb/sec (4X NDR)`
};

/// The interface of the default route.
class InterfaceLook {
 public:
  InterfaceLook() {}
  std::string name;
  std::string state;   ///< `up`, `down`, `unknown`
  std::string speed;   ///< Mbit/s; empty or -1: not known
  std::string duplex;
  std::string mtu;
  std::string driver;
};

class ProcessorLook {
 public:
  ProcessorLook() {}
  std::optional<std::uint64_t> online;
  std::optional<std::uint64_t> allowed;
  std::optional<std::uint64_t> quota;  ///< of a cgroup, in hundredths
  std::optional<std::uint64_t> load;   ///< in hundredths
  std::string governor;
};

/// How fast memory is copied, or a disk is written to and read from.
class SpeedLook {
 public:
  SpeedLook() {}
  bool is_silent = false;  ///< it did not end in time
  std::string failure;     ///< why it could not be measured; empty: it was
  SpeedLine found;
};

class FolderLook {
 public:
  FolderLook() {}
  FolderCheck asked;
  bool is_silent = false;    ///< it did not answer in time
  std::string failure;       ///< why it could not be looked at; empty: it was
  FolderLine found;
  bool is_mount_known = true;       ///< the table of mounts could be read
  std::optional<MountEntry> mount;  ///< that it lies in
  std::optional<SpeedLook> speed;   ///< absent: it was not to be measured
};

class PortLook {
 public:
  PortLook() {}
  std::uint16_t port = 0;
  int error = 0;        ///< errno; 0: it is free
  std::string holder;   ///< `process 123 (python3)`; empty: not known
};

/// A device file that keeps programs from using an accelerator.
class NodeLook {
 public:
  NodeLook() {}
  std::string kind;        ///< `TPU`
  std::string path;        ///< `/dev/vfio/0`
  bool is_closed = false;  ///< this user may not open it for reading and writing
  std::string holder;      ///< the process that has it open, where only one can: `process 123 (python3)`; empty: not seen
};

/// What sysfs says of an accelerator's health.
class SysfsHealth {
 public:
  SysfsHealth() {}
  std::string kind;   ///< `AMD GPU`, `Gaudi`, `TPU chip`
  std::string bus;
  std::string uuid;
  int index = 0;      ///< in the order of the bus
  std::string status;  ///< of Gaudi; `Operational`
  std::map<std::string, std::uint64_t> errors;  ///< uncorrected, by block: `umc`
  std::map<char, std::uint64_t> pages;          ///< bad ones by their flag
  std::optional<std::uint64_t> width;
  std::optional<std::uint64_t> width_max;
};

/// What another program said of this host.
class OtherLook {
 public:
  OtherLook() {}
  explicit OtherLook(VerdictSource asked) : source(std::move(asked)) {}
  VerdictSource source;
  CommandEnd end;
};

class HostLook {
 public:
  HostLook() {}
  std::string host;
  std::string boot_id;
  std::string kernel;
  std::string architecture;
  std::string os;
  std::optional<ClockLook> clock;  ///< absent: the kernel does not say
  std::optional<std::uint64_t> memory;
  std::optional<std::uint64_t> memory_limit;  ///< of a cgroup
  std::optional<std::uint64_t> shm;           ///< the size of /dev/shm
  std::optional<ProcessLimit> open_files;
  std::optional<ProcessLimit> locked_memory;
  ProcessorLook processors;
  std::optional<InterfaceLook> interface;
  std::vector<FabricPort> fabric;
  std::map<std::string, std::string> modules;  ///< versions of kernel modules: `ofed`, `efa`
  std::optional<SoftwareLine> software;        ///< absent: not asked, or `software_failure` says why
  std::string software_failure;
  std::string package_digest;                  ///< of the list of packages: the same list, the same digest
  std::optional<SpeedLook> memory_speed;       ///< absent: it was not to be measured
  std::vector<FolderLook> folders;
  std::vector<PortLook> ports;
  bool has_devices = false;  ///< the next members were looked at
  std::string device_failure;
  MachineFacts machine;
  NvmlOutcome nvml;
  LocalDevices devices;
  std::vector<SysfsHealth> sysfs;
  std::vector<NodeLook> nodes;
  std::vector<OtherLook> others;
};

}  // namespace rollcall
