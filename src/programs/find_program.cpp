#include "programs/find_program.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/text.hpp"

namespace rollcall {
namespace {

bool is_directory(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// 0, or errno.
int can_execute(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return errno;
  if (is_directory(path)) return EISDIR;
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

}  // namespace

int find_program(const std::string& name, PathFolders folders, std::string& path) {
  if (name.empty()) return ENOENT;
  if (name.find('/') != std::string::npos) {
    path = name;
    return can_execute(path);
  }
  const char* const variable = ::getenv("PATH");
  int first_error = ENOENT;
  for (const std::string_view folder : split(variable ? variable : "/bin:/usr/bin", ':')) {
    if (folders == PathFolders::absolute && !folder.starts_with('/')) continue;
    const std::string candidate = folder.empty() ? name : fmt::format("{}/{}", folder, name);
    const int error = can_execute(candidate);
    if (error == 0) {
      path = candidate;
      return 0;
    }
    if (error != ENOENT && error != ENOTDIR && first_error == ENOENT) first_error = error;
  }
  return first_error;
}

}  // namespace rollcall
