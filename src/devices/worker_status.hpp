// Every worker asked side by side for its own devices: who answers, and how the others fail.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/device.hpp"

namespace rollcall {

/// What a failure says, without the address that it begins with: for sentences that name the address themselves.
std::string without_address(const Failure& failure, std::string_view address);

class WorkerStatus {
 public:
  WorkerStatus() {}
  std::string address;
  std::vector<DeviceAttributes> devices;
  std::optional<Failure> failure;  ///< why there are no devices
  /// Something that speaks gRPC answered, if only to refuse.
  bool is_alive() const noexcept;
  /// Nothing came in time, not even a refusal.
  bool is_silent() const noexcept;
};

/// GetStatus of every worker, by `deadline`, each at most three times. In the given order.
asio::awaitable<Result<std::vector<WorkerStatus>>> ask_workers(Call& call, std::vector<std::string> addresses, bool is_tls,
                                                               SteadyTime deadline);

/// Names those that do not answer, and how each fails; none if all are alive.
std::optional<Failure> missing_workers(const std::vector<WorkerStatus>& workers);

/// The devices of all; none if one of them has not told.
std::optional<std::vector<DeviceAttributes>> devices_of(std::vector<WorkerStatus> workers);

}  // namespace rollcall
