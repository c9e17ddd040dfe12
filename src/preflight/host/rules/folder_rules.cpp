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
  if (!folder.found.error.empty()) {
    const FindingParts parts(FindingAction::check_path, "make it, or correct the path; of a remote file system look at its server");
    return notes.failure(check, fmt::format("{}{} cannot be read: {}", path, where, folder.found.error), parts);
  }
  if (folder.asked.is_mount)
    notes.fact(check, check, fmt::format("{}{}", mount_text(*folder.mount), folder.found.is_read_only ? ", read-only" : ""));
  if (folder.asked.bytes == 0) return;
  const std::string asked = size_text(folder.asked.bytes);
  if (folder.found.is_read_only) {
    const FindingParts parts(FindingAction::check_path,
                             "mount it for writing; after errors of its disk the kernel itself makes it read-only, see its log");
    return notes.failure(check, fmt::format("{}{}, is read-only, and {} of free space are asked for", path, where, asked), parts);
  }
  if (folder.found.is_out_of_files)
    return notes.failure(check, fmt::format("{}{}, can hold no more files: all of its inodes are used", path, where),
                         FindingParts(FindingAction::free_space, "remove files that are not needed, or take another folder"));
  if (folder.found.free_bytes >= folder.asked.bytes) return;
  FindingParts parts(FindingAction::free_space, "remove what is not needed, or take another folder");
  parts.measured = size_text(folder.found.free_bytes);
  parts.expected = asked;
  notes.failure(check, fmt::format("{} has {} free, and {} are asked for", path, parts.measured, asked), parts);
}

}  // namespace

void judge_folders(const HostLook& look, HostNotes& notes) {
  for (const FolderLook& folder : look.folders) judge_folder(folder, notes);
}

}  // namespace rollcall
