// The process's own environment and the real file system.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/text.hpp"
#include "rollcall/surroundings.hpp"

namespace rollcall {
namespace {

class ProcessEnvironment : public Environment {
 public:
  std::optional<std::string> get(std::string_view name) const override {
    const char* value = std::getenv(std::string(name).c_str());
    if (!value) return std::nullopt;
    return std::string(value);
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
  return Failure(code, "cannot read the file: " + std::generic_category().message(error)).with_target(printable(path));
}

class FileSystem final : public Files {
 public:
  Result<std::string> read(const std::string& path, std::size_t max_bytes) const override {
    // O_NONBLOCK: opening a FIFO that nobody writes to must not hang.
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return file_failure(path, errno);
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) return file_failure(path, errno);
    if (!S_ISREG(status.st_mode)) return Failure(Errc::invalid_argument, "not a regular file").with_target(printable(path));
    std::string content;
    char buffer[16384];
    for (;;) {
      const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return file_failure(path, errno);
      if (n == 0) return content;
      if (content.size() + static_cast<std::size_t>(n) > max_bytes) {
        return Failure(Errc::limit_exceeded, "the file is larger than " + std::to_string(max_bytes) + " bytes")
            .with_target(printable(path));
      }
      content.append(buffer, static_cast<std::size_t>(n));
    }
  }
};

}  // namespace

std::shared_ptr<const Environment> process_environment() { return std::make_shared<ProcessEnvironment>(); }
std::shared_ptr<const Environment> writable_process_environment() { return std::make_shared<WritableProcessEnvironment>(); }
std::shared_ptr<const Files> file_system() { return std::make_shared<FileSystem>(); }

}  // namespace rollcall
