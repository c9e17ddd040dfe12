// The checks of doctor() and their results. No I/O.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rollcall/time.hpp"

namespace rollcall {

/// The result of a check.
enum class CheckOutcome {
  pass,
  warning,  ///< works, but needs attention
  fail,
  skipped,  ///< could not be checked, or does not apply here; `found` says why
};
/// `pass`, `warning`, `fail`, `skipped`; stable, used in JSON output.
std::string_view to_string(CheckOutcome outcome) noexcept;

/// Texts are printable, of one line, and never contain a secret.
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

/// The results of all checks.
class DoctorReport {
 public:
  DoctorReport() {}
  std::vector<DoctorCheck> checks;  ///< ordered by dependency: a check comes after those that it depends on
  std::size_t count(CheckOutcome outcome) const {
    return static_cast<std::size_t>(
        std::count_if(checks.begin(), checks.end(), [outcome](const DoctorCheck& check) { return check.outcome == outcome; }));
  }
  bool has_failed() const { return count(CheckOutcome::fail) > 0; }
};

}  // namespace rollcall
