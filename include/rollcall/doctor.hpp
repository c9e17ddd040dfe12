// Why it does not work: the machine, the credentials, the way to a service and its permissions, looked at side by side.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

enum class CheckOutcome {
  pass,
  warning,  ///< works, but should be looked at
  fail,
  skipped,  ///< could not be checked, or is of no use here; `found` says why
};
/// `pass`, `warning`, `fail`, `skipped`; stable, used in JSON output.
std::string_view to_string(CheckOutcome outcome) noexcept;

/// Texts are printable, of one line, and never have a secret in them.
class DoctorCheck {
 public:
  DoctorCheck() {}
  DoctorCheck(std::string what, CheckOutcome how, std::string finding, std::string advice = {})
      : name(std::move(what)), outcome(how), found(std::move(finding)), hint(std::move(advice)) {}
  std::string name;  ///< "token"; docs/command.md has all of them; stable
  CheckOutcome outcome = CheckOutcome::pass;
  std::string found;
  std::string hint;  ///< what to do about it; may be empty
  Duration took{0};
};

class DoctorReport {
 public:
  DoctorReport() {}
  std::vector<DoctorCheck> checks;  ///< in the order in which things depend on each other
  std::size_t count(CheckOutcome outcome) const;
  bool has_failed() const { return count(CheckOutcome::fail) > 0; }
};

class DoctorOptions {
 public:
  DoctorOptions() {}
  // clang-format off
  /// Whose service is looked at; empty: the Cloud TPU API.
  DoctorOptions& target(std::string v) { target_ = std::move(v); return *this; }
  /// Where the target names none.
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

/// Makes every check that the target gives reason for, each with at most nine tenths of the call's time and one retry of its requests.
/// Checks fail inside the report. May suspend; cancellable. Errors: invalid_argument (the target), cancelled.
asio::awaitable<DoctorReport> doctor(Runtime runtime, DoctorOptions options, CallOptions call = {});
asio::awaitable<Result<DoctorReport>> try_doctor(Runtime runtime, DoctorOptions options, CallOptions call = {});

}  // namespace rollcall
