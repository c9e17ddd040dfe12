#include "command/process/stage_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <functional>
#include <optional>

#include "command/terminal/console.hpp"
#include "rollcall/whoami.hpp"

namespace rollcall::command {
namespace {

constexpr std::string_view shared_folder = "/tmp";

class StageDescriptor {
 public:
  explicit StageDescriptor(int fd) noexcept : fd_(fd) {}
  ~StageDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  StageDescriptor(const StageDescriptor&) = delete;
  StageDescriptor& operator=(const StageDescriptor&) = delete;
  int fd() const noexcept { return fd_; }

 private:
  int fd_;
};

// Since the machine was started, asleep or not: the same for all processes.
std::int64_t machine_milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// A folder of this user that no other may enter. Its parent may be another's: what a link there leads to is not entered.
Result<void> check_private_folder(const std::string& path) {
  const StageDescriptor folder(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status{};
  if (folder.fd() < 0 || ::fstat(folder.fd(), &status) != 0)
    return Failure(Errc::failed_precondition, fmt::format("{} is no folder that can be used: {}", path, std::strerror(errno)));
  if (status.st_uid == ::geteuid() && (status.st_mode & 0077) == 0) return {};
  return Failure(Errc::failed_precondition, fmt::format("{} is not a folder of this user alone", path))
      .with_hint("remove it, or set XDG_RUNTIME_DIR to a folder with mode 700");
}

Result<std::string> make_stage_folder(const Environment& environment) {
  const std::string runtime = environment.get("XDG_RUNTIME_DIR").value_or(std::string());
  const bool has_runtime = runtime.starts_with('/') && check_private_folder(runtime);
  std::string folder = has_runtime ? runtime + "/rollcall" : fmt::format("{}/rollcall-{}", shared_folder, ::geteuid());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return Failure(Errc::failed_precondition, fmt::format("{} cannot be made: {}", folder, std::strerror(errno)));
  const Result<void> is_own = check_private_folder(folder);
  if (!is_own) return is_own.error();
  return folder;
}

std::string text_of_link(const char* path) {
  char text[PATH_MAX];
  const ssize_t size = ::readlink(path, text, sizeof text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

std::string boot_id() {
  char text[64];
  const StageDescriptor file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
  const ssize_t size = file.fd() < 0 ? 0 : ::read(file.fd(), text, sizeof text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

// One session of processes with one rank, on one machine since its start.
std::string name_of_stage_log(const Environment& environment) {
  std::string all = boot_id() + text_of_link("/proc/self/ns/pid");
  for (const Testimony& testimony : hear_witnesses(environment)) all += "\n" + testimony.evidence;
  return fmt::format("stages-{}-{:016x}", ::getsid(0), std::hash<std::string>()(all));
}

Failure unwritten(const std::string& path) {
  return Failure(Errc::unavailable, fmt::format("the stage cannot be written to {}: {}", path, std::strerror(errno)));
}

// A regular file of this user, or nothing.
int open_stage_log(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (fd < 0) return fd;
  struct stat status{};
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid()) return fd;
  ::close(fd);
  errno = EPERM;
  return -1;
}

}  // namespace

Result<StageFile> StageFile::open(const Environment& environment) {
  Result<std::string> folder = make_stage_folder(environment);
  if (!folder) return folder.error();
  return StageFile(*folder + "/" + name_of_stage_log(environment));
}

Result<void> StageFile::begin(std::string_view name, bool has_program) { return append(has_program ? '+' : '*', name, 0); }

Result<void> StageFile::end(std::string_view name, int exit_status) { return append('-', name, exit_status); }

Result<void> StageFile::append(char what, std::string_view name, int exit_status) {
  const StageDescriptor file(open_stage_log(path_, O_WRONLY | O_APPEND | O_CREAT));
  if (file.fd() < 0) return unwritten(path_);
  struct stat status{};
  const bool is_full = ::fstat(file.fd(), &status) == 0 && static_cast<std::size_t>(status.st_size) > max_bytes;
  if (is_full && ::ftruncate(file.fd(), 0) != 0) return unwritten(path_);
  const std::string line = stage_line(what, machine_milliseconds(), ::getpid(), exit_status, name);
  if (!write_all(file.fd(), line)) return unwritten(path_);
  return {};
}

std::vector<StageSpan> StageFile::read() const {
  const StageDescriptor file(open_stage_log(path_, O_RDONLY));
  if (file.fd() < 0) return {};
  std::string text(max_bytes + 256, '\0');
  std::size_t size = 0;
  for (;;) {
    const ssize_t count = ::read(file.fd(), text.data() + size, text.size() - size);
    if (count <= 0) break;
    size += static_cast<std::size_t>(count);
  }
  return read_stage_log(std::string_view(text).substr(0, size), machine_milliseconds());
}

void StageFile::remove() noexcept { ::unlink(path_.c_str()); }

}  // namespace rollcall::command
