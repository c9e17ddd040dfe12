#include "command/terminal/own_descriptor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rollcall::command {

int open_beside(int given, int access) noexcept {
  struct stat status{};
  if (::fstat(given, &status) != 0 || !(S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode))) return -1;
  const int flags = ::fcntl(given, F_GETFL);
  const int other = access == O_WRONLY ? O_RDONLY : O_WRONLY;
  if (flags < 0 || (flags & O_ACCMODE) == other) return -1;  // see prepare_descriptors()
  char path[32] = {};
  const auto end = fmt::format_to_n(path, sizeof path - 1, "/proc/self/fd/{}", given);
  *end.out = '\0';
  const int own = ::open(path, access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat opened{};
  if (own < 0 || (::fstat(own, &opened) == 0 && opened.st_dev == status.st_dev && opened.st_ino == status.st_ino)) return own;
  ::close(own);
  return -1;
}

}  // namespace rollcall::command
