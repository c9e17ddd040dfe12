// What a preflight found out about one host: facts, which members compare, its accelerators, and findings. No I/O.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/local_devices.hpp"
#include "rollcall/preflight_verdict.hpp"

namespace rollcall {

/// One value of a host. Members of a job have the same, or one of them is odd.
class HostFact {
 public:
  HostFact() {}
  HostFact(std::string of_check, std::string fact_name, std::string text)
      : check(std::move(of_check)), name(std::move(fact_name)), value(std::move(text)) {}
  std::string check;  ///< the check that it belongs to: `driver`
  std::string name;   ///< unique in a report: `driver`, `nccl`, `nic_mtu`
  std::string value;  ///< printable, of one line: `580.159.04`
  friend bool operator==(const HostFact&, const HostFact&) = default;
};

/// A process that computes on a GPU.
class GpuUser {
 public:
  GpuUser() {}
  std::uint64_t pid = 0;  ///< 0: of another container
  std::optional<std::uint64_t> memory_bytes;
};

/// A GPU of NVIDIA, as its driver's library describes it.
class GpuHealth {
 public:
  GpuHealth() {}
  int index = 0;
  std::string uuid;
  std::string bus;   ///< PCI bus id, `0000:00:06.0`
  std::string name;  ///< `NVIDIA H100 80GB HBM3`
  int result = 0;    ///< NVML's code of what failed first; 0: nothing
  std::map<std::string, std::uint64_t> values;  ///< what the library says of it: `temperature`, `rows_failed`
  std::vector<GpuUser> users;
};

class HostReport {
 public:
  HostReport() {}
  std::string host;     ///< the machine's own name
  std::string boot_id;  ///< the same for all processes of a machine until it is restarted
  std::vector<HostFact> facts;
  std::vector<std::string> packages;  ///< of its Python, which the fact `packages` stands for: `numpy-2.1.0`, in order, each once
  std::optional<LocalDevices> devices;  ///< nothing: no check needed them, or they are not known
  std::vector<GpuHealth> gpus;
  /// Failures before warnings. They name no members, and their texts do not begin with them: see findings_of().
  std::vector<Finding> findings;
  std::vector<PreflightUnknown> unknown;  ///< without members, too

  const HostFact* fact(const std::string& name) const;  ///< null: not known here
  /// The findings with this host as their member.
  std::vector<Finding> findings_of(const FindingMember& member) const;
  /// The verdict on this host alone. It has not passed either if the health of its GPUs, or what was asked for with a value, is not known.
  PreflightVerdict verdict() const;
};

}  // namespace rollcall
