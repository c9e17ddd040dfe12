#include "command/process/replaced_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/terminal/console.hpp"

namespace rollcall::command {
namespace {

class OpenFolder {
 public:
  OpenFolder() = default;
  ~OpenFolder() { close(); }
  OpenFolder(const OpenFolder&) = delete;
  OpenFolder& operator=(const OpenFolder&) = delete;
  // 0, or errno.
  int open(const std::string& path) {
    close();
    fd_ = ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd_ < 0 ? errno : 0;
  }
  int fd() const { return fd_; }

 private:
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int fd_ = -1;
};

// The file that a path leads to: its folder, held open, and its name there, which is not a link.
class Place {
 public:
  // 0, or errno. A link that was made by another user than this process's, root or the folder's owner is not followed (EACCES), even if the
  // kernel would: in a shared folder such as /tmp it could lead to any file of this process's user.
  int find(std::string path) {
    constexpr int max_links = 40;  // as the kernel does
    for (int i = 0; i <= max_links; ++i) {
      const std::size_t slash = path.rfind('/');
      const std::string in = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
      name = slash == std::string::npos ? path : path.substr(slash + 1);
      if (name.empty() || name == "." || name == "..") return EISDIR;
      if (const int error = folder.open(in); error != 0) return error;
      is_there = ::fstatat(folder.fd(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
      if (!is_there) return errno == ENOENT ? 0 : errno;
      if (!S_ISLNK(status.st_mode)) return 0;
      has_link = true;
      std::string leads_to;
      if (const int error = read_link(leads_to); error != 0) return error;
      path = leads_to.starts_with('/') ? leads_to : in + "/" + leads_to;
    }
    return ELOOP;
  }

  OpenFolder folder;
  std::string name;
  bool is_there = false;
  bool has_link = false;  ///< the path leads through a link
  struct stat status{};

 private:
  // The link stays open, so that the link that was checked is the link that is read.
  int read_link(std::string& leads_to) const {
    const int link = ::openat(folder.fd(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (link < 0) return errno;
    struct stat own{};
    struct stat around{};
    char text[PATH_MAX];
    int error = ::fstat(link, &own) == 0 && ::fstat(folder.fd(), &around) == 0 ? 0 : errno;
    const bool may_follow = own.st_uid == ::geteuid() || own.st_uid == 0 || own.st_uid == around.st_uid;
    if (error == 0 && !may_follow) error = EACCES;
    const ssize_t length = error == 0 ? ::readlinkat(link, "", text, sizeof text) : 0;
    if (length < 0) error = errno;
    ::close(link);
    if (error == 0) leads_to.assign(text, static_cast<std::size_t>(length));
    return error;
  }
};

// The mode of the file that was there, without the set-id bits.
void set_mode_like(int fd, const Place& place) {
  constexpr mode_t modes = 0777;
  const struct stat& before = place.status;
  if (place.is_there) {
    const bool has_owner = ::fchown(fd, before.st_uid, before.st_gid) == 0 || ::fchown(fd, static_cast<uid_t>(-1), before.st_gid) == 0;
    static_cast<void>(has_owner);  // only root may change a file's owner
    ::fchmod(fd, before.st_mode & modes);
    return;
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd, 0666 & ~mask);
}

// A new file beside `name`, in the same folder. -1: errno has the reason.
int create_beside(const OpenFolder& folder, const std::string& name, std::string& beside) {
  for (int i = 0; i < 100; ++i) {
    std::array<unsigned char, 6> drawn{};
    if (::getrandom(drawn.data(), drawn.size(), 0) != static_cast<ssize_t>(drawn.size())) return -1;
    beside = fmt::format("{}.{:02x}", name, fmt::join(drawn, ""));
    const int fd = ::openat(folder.fd(), beside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

// Writes the new name to the disk. A file system that does not support this is no error.
void sync_folder(const OpenFolder& folder) {
  const int fd = ::openat(folder.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

int replace_regular_file(const std::string& path, std::string_view text, Durability durability, FileMode mode) {
  Place place;
  if (const int error = place.find(path); error != 0) return error;
  if (place.is_there && !S_ISREG(place.status.st_mode)) return S_ISDIR(place.status.st_mode) ? EISDIR : EINVAL;
  std::string beside;
  const int fd = create_beside(place.folder, place.name, beside);
  if (fd < 0) return errno;
  if (mode == FileMode::as_before) set_mode_like(fd, place);
  const bool must_sync = durability == Durability::against_crashes;
  int error = write_all(fd, text) ? 0 : errno;
  if (error == 0 && must_sync && ::fsync(fd) != 0) error = errno;
  const int closed = write_and_close(fd, {});
  if (error == 0) error = closed;
  if (error == 0 && ::renameat(place.folder.fd(), beside.c_str(), place.folder.fd(), place.name.c_str()) != 0) error = errno;
  if (error != 0) ::unlinkat(place.folder.fd(), beside.c_str(), 0);
  if (error == 0 && must_sync) sync_folder(place.folder);
  return error;
}

int open_to_write(const std::string& path) {
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  struct stat status{};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (!is_there && errno != ENOENT) return -1;
  if (is_there && !S_ISREG(status.st_mode)) return ::open(path.c_str(), flags | O_CLOEXEC, 0644);  // e.g. /dev/stdout
  Place place;
  errno = place.find(path);
  return errno == 0 ? ::openat(place.folder.fd(), place.name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC, 0644) : -1;
}

Result<void> check_replaceable(std::string_view option, const std::string& path) {
  const auto refuse_path = [&option, &path](std::string_view why) {
    return Failure(Errc::invalid_argument, fmt::format("{}: cannot write {}: {}", option, quoted_path(path), why));
  };
  struct stat status{};
  const bool is_there = ::stat(path.c_str(), &status) == 0;
  if (!is_there && errno != ENOENT) return refuse_path(std::strerror(errno));
  if (is_there && !S_ISREG(status.st_mode))
    return refuse_path("it is no regular file").with_hint("name a file that can be replaced in one step");
  Place place;
  if (const int error = place.find(path); error != 0) return refuse_path(std::strerror(error));
  if (place.is_there) return Result<void>();
  if (place.has_link) return refuse_path("it is a symbolic link that leads nowhere");
  if (::faccessat(place.folder.fd(), ".", W_OK | X_OK, 0) != 0) return refuse_path(std::strerror(errno));
  return Result<void>();
}

bool replace_named_file(std::string_view option, const std::string& path, std::string_view text) {
  const int error = replace_regular_file(path, text, Durability::against_crashes, FileMode::as_before);
  if (error != 0) complain(fmt::format("{}: cannot write {}: {}", option, quoted_path(path), std::strerror(error)));
  return error == 0;
}

}  // namespace rollcall::command
