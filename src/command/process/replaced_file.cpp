#include "command/process/replaced_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/terminal/console.hpp"

namespace rollcall::tools {
namespace {

// Where a symbolic link leads, so that it stays one.
std::string real_path(const std::string& path) {
  char* const found = ::realpath(path.c_str(), nullptr);
  std::string real = found ? found : path;
  ::free(found);
  return real;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void set_mode_like(int fd, const std::string& path) {
  struct stat before{};
  if (::stat(path.c_str(), &before) == 0) {
    const bool has_owner = ::fchown(fd, before.st_uid, before.st_gid) == 0 || ::fchown(fd, static_cast<uid_t>(-1), before.st_gid) == 0;
    static_cast<void>(has_owner);  // only root may give files away
    ::fchmod(fd, before.st_mode & 07777);
    return;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd, 0666 & ~mask);
}

// The new name is on the disk as well. A file system that cannot do that has done what it can.
void sync_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

int write_and_close(int fd, std::string_view text) {
  int error = write_all(fd, text) ? 0 : errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  return error;
}

int replace_regular_file(const std::string& path, std::string_view text, Durability durability) {
  const std::string real = real_path(path);
  std::string beside = real + ".XXXXXX";
  const int fd = ::mkostemp(beside.data(), O_CLOEXEC);
  if (fd < 0) return errno;
  set_mode_like(fd, real);
  const bool must_sync = durability == Durability::against_crashes;
  int error = write_all(fd, text) ? 0 : errno;
  if (error == 0 && must_sync && ::fsync(fd) != 0) error = errno;
  const int closed = write_and_close(fd, {});
  if (error == 0) error = closed;
  if (error == 0 && ::rename(beside.c_str(), real.c_str()) != 0) error = errno;
  if (error != 0) ::unlink(beside.c_str());
  if (error == 0 && must_sync) sync_folder(folder_of(real));
  return error;
}

Result<void> check_replaceable(std::string_view option, const std::string& path) {
  const auto refuse_path = [&option, &path](std::string_view why) {
    return Failure(Errc::invalid_argument, fmt::format("{}: cannot write {}: {}", option, quoted_path(path), why));
  };
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISREG(status.st_mode)) return Result<void>();
    return refuse_path("it is no regular file").with_hint("name a file that can be replaced in one step");
  }
  if (errno != ENOENT) return refuse_path(std::strerror(errno));
  if (path.ends_with('/')) return refuse_path(std::strerror(EISDIR));
  if (::lstat(path.c_str(), &status) == 0) return refuse_path("it is a symbolic link that leads nowhere");
  if (::access(folder_of(path).c_str(), W_OK | X_OK) != 0) return refuse_path(std::strerror(errno));
  return Result<void>();
}

bool replace_named_file(std::string_view option, const std::string& path, std::string_view text) {
  const int error = replace_regular_file(path, text, Durability::against_crashes);
  if (error != 0) complain(fmt::format("{}: cannot write {}: {}", option, quoted_path(path), std::strerror(error)));
  return error == 0;
}

}  // namespace rollcall::tools
