#include "command/run/background.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "base/child_start.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"

namespace rollcall::tools {
namespace {

// Whoever reads our standard error to its end, as $(... 2>&1) does, must not have to wait for us.
bool is_read_by_somebody(int fd) {
  struct stat status{};
  return ::fstat(fd, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

void leave_terminal() {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  ::dup2(null, STDIN_FILENO);
  ::dup2(null, STDOUT_FILENO);
  if (is_read_by_somebody(STDERR_FILENO)) ::dup2(null, STDERR_FILENO);
  if (null > STDERR_FILENO) ::close(null);
}

std::string read_to_end(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

int fail(std::string_view what) {
  complain(fmt::format("cannot go into the background: {}: {}", what, std::strerror(errno)));
  return exit_failed;
}

}  // namespace

int run_in_background(const std::function<int(const std::function<bool(std::string_view)>& announce)>& serve) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail("pipe");
  const pid_t child = ::fork();
  if (child < 0) return fail("fork");
  if (child == 0) {
    ::close(ends[0]);
    ::setsid();
    forget_secrets();
    std::vector<int> inherited = descriptors_past_standard_error();
    std::erase(inherited, ends[1]);
    const auto announce = [&ends, &inherited](std::string_view text) {
      leave_terminal();
      // Somebody may wait for the end of a pipe, or for a lock. Until now a file could be named by such a descriptor.
      for (const int descriptor : inherited) ::close(descriptor);
      const bool is_heard = write_all(ends[1], text);
      ::close(ends[1]);
      return is_heard;
    };
    ::_exit(serve(announce));
  }
  ::close(ends[1]);
  const std::string text = read_to_end(ends[0]);
  ::close(ends[0]);
  if (!text.empty()) {
    if (try_write_result(text)) return exit_answered;
    // Nobody will ever learn where it listens, nor whom to stop.
    const int error = errno;
    ::kill(child, SIGTERM);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    end_unheard(error);
    return exit_failed;
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : exit_failed;
}

}  // namespace rollcall::tools
