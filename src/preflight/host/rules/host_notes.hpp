// Collects what the rules about a host say: facts, findings, and what could not be checked.
#pragma once

#include <string>
#include <string_view>

#include "rollcall/host_checks.hpp"
#include "rollcall/host_report.hpp"

namespace rollcall {

/// What a finding says besides its text.
class FindingParts {
 public:
  FindingParts() {}
  FindingParts(FindingAction what, std::string words) : action(what), hint(std::move(words)) {}
  FindingAction action = FindingAction::none;
  std::string hint;
  std::string device;  ///< not empty: the finding is about it, and its text begins with it
  std::string measured;
  std::string expected;
};

class HostNotes {
 public:
  /// Both must outlive it.
  HostNotes(const HostChecks& checks, HostReport& report) : checks_(checks), report_(report) {}

  const HostChecks& checks() const noexcept { return checks_; }
  /// An empty value is no fact.
  void fact(std::string_view check, std::string_view name, std::string_view value);
  // Of checks that are not wanted nothing is kept.
  void failure(std::string_view check, std::string_view text, FindingParts parts = {});
  void warning(std::string_view check, std::string_view text, FindingParts parts = {});
  void unknown(std::string_view check, std::string_view why);
  /// Compares with what is expected, and puts failures first. Once, at the end.
  void finish();

 private:
  void add(FindingSeverity severity, std::string_view check, std::string_view text, FindingParts parts);
  bool wants(std::string_view check) const;

  const HostChecks& checks_;
  HostReport& report_;
};

/// `12 GiB`, `512 MiB`, `100 bytes`.
std::string size_text(std::uint64_t bytes);

}  // namespace rollcall
