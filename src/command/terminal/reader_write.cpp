#include "command/terminal/reader_write.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>

#include "command/terminal/console.hpp"
#include "command/terminal/own_descriptor.hpp"

namespace rollcall::command {
namespace {

int interrupt = -1;
bool is_waiting_welcome = true;
std::size_t unsent_lines = 0;   // of standard error
bool is_line_cut = false;       // the last line that was written to standard error

// A pipe or terminal whose writes do not block.
class Outlet {
 public:
  explicit Outlet(int given) noexcept : given_(given) {
    struct stat status{};
    if (::fstat(given, &status) != 0) return;
    is_socket_ = S_ISSOCK(status.st_mode);
    is_patient_ = S_ISREG(status.st_mode) || S_ISBLK(status.st_mode);
    own_ = open_beside(given, O_WRONLY);
  }
  ~Outlet() {
    if (own_ >= 0) ::close(own_);
  }
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;

  // -1, EAGAIN: the write would block.
  ssize_t write(std::string_view text) const noexcept {
    if (own_ >= 0) return ::write(own_, text.data(), text.size());
    if (is_socket_) return ::send(given_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (is_patient_) return ::write(given_, text.data(), text.size());
    // A pipe that poll() calls writable has room for this much.
    if (!takes_more(given_)) {
      errno = EAGAIN;
      return -1;
    }
    return ::write(given_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
  }

 private:
  int given_;
  int own_ = -1;
  bool is_socket_ = false;
  bool is_patient_ = false;  // writes to files never wait for a reader
};

// Waits until the reader reads; false: stop waiting.
bool wait_for_reader(int fd) noexcept {
  if (!is_waiting_welcome) {
    errno = EAGAIN;
    return false;
  }
  pollfd wait[] = {{fd, POLLOUT, 0}, {interrupt, POLLIN, 0}};  // poll() ignores -1
  const int ready = ::poll(wait, 2, -1);
  if (ready < 0) return errno == EINTR;  // a signal that is not handled here; or else the pipe reports it next time
  if (wait[1].revents == 0) return true;
  errno = EINTR;
  return false;
}

// How much of `text` is written.
std::size_t write_some(int fd, std::string_view text) noexcept {
  const Outlet outlet(fd);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = outlet.write(text.substr(written));
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN) {
      if (!wait_for_reader(fd)) break;
    } else if (errno != EINTR) {
      break;
    }
  }
  return written;
}

// Drops whole lines where possible: a pipe accepts a short text completely or not at all.
bool write_standard_error(std::string_view text) noexcept {
  if (unsent_lines > 0) {
    const std::string note =
        (is_line_cut ? "\n" : "") + message_line(fmt::format("{} {} left out: the reader did not read them", unsent_lines,
                                                             unsent_lines == 1 ? "line was" : "lines were"));
    if (write_some(STDERR_FILENO, note) == note.size()) {
      unsent_lines = 0;
      is_line_cut = false;
    }
  }
  const std::size_t written = unsent_lines > 0 ? 0 : write_some(STDERR_FILENO, text);
  if (written == text.size()) return true;
  const int error = errno;
  const std::string_view lost = text.substr(written);
  unsent_lines += static_cast<std::size_t>(std::count(lost.begin(), lost.end(), '\n'));
  is_line_cut = is_line_cut || (written > 0 && text[written - 1] != '\n');
  errno = error;
  return false;
}

}  // namespace

bool write_to_reader(int fd, std::string_view text) noexcept {
  return fd == STDERR_FILENO ? write_standard_error(text) : write_some(fd, text) == text.size();
}

bool takes_more(int fd) noexcept {
  pollfd wait{fd, POLLOUT, 0};
  return ::poll(&wait, 1, 0) != 0;
}

void interrupt_writes_by(int fd) noexcept { interrupt = fd; }

void stop_waiting_for_readers() noexcept { is_waiting_welcome = false; }

void report_dropped_lines() noexcept { static_cast<void>(write_standard_error({})); }

}  // namespace rollcall::command
