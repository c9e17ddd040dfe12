// `rollcall copy`: this command as a file, for a container whose image does not have it. The image of the command has no shell and no cp.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/path_text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/process/replaced_file.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::command {
namespace {

// 0, or errno.
int read_own_program(std::string& program) {
  const int fd = ::open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  std::array<char, 65536> piece;
  int error = 0;
  for (;;) {
    const ssize_t count = ::read(fd, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) error = errno;
    if (count <= 0) break;
    program.append(piece.data(), static_cast<std::size_t>(count));
  }
  ::close(fd);
  return error;
}

std::string file_in(const std::string& path) {
  struct stat found{};
  const bool is_folder = path.ends_with("/") || (::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode));
  if (!is_folder) return path;
  return path + (path.ends_with("/") ? "rollcall" : "/rollcall");
}

int fail_to_copy(std::string_view what, const std::string& path, int error) {
  complain(fmt::format("copy: {} {}: {}", what, quoted_path(path), std::strerror(error)));
  return exit_failed;
}

}  // namespace

int run_copy(Arguments arguments) {
  constexpr mode_t executable = 0755;
  const std::string path = file_in(arguments.positionals.front());
  std::string program;
  if (const int error = read_own_program(program); error != 0) return fail_to_copy("cannot read", "/proc/self/exe", error);
  if (const int error = replace_regular_file(path, program, Durability::against_readers, FileMode::as_before); error != 0)
    return fail_to_copy("cannot write", path, error);
  if (::chmod(path.c_str(), executable) != 0) return fail_to_copy("cannot make executable:", path, errno);
  return exit_answered;
}

}  // namespace rollcall::command
