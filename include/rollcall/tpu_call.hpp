// Options of one call that concern TPUs and the runtimes on their workers.
#pragma once

#include <cstdint>

#include "rollcall/call.hpp"

namespace rollcall {

/// How TPU nodes are looked up when several of one project and zone are needed.
enum class TpuLookup : std::uint8_t {
  automatic,  ///< one nodes.get per TPU; those that the host would not take at once, of all calls together, share a nodes.list
  each,       ///< one nodes.get per TPU; of a union, so many at a time as requests may be in flight to a host
  list,       ///< one nodes.list per project and zone, shared by the TPUs of the call (a union): what it does not show is not there
};

/// Where a number of accelerators comes from.
enum class CountFrom : std::uint8_t {
  automatic,         ///< the accelerator type where no runtime listens (a TPU VM of API v2), else the devices
  devices,           ///< what the cluster's own runtime lists
  accelerator_type,  ///< the TPU's type, by the topology table; no worker is asked
};

/// Which servers are asked for the devices.
enum class DeviceQuery : std::uint8_t {
  master,   ///< the master, for all; when it is late (half a second, or a quarter of the deadline) every worker
  workers,  ///< every worker from the start, side by side
};

/// `CallOptions().with(TpuCallOptions().lookup(TpuLookup::list))`
class TpuCallOptions {
 public:
  TpuCallOptions() {}
  // clang-format off
  TpuCallOptions& lookup(TpuLookup l) { lookup_ = l; return *this; }
  TpuCallOptions& count_from(CountFrom c) { count_from_ = c; return *this; }
  TpuCallOptions& device_query(DeviceQuery q) { device_query_ = q; return *this; }
  // clang-format on
  TpuLookup lookup() const noexcept { return lookup_; }
  CountFrom count_from() const noexcept { return count_from_; }
  DeviceQuery device_query() const noexcept { return device_query_; }

 private:
  TpuLookup lookup_ = TpuLookup::automatic;
  CountFrom count_from_ = CountFrom::automatic;
  DeviceQuery device_query_ = DeviceQuery::master;
};

}  // namespace rollcall
