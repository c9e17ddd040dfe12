#include "command/process/library_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <string>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "rollcall/environment.hpp"

namespace rollcall::command {
namespace {

bool is_read_at_once(const std::string& path) {
  struct stat status{};
  struct stat nothing{};
  if (::stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) return true;
  return S_ISCHR(status.st_mode) && ::stat("/dev/null", &nothing) == 0 && status.st_rdev == nothing.st_rdev;
}

}  // namespace

Result<void> check_files_of_libraries() {
  constexpr std::array variables = {"OPENSSL_CONF", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "HOSTALIASES"};
  constexpr std::array files = {"/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf"};
  for (const char* const name : variables) {
    const std::string path = process_environment()->get(name).value_or("");
    if (!path.empty() && !is_read_at_once(path))
      return Failure(Errc::invalid_argument, fmt::format("{} is {}: no regular file", name, quoted_path(path)));
  }
  for (const char* const path : files) {
    if (!is_read_at_once(path)) return Failure(Errc::failed_precondition, fmt::format("{} is no regular file", path));
  }
  return {};
}

}  // namespace rollcall::command
