// How fast memory and disks are: facts, which members compare.
#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/speed_text.hpp"
#include "preflight/host/rules/judge_host.hpp"

namespace rollcall {
namespace {

// False: it was not measured, and `notes` say why.
bool was_measured(const SpeedLook& look, std::string_view check, std::string_view of, HostNotes& notes) {
  if (look.is_silent) {
    notes.unknown(check, fmt::format("{} did not end in time", of));
  } else if (!look.failure.empty() || !look.found.error.empty()) {
    notes.unknown(check, fmt::format("{}: {}", of, look.failure.empty() ? look.found.error : look.failure));
  }
  return !look.is_silent && look.failure.empty() && look.found.error.empty();
}

}  // namespace

void judge_speeds(const HostLook& look, HostNotes& notes) {
  constexpr std::string_view of_memory = "copying memory";
  if (look.memory_speed && was_measured(*look.memory_speed, "memory_speed", of_memory, notes))
    notes.fact("memory_speed", "memory_speed", speed_text(look.memory_speed->found.copied));
  for (const FolderLook& folder : look.folders) {
    const std::string of_disk = fmt::format("writing to {}", quoted_path(folder.asked.path));
    if (!folder.speed || !was_measured(*folder.speed, "disk_speed", of_disk, notes)) continue;
    notes.fact("disk_speed", "disk_write:" + folder.asked.path, speed_text(folder.speed->found.written));
    notes.fact("disk_speed", "disk_read:" + folder.asked.path, speed_text(folder.speed->found.read));
  }
}

}  // namespace rollcall
