// Measures how fast memory is copied, and how fast a disk is written to and read from, in a process of its own.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>

#include "preflight/host/wire/host_line.hpp"
#include "rollcall/check_host.hpp"

namespace rollcall {
namespace {

constexpr std::size_t copied_bytes = std::size_t{128} << 20;   // more than processors keep
constexpr std::size_t piece_bytes = std::size_t{4} << 20;
constexpr std::uint64_t max_written = std::uint64_t{1} << 30;
constexpr std::uint64_t min_free = 4 * max_written;
constexpr double longest = 1;  // seconds, of each measurement

double seconds_by(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

std::uint64_t rate(std::uint64_t bytes, double seconds) {
  return static_cast<std::uint64_t>(static_cast<double>(bytes) / std::max(seconds, 1e-9));
}

class Mapping {
 public:
  explicit Mapping(std::size_t bytes)
      : bytes_(bytes), at_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0)) {}
  ~Mapping() {
    if (at_ != MAP_FAILED) ::munmap(at_, bytes_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  char* data() const { return at_ == MAP_FAILED ? nullptr : static_cast<char*>(at_); }

 private:
  const std::size_t bytes_;
  void* const at_;
};

// The best copy counts, by this thread's own processor time: what else runs takes little from it.
SpeedLine measure_memory() {
  SpeedLine speed;
  const Mapping from(copied_bytes);
  const Mapping to(copied_bytes);
  if (!from.data() || !to.data()) {
    speed.error = std::strerror(ENOMEM);
    return speed;
  }
  std::memset(from.data(), 1, copied_bytes);
  const double until = seconds_by(CLOCK_MONOTONIC) + longest;
  do {
    const double begun = seconds_by(CLOCK_THREAD_CPUTIME_ID);
    std::memcpy(to.data(), from.data(), copied_bytes);
    asm volatile("" : : "r"(to.data()) : "memory");
    speed.copied = std::max(speed.copied, rate(copied_bytes, seconds_by(CLOCK_THREAD_CPUTIME_ID) - begun));
  } while (seconds_by(CLOCK_MONOTONIC) < until);
  return speed;
}

// A file without a name, past the cache: it is gone however this process ends.
int open_unnamed(const std::string& folder) {
  const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return unnamed;
  std::string path = folder + "/.rollcall-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named < 0) return named;
  ::unlink(path.c_str());
  // Only now: a file system that refuses it at the opening may have made the file.
  if (::fcntl(named, F_SETFL, O_DIRECT) == 0) return named;
  const int refused = errno;
  ::close(named);
  errno = refused;
  return -1;
}

// Data that no disk makes smaller.
void fill(char* data) {
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (std::size_t i = 0; i < piece_bytes; i += sizeof state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    std::memcpy(data + i, &state, sizeof state);
  }
}

class DiskMeasure {
 public:
  DiskMeasure(int file, char* data) : file_(file), data_(data) {}

  SpeedLine run() {
    SpeedLine speed;
    speed.written = move(max_written, [this](std::uint64_t at) { return ::pwrite(file_, data_, piece_bytes, static_cast<off_t>(at)); });
    const std::uint64_t written = moved_;
    if (error_ == 0 && ::fdatasync(file_) != 0) error_ = errno;
    if (error_ == 0)
      speed.read = move(written, [this](std::uint64_t at) { return ::pread(file_, data_, piece_bytes, static_cast<off_t>(at)); });
    if (error_ != 0) speed.error = std::strerror(error_);
    return speed;
  }

 private:
  template <class Piece>
  std::uint64_t move(std::uint64_t max, const Piece& piece) {
    const double begun = seconds_by(CLOCK_MONOTONIC);
    for (moved_ = 0; moved_ < max && seconds_by(CLOCK_MONOTONIC) < begun + longest;) {
      const ssize_t bytes = piece(moved_);
      if (bytes < 0 && errno == EINTR) continue;
      if (bytes != static_cast<ssize_t>(piece_bytes)) {
        error_ = bytes < 0 ? errno : ENOSPC;
        return 0;
      }
      moved_ += piece_bytes;
    }
    return rate(moved_, seconds_by(CLOCK_MONOTONIC) - begun);
  }

  const int file_;
  char* const data_;
  std::uint64_t moved_ = 0;
  int error_ = 0;
};

SpeedLine measure_disk(const std::string& folder) {
  SpeedLine speed;
  struct statvfs found{};
  if (::statvfs(folder.c_str(), &found) != 0) {
    speed.error = std::strerror(errno);
    return speed;
  }
  if (static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize < min_free) {
    speed.error = "it has less than 4 GiB free";
    return speed;
  }
  const int file = open_unnamed(folder);
  if (file < 0) {
    speed.error = errno == EINVAL ? "it cannot be written to past the cache" : std::strerror(errno);
    return speed;
  }
  const Mapping data(piece_bytes);
  if (data.data()) {
    fill(data.data());
    speed = DiskMeasure(file, data.data()).run();
  } else {
    speed.error = std::strerror(ENOMEM);
  }
  ::close(file);
  return speed;
}

}  // namespace

std::string host_speed_line(const std::string& folder) {
  return write_speed_line(folder.empty() ? measure_memory() : measure_disk(folder));
}

}  // namespace rollcall
