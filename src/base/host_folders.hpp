// The folders of a machine, below a root: /dev, /proc and /sys as they are, or as they lie in another folder.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/environment.hpp"

namespace rollcall {

/// What cannot be read counts as absent. Both arguments of the constructor must outlive it.
class HostFolders {
 public:
  /// `root` stands in front of all paths: empty, or a folder where another machine's files lie.
  HostFolders(const Files& files, const std::string& root) : files_(files), root_(root) {}

  /// In order, at most 65,536. Absent: the folder cannot be listed.
  std::optional<std::vector<std::string>> names(const std::string& folder) const;
  bool has(const std::string& path) const;
  /// Absent if it is longer, too. Most of the kernel's own are below a page; max_table_bytes is for those with a row for each of many
  /// things.
  std::optional<std::string> text(const std::string& path, std::size_t max_bytes = 64 * 1024) const;
  static constexpr std::size_t max_table_bytes = std::size_t{32} << 20;
  /// Trimmed; empty: not there.
  std::string word(const std::string& path) const;
  /// What a link points to, as it stands there; empty: it is no link.
  std::string link_target(const std::string& path) const;
  /// Its last part.
  std::string link_name(const std::string& path) const;
  const std::string& root() const noexcept { return root_; }

 private:
  const Files& files_;
  const std::string& root_;
};

}  // namespace rollcall
