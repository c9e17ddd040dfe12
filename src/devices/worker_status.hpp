// Asks all workers concurrently for their own devices, and describes the failures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/device.hpp"

namespace rollcall {

/// The failure's message without the address at its beginning, for sentences that contain the address already.
std::string without_address(const Failure& failure, std::string_view address);

class WorkerStatus {
 public:
  WorkerStatus() {}
  std::string address;
  std::vector<DeviceAttributes> devices;
  std::optional<Failure> failure;  ///< the reason for the missing devices
  /// True if a gRPC server answered, even with a refusal.
  bool is_alive() const noexcept;
  /// True if no answer arrived in time.
  bool is_silent() const noexcept;
};

/// Sends GetStatus to every worker, each at most three times until `deadline`. The result is in the given order.
asio::awaitable<Result<std::vector<WorkerStatus>>> ask_workers(Call& call, std::vector<std::string> addresses, bool is_tls,
                                                               SteadyTime deadline);

/// A failure that names the workers without an answer and the reasons; none if all are alive.
std::optional<Failure> missing_workers(const std::vector<WorkerStatus>& workers);

/// The devices of all workers; none if one of them has failed.
std::optional<std::vector<DeviceAttributes>> devices_of(std::vector<WorkerStatus> workers);

}  // namespace rollcall
