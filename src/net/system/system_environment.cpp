// The process's own environment and the real file system.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "rollcall/local_files.hpp"

namespace rollcall {
namespace {

class ProcessEnvironment : public Environment {
 public:
  // Most variables are looked up with each call, and are not set: this avoids an allocation.
  std::optional<std::string> get(std::string_view name) const override {
    char short_name[64];
    const char* value = nullptr;
    if (name.size() < sizeof short_name) {
      *std::copy(name.begin(), name.end(), short_name) = '\0';
      value = std::getenv(short_name);
    } else {
      value = std::getenv(std::string(name).c_str());
    }
    if (!value) return std::nullopt;
    return std::string(value);
  }
  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (char** one = environ; one && *one; ++one) {
      const std::string_view entry(*one);
      names.emplace_back(entry.substr(0, entry.find('=')));
    }
    return names;
  }
};

class WritableProcessEnvironment final : public ProcessEnvironment {
 public:
  Result<void> set(const std::string& name, const std::string& value) const override {
    if (::setenv(name.c_str(), value.c_str(), 1) == 0) return Result<void>();
    return Failure(Errc::failed_precondition, "could not set " + printable(name) + ": " + std::generic_category().message(errno));
  }
};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

Failure file_failure(const std::string& path, int error) {
  Errc code = Errc::invalid_argument;
  if (error == ENOENT || error == ENOTDIR) code = Errc::not_found;
  if (error == EACCES || error == EPERM) code = Errc::permission_denied;
  return Failure(code, fmt::format("cannot read {}: {}", quoted_path(path), std::generic_category().message(error)))
      .with_target(path_text(path));
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(path.c_str(), nullptr), ::free);
  return real ? real.get() : "";
}

// A container's secrets are readable for all in it, and the user cannot change their modes: in a mounted folder, or in a volume of
// Kubernetes, whose files are links into `..data` [facts: mounted-secrets].
bool is_mounted_secret(const std::string& path, const std::string& real) {
  return path.starts_with("/run/secrets/") || path.starts_with("/var/run/secrets/") || real.find("/..") != std::string::npos;
}

// The users that can write the object of `status`, besides its owner, this process's user and root. A group with the owner's number is the
// owner's.
std::string_view other_writers_of(const struct stat& status) {
  if ((status.st_mode & S_IWOTH) != 0) return "all users";
  const bool is_shared = (status.st_mode & S_IWGRP) != 0 && status.st_gid != status.st_uid;
  return is_shared ? "users of its group" : std::string_view();
}

bool is_owner_trusted(const struct stat& status) { return status.st_uid == 0 || status.st_uid == ::geteuid(); }

// Users who can write a folder can replace a file in it, unless its sticky bit restricts each to its own files.
std::string writers_of_folders(std::string folder) {
  for (std::size_t end = folder.rfind('/'); end != std::string::npos; end = folder.rfind('/')) {
    folder.resize(end);
    const std::string name = folder.empty() ? "/" : folder;
    struct stat status{};
    if (::stat(name.c_str(), &status) != 0) return {};
    if (!is_owner_trusted(status)) return fmt::format("the folder {} belongs to user {}", quoted(name, 200), status.st_uid);
    const std::string_view writers = (status.st_mode & S_ISVTX) != 0 ? std::string_view() : other_writers_of(status);
    if (!writers.empty()) return fmt::format("{} can write the folder {}", writers, quoted(name, 200));
  }
  return {};
}

std::string absolute_path(const std::string& path) {
  if (path.starts_with('/')) return path;
  const std::string here = real_path(".");
  return here.empty() ? here : here + "/" + path;
}

class FileSystem final : public LocalFiles {
 public:
  // The file, the folders above it, and those above the links that lead to it.
  std::string other_writers(const std::string& path) const override {
    struct stat status{};
    if (path.find('\0') != std::string::npos || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    if (!is_owner_trusted(status)) return fmt::format("it belongs to user {}", status.st_uid);
    const std::string_view writers = other_writers_of(status);
    if (!writers.empty()) return fmt::format("{} can write it", writers);
    std::string by_folder = writers_of_folders(real_path(path));
    return by_folder.empty() ? writers_of_folders(absolute_path(path)) : by_folder;
  }

  // The file, and all folders above it. A group with the number of the user is that user's own.
  std::optional<bool> is_open_to_others(const std::string& path) const override {
    struct stat status{};
    const bool is_ours = path.find('\0') == std::string::npos && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
                         status.st_uid == ::geteuid();
    std::string folder = is_ours ? real_path(path) : "";
    if (folder.empty() || is_mounted_secret(path, folder)) return std::nullopt;
    bool may_group = (status.st_mode & S_IRGRP) != 0 && status.st_gid != status.st_uid;
    bool may_all = (status.st_mode & S_IROTH) != 0;
    for (std::size_t end = folder.rfind('/'); end != std::string::npos && end > 0; end = folder.rfind('/')) {
      folder.resize(end);
      if (::stat(folder.c_str(), &status) != 0) return std::nullopt;
      const bool is_passable = (status.st_mode & S_IXOTH) != 0;
      may_all = may_all && is_passable;
      may_group = may_group && (is_passable || (status.st_mode & S_IXGRP) != 0);
    }
    return may_group || may_all;
  }

  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override {
    // The system would read another file's name, up to the zero.
    if (path.find('\0') != std::string::npos)
      return Failure(Errc::invalid_argument, "a path cannot have a zero byte in it").with_target(path_text(path));
    // O_NONBLOCK: opening a FIFO without a writer must not block.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return file_failure(path, errno);
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) return file_failure(path, errno);
    if (!S_ISREG(status.st_mode)) return Failure(Errc::invalid_argument, "not a regular file").with_target(path_text(path));
    // Read into the final buffer, which is large enough from the start except for files that grow, or do not report their size: no copy of
    // a possible secret stays in memory.
    std::string content;
    std::size_t size = 0;
    grow_and_wipe(content, 0,
                  static_cast<std::size_t>(std::max<off_t>(status.st_size, 0)) < max_bytes ? static_cast<std::size_t>(status.st_size) + 1
                                                                                           : max_bytes + 1);
    for (;;) {
      if (size == content.size()) grow_and_wipe(content, size, std::min(2 * size + 4096, max_bytes + 1));
      const ssize_t n = ::read(file.get(), content.data() + size, content.size() - size);
      if (n < 0 && errno == EINTR) continue;
      if (n > 0) size += static_cast<std::size_t>(n);
      if (n > 0 && size <= max_bytes) continue;
      const int error = errno;
      if (n != 0) wipe(content.data(), content.size());
      if (n < 0) return file_failure(path, error);
      if (n == 0) {
        content.resize(size);
        return content;
      }
      return Failure(Errc::limit_exceeded, "the file is larger than " + std::to_string(max_bytes) + " bytes").with_target(path_text(path));
    }
  }
};

}  // namespace

std::shared_ptr<const Environment> process_environment() { return std::make_shared<ProcessEnvironment>(); }
std::shared_ptr<const Environment> writable_process_environment() { return std::make_shared<WritableProcessEnvironment>(); }
std::shared_ptr<const Files> file_system() { return std::make_shared<FileSystem>(); }

}  // namespace rollcall
