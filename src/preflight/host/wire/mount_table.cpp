#include "preflight/host/wire/mount_table.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_mounts = 65536;

// The kernel writes blanks, tabs, line ends and backslashes as `\040`.
std::string without_octal(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto is_octal = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
    if (text[i] == '\\' && is_octal(i + 1) && text[i + 1] <= '3' && is_octal(i + 2) && is_octal(i + 3)) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool lies_below(std::string_view path, std::string_view folder) {
  if (folder == "/" || path == folder) return path.starts_with('/');
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

}  // namespace

std::vector<MountEntry> parse_mount_table(std::string_view text) {
  std::vector<MountEntry> table;
  while (!text.empty() && table.size() < max_mounts) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    // 36 35 98:0 /root /path options [tags] - type source options
    const std::vector<std::string_view> words = split(line, ' ');
    if (words.size() < 9) continue;
    const auto dash = std::find(words.begin() + 6, words.end(), "-");
    if (words.end() - dash < 3) continue;
    MountEntry& entry = table.emplace_back();
    entry.path = without_octal(words[4]);
    entry.type = dash[1];
    entry.source = without_octal(dash[2]);
  }
  return table;
}

const MountEntry* mount_of(const std::vector<MountEntry>& table, std::string_view path) {
  const MountEntry* found = nullptr;
  for (const MountEntry& entry : table) {
    if (lies_below(path, entry.path) && (!found || entry.path.size() >= found->path.size())) found = &entry;
  }
  return found;
}

}  // namespace rollcall
