#include "base/host_folders.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_names_in_folder = 65536;

}  // namespace

std::optional<std::vector<std::string>> HostFolders::names(const std::string& folder) const {
  std::error_code error;
  std::filesystem::directory_iterator at(root_ + folder, error);
  if (error) return std::nullopt;
  std::vector<std::string> found;
  for (; !error && at != std::filesystem::directory_iterator() && found.size() < max_names_in_folder; at.increment(error))
    found.push_back(at->path().filename().native());
  std::sort(found.begin(), found.end());
  return found;
}

bool HostFolders::has(const std::string& path) const {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(root_ + path, error));
}

std::optional<std::string> HostFolders::text(const std::string& path, std::size_t max_bytes) const {
  Result<std::string> read = files_.read(root_ + path, max_bytes);
  if (!read) return std::nullopt;
  return std::move(*read);
}

std::string HostFolders::word(const std::string& path) const { return std::string(trim(text(path).value_or(""))); }

std::string HostFolders::link_target(const std::string& path) const {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::read_symlink(root_ + path, error);
  return error ? std::string() : target.native();
}

std::string HostFolders::link_name(const std::string& path) const { return std::filesystem::path(link_target(path)).filename().native(); }

}  // namespace rollcall
