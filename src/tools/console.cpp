#include "tools/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace rollcall::tools {

void prepare_descriptors() noexcept {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    // Opened the wrong way round: what is written to a closed standard output still fails, and is noticed.
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
  std::signal(SIGPIPE, SIG_IGN);
}

bool write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t count = ::write(fd, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd wait{fd, POLLOUT, 0};  // somebody made the terminal or pipe non-blocking
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

bool write_result(std::string_view text) noexcept {
  if (write_all(STDOUT_FILENO, text)) return true;
  end_unheard(errno);
  return false;
}

void end_unheard(int error) noexcept {
  if (error == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  complain(fmt::format("cannot write to standard output: {}", std::strerror(error)));
}

void complain(std::string_view text) {
  const bool with_colour = wants_colour(STDERR_FILENO);
  report(fmt::format("{}rollcall:{} {}\n", with_colour ? "\x1b[1;31m" : "", with_colour ? "\x1b[0m" : "", text));
}

void report(std::string_view text) noexcept { static_cast<void>(write_all(STDERR_FILENO, text)); }

bool is_terminal(int fd) noexcept { return ::isatty(fd) == 1; }

bool wants_colour(int fd) noexcept {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour && *no_colour) return false;
  const char* kind = std::getenv("TERM");
  return is_terminal(fd) && kind && *kind && std::strcmp(kind, "dumb") != 0;
}

int terminal_width(int fd) noexcept {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int terminal_height(int fd) noexcept {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

}  // namespace rollcall::tools
