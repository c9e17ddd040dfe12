// Facts of multislice jobs. Source: cloud.google.com/tpu/docs/multislice-introduction.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rollcall/cluster_spec.hpp"

namespace rollcall {

/// Facts about a multislice job that libtpu needs, for one slice.
class MegascaleFacts {
 public:
  MegascaleFacts() {}
  int num_slices = 0;
  int slice_id = 0;
  std::string coordinator_address;  ///< the first worker of slice 0, without a port
  std::uint16_t port = 8080;

  /// MEGASCALE_NUM_SLICES, MEGASCALE_SLICE_ID, MEGASCALE_COORDINATOR_ADDRESS, MEGASCALE_PORT.
  std::map<std::string, std::string> environment() const;
};

/// Derived from the current state, so that they are correct after a slice has been replaced. `spec` has one job for each slice
/// (SliceJobs::each), in the order of slices. Errors: invalid_argument (no such slice); not_ready (a slice without workers).
Result<MegascaleFacts> megascale_facts(const ClusterSpec& spec, int slice, std::uint16_t port = 8080);

}  // namespace rollcall
