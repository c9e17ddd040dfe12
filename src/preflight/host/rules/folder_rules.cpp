// Folders that were asked for: their free space, and what is mounted there.
#include <fmt/format.h>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "preflight/host/rules/judge_host.hpp"

namespace rollcall {
namespace {

std::string mount_text(const MountEntry& mount) {
  return fmt::format("{} of type {}", quoted(mount.source, 200), printable(mount.type, 64));
}

void judge_folder(const FolderLook& folder, HostNotes& notes) {
  const std::string check = folder.asked.name();
  const std::string path = quoted_path(folder.asked.path);
  const std::string where = folder.mount ? fmt::format(", on {}", mount_text(*folder.mount)) : std::string();
  const FindingParts way(FindingAction::check_path, "look at the file system's server, and at the network to it");
  if (folder.asked.is_mount && !folder.is_mount_known)
    return notes.unknown(check, "/proc/self/mountinfo cannot be read: what is mounted is not known");
  if (folder.asked.is_mount && (!folder.mount || folder.mount->path != folder.asked.path)) {
    const FindingParts parts(FindingAction::check_path, "mount it, or correct the path: it must be the mount point itself");
    return notes.failure(check, fmt::format("nothing is mounted at {}", path), parts);
  }
  if (folder.is_silent) return notes.failure(check, fmt::format("{}{} does not answer", path, where), way);
  if (!folder.failure.empty()) return notes.unknown(check, folder.failure);
  if (!folder.found.error.empty())
    return notes.failure(check, fmt::format("{}{} cannot be read: {}", path, where, folder.found.error), way);
  if (folder.asked.is_mount) notes.fact(check, check, mount_text(*folder.mount));
  if (folder.found.free_bytes >= folder.asked.bytes) return;
  FindingParts parts(FindingAction::free_space, "remove what is not needed, or take another folder");
  parts.measured = size_text(folder.found.free_bytes);
  parts.expected = size_text(folder.asked.bytes);
  notes.failure(check, fmt::format("{} has {} free, and {} are asked for", path, parts.measured, parts.expected), parts);
}

}  // namespace

void judge_folders(const HostLook& look, HostNotes& notes) {
  for (const FolderLook& folder : look.folders) judge_folder(folder, notes);
}

}  // namespace rollcall
