// /proc/self/mountinfo: what is read is bounded by the text, and a path finds an entry that it lies in.
#include "preflight/host/wire/mount_table.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::vector<MountEntry> table = parse_mount_table(std::string_view(reinterpret_cast<const char*>(data), size));
  std::size_t bytes = 0;
  for (const MountEntry& entry : table) {
    bytes += entry.path.size() + entry.type.size() + entry.source.size();
    if (entry.path.starts_with('/')) require(mount_of(table, entry.path) != nullptr);
    if (table.size() > 64) break;
  }
  require(bytes <= size && table.size() * 9 <= size);
  return 0;
}
