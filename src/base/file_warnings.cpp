#include "base/file_warnings.hpp"

#include <fmt/format.h>

#include "base/path_text.hpp"

namespace rollcall {

std::string open_file_warning(const std::string& path) {
  return fmt::format("{} holds a secret and can be read by others on this machine: chmod go-rwx it", quoted_path(path, 200));
}

std::string other_writers_warning(const std::string& path, std::string_view writers) {
  return fmt::format("{} decides which programs and servers are used, and {}: it should belong to you and be writable by you alone",
                     quoted_path(path, 200), writers);
}

}  // namespace rollcall
