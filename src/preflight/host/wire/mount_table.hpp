// /proc/self/mountinfo: what is mounted where.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rollcall {

class MountEntry {
 public:
  MountEntry() {}
  std::string path;     ///< where
  std::string type;     ///< `nfs4`, `lustre`, `ext4`
  std::string source;   ///< what: `server:/export`
};

/// In the kernel's order: of two entries with one path the later hides the earlier. Lines of another form are skipped; at most 65,536 are
/// read.
std::vector<MountEntry> parse_mount_table(std::string_view text);

/// The entry that `path`, absolute and without `.` and `..`, lies in; null: there is none.
const MountEntry* mount_of(const std::vector<MountEntry>& table, std::string_view path);

}  // namespace rollcall
