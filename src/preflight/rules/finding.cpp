// The words of findings.
#include <fmt/format.h>

#include <array>

#include "rollcall/preflight_verdict.hpp"

namespace rollcall {

std::string_view to_string(FindingSeverity severity) noexcept { return severity == FindingSeverity::failure ? "failure" : "warning"; }

std::string_view to_string(FindingScope scope) noexcept {
  constexpr std::array<std::string_view, 5> words = {"host", "pair", "block", "device", "cluster"};
  return words[static_cast<std::size_t>(scope)];
}

std::string_view to_string(FindingAction action) noexcept {
  constexpr std::array<std::string_view, 13> words = {"none",       "replace",       "reset_device",  "reboot",    "open_port",
                                                      "free_port",  "start_process", "fix_names",     "set_clock", "align_versions",
                                                      "free_space", "check_path",    "check_identity"};
  return words[static_cast<std::size_t>(action)];
}

std::string FindingMember::to_text() const {
  if (job.empty()) return name.empty() ? address : name;
  const std::string task = index < 0 ? job : fmt::format("{} {}", job, index);
  return name.empty() ? task : fmt::format("{} ({})", task, name);
}

}  // namespace rollcall
