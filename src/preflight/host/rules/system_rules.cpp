// Clock, name, kernel, system, libraries and packages.
#include <fmt/format.h>

#include "base/text.hpp"
#include "preflight/host/rules/judge_host.hpp"

namespace rollcall {
namespace {

void judge_clock(const HostLook& look, HostNotes& notes) {
  if (!look.clock) return notes.unknown("clock", "the kernel does not say whether a time service sets the clock");
  if (look.clock->is_synchronised) return;
  FindingParts parts(FindingAction::set_clock,
                     "start chrony, ntpd or systemd-timesyncd on this machine; in a VM its host may set the clock");
  notes.warning("clock", "the kernel says that no time service sets its clock", std::move(parts));
}

void judge_name(const HostLook& look, HostNotes& notes) {
  const bool is_named = !look.host.empty() && look.host != "(none)" && look.host != "localhost" && !look.host.starts_with("localhost.");
  if (is_named) return;
  FindingParts parts(FindingAction::fix_names, "set the machine's name: programs that announce themselves by it are not found by others");
  notes.warning("names", look.host.empty() ? "its own name is not known" : fmt::format("its own name is {}", quoted(look.host, 64)),
                std::move(parts));
}

}  // namespace

void judge_system(const HostLook& look, HostNotes& notes) {
  judge_clock(look, notes);
  judge_name(look, notes);
  notes.fact("kernel", "kernel", look.kernel);
  notes.fact("os", "os", look.os);
  notes.fact("os", "architecture", look.architecture);
  for (const auto& [name, version] : look.modules) notes.fact("libraries", name, version);
  if (!look.software) {
    if (look.software_failure.empty()) return;
    notes.unknown("libraries", look.software_failure);
    return notes.unknown("packages", look.software_failure);
  }
  for (const auto& [name, version] : look.software->libraries) notes.fact("libraries", name, version);
  notes.fact("packages", "python", look.software->python);
  if (!look.software->python_unknown.empty()) return notes.unknown("packages", look.software->python_unknown);
  if (!look.software->python.empty()) notes.fact("packages", "packages", look.package_digest);
}

}  // namespace rollcall
