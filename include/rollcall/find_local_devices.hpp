// Finds the accelerators of this host: what the system's folders say, and NVIDIA's management library (NVML), which another process loads.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/local_devices.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class LocalDevicesOptions {
 public:
  LocalDevicesOptions() {}
  // clang-format off
  /// A program that prints nvml_report_line(), such as `rollcall nvml-report`. Default: none, and NVML is not asked.
  LocalDevicesOptions& nvml_program(std::vector<std::string> words) { nvml_program_ = std::move(words); return *this; }
  /// How long to wait for it: a GPU in trouble can hold the driver for any time. Less if the call has less time.
  LocalDevicesOptions& nvml_timeout(Duration time) { nvml_timeout_ = time; return *this; }
  /// The folder where the machine's /dev, /proc and /sys lie. Default: the machine's own.
  LocalDevicesOptions& root(std::string folder) { root_ = std::move(folder); return *this; }
  // clang-format on
  const std::vector<std::string>& nvml_program() const noexcept { return nvml_program_; }
  Duration nvml_timeout() const noexcept { return nvml_timeout_; }
  const std::string& root() const noexcept { return root_; }

 private:
  std::vector<std::string> nvml_program_;
  Duration nvml_timeout_ = std::chrono::seconds(8);
  std::string root_;
};

/// The accelerators that programs on this host, or in this container, can use. A host without any is a success; a source that does not
/// answer is a note. Suspends while the program of nvml_program() runs, at most for four fifths of the call's time; cancellable. Errors:
/// failed_precondition (neither /dev nor PCI can be listed), cancelled.
asio::awaitable<Result<LocalDevices>> try_find_local_devices(Runtime runtime, LocalDevicesOptions options = {}, CallOptions call = {});
/// The same; throws ResolveError instead of returning the Failure.
asio::awaitable<LocalDevices> find_local_devices(Runtime runtime, LocalDevicesOptions options = {}, CallOptions call = {});

/// Loads NVML into this process, asks it, and returns the answer as one line for another process. For a process that ends afterwards: NVML
/// leaves threads and descriptors behind, and can block for any time. GPUs that have not answered after `patience` are reported as such;
/// loading and initialising the library has no limit here. Does not fail: the line says what did.
std::string nvml_report_line(Duration patience = std::chrono::seconds(6));

}  // namespace rollcall
