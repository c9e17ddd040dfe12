// Finds out why something does not work: checks the machine, the credentials, the route to a service and its permissions in parallel.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/doctor_report.hpp"
#include "rollcall/error.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class DoctorOptions {
 public:
  DoctorOptions() {}
  // clang-format off
  /// The target whose service is checked; empty: the Cloud TPU API.
  DoctorOptions& target(std::string v) { target_ = std::move(v); return *this; }
  /// Used where the target names none.
  DoctorOptions& project(std::string v) { project_ = std::move(v); return *this; }
  DoctorOptions& zone(std::string v) { zone_ = std::move(v); return *this; }
  // clang-format on
  const std::string& target() const { return target_; }
  const std::string& project() const { return project_; }
  const std::string& zone() const { return zone_; }

 private:
  std::string target_;
  std::string project_;
  std::string zone_;
};

/// Runs every check that applies to the target, each with at most nine tenths of the call's time and one retry of its requests. Failed
/// checks are part of the report. May suspend; cancellable. Errors: invalid_argument (the target), cancelled.
asio::awaitable<DoctorReport> doctor(Runtime runtime, DoctorOptions options, CallOptions call = {});
/// The same; returns the Failure instead of throwing.
asio::awaitable<Result<DoctorReport>> try_doctor(Runtime runtime, DoctorOptions options, CallOptions call = {});

}  // namespace rollcall
