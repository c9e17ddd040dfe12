// Checks whether this host can run a program of a cluster: its system, limits, folders, network interface and accelerators.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/find_local_devices.hpp"
#include "rollcall/host_checks.hpp"
#include "rollcall/host_report.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class CheckHostOptions {
 public:
  CheckHostOptions() {}
  // clang-format off
  CheckHostOptions& checks(HostChecks which) { checks_ = std::move(which); return *this; }
  /// How accelerators are found. Their program is run only for checks that need it.
  CheckHostOptions& devices(LocalDevicesOptions options) { devices_ = std::move(options); return *this; }
  /// A program that prints host_folder_line(PATH) for the arguments `folder PATH`, host_software_line() for `software`, and
  /// host_speed_line() for `speed` and `speed PATH`, such as `rollcall host-report`. Default: none, and none of these is looked at.
  CheckHostOptions& report_program(std::vector<std::string> words) { report_program_ = std::move(words); return *this; }
  /// How long to wait for it: a file system's server may not answer.
  CheckHostOptions& report_timeout(Duration time) { report_timeout_ = time; return *this; }
  /// The folder where the machine's /dev, /proc, /sys and /etc lie. Default: the machine's own.
  CheckHostOptions& root(std::string folder) { root_ = std::move(folder); return *this; }
  // clang-format on
  const HostChecks& checks() const noexcept { return checks_; }
  const LocalDevicesOptions& devices() const noexcept { return devices_; }
  const std::vector<std::string>& report_program() const noexcept { return report_program_; }
  Duration report_timeout() const noexcept { return report_timeout_; }
  const std::string& root() const noexcept { return root_; }

 private:
  HostChecks checks_;
  LocalDevicesOptions devices_;
  std::vector<std::string> report_program_;
  Duration report_timeout_ = std::chrono::seconds(3);
  std::string root_;
};

/// What is wrong is in the report, not an error. Suspends while the programs run, side by side, those of HostChecks::others for 30 s at
/// most; cancellable. Needs no privileges. Errors: cancelled, deadline_exceeded.
asio::awaitable<Result<HostReport>> try_check_host(Runtime runtime, CheckHostOptions options = {}, CallOptions call = {});
/// The same; throws ResolveError instead of returning the Failure.
asio::awaitable<HostReport> check_host(Runtime runtime, CheckHostOptions options = {}, CallOptions call = {});

/// Looks at a folder, which blocks for any time if its server does not answer, and returns the answer as one line for another process. Does
/// not fail: the line says what did.
std::string host_folder_line(const std::string& path);
/// The same for the packages of the Python that this process's environment leads to, and for libraries of communication. `root` stands in
/// front of all paths.
std::string host_software_line(const Environment& environment, const std::string& root = {});
/// Measures for about a second how fast memory is copied; for a folder, for about two, how fast its disk is written to and read from, past
/// the cache: up to 1 GiB in a file without a name, which is gone at the end. Blocks, and returns the answer as one line for another
/// process. Does not fail: the line says what did.
std::string host_speed_line(const std::string& folder = {});

}  // namespace rollcall
