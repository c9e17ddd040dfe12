#include "command/terminal/console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "command/terminal/failure_text.hpp"
#include "command/terminal/reader_write.hpp"
#include "command/terminal/safe_text.hpp"
#include "json/json_text.hpp"

namespace rollcall::command {
namespace {

bool is_json_spoken = false;

// Every line that is shown is safe: foreign text in it was escaped.
void write_to_stderr(std::string_view text) noexcept { static_cast<void>(write_all(STDERR_FILENO, text)); }

}  // namespace

void prepare_descriptors() noexcept {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    // Opened with the opposite access mode: a write to a closed standard output still fails, and is noticed.
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
  }
  std::signal(SIGPIPE, SIG_IGN);
}

bool write_all(int fd, std::string_view text) noexcept { return write_to_reader(fd, text); }

bool try_write_result(std::string_view text) {
  if (is_plain_text(text)) return write_all(STDOUT_FILENO, text);
  return write_all(STDOUT_FILENO, safe_text(text, wants_colour(STDOUT_FILENO)));
}

namespace {

bool is_heard(bool is_written) {
  if (is_written) return true;
  if (errno == EINTR || errno == EAGAIN) return false;  // a signal ends this command
  end_unheard(errno);
  return false;
}

}  // namespace

bool write_result(std::string_view text) { return is_heard(try_write_result(text)); }

bool write_bytes(std::string_view bytes) { return is_heard(write_all(STDOUT_FILENO, bytes)); }

void end_unheard(int error) {
  if (error == EPIPE) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  complain(fmt::format("cannot write to standard output: {}", std::strerror(error)));
}

namespace {

std::string timed(std::string_view object) {
  const WallTime now = std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
  return fmt::format("{{\"time\":\"{}\",{}", format_rfc3339(now), object.substr(1));
}

}  // namespace

std::string message_line(std::string_view text) {
  if (!is_json_spoken) return fmt::format("rollcall: {}\n", printable_line(text));
  std::string object = R"({"event":"message")";
  append_json_field(object, "message", text);
  return timed(object + "}") + "\n";
}

void speak_json() noexcept { is_json_spoken = true; }

void complain(std::string_view text) {
  if (is_json_spoken) return write_to_stderr(message_line(text));
  const bool with_colour = wants_colour(STDERR_FILENO);
  write_to_stderr(fmt::format("{}rollcall:{} {}\n", with_colour ? error_style : "", with_colour ? plain_style : "", printable_line(text)));
}

void complain(const Failure& failure) {
  if (is_json_spoken || !is_terminal(STDERR_FILENO)) return complain(failure.message());
  const auto width = static_cast<std::size_t>(terminal_width(STDERR_FILENO));
  write_to_stderr(failure_text(failure, width - 1, wants_colour(STDERR_FILENO)));
}

void report_line(std::string_view line) { write_to_stderr(printable_line(line) + '\n'); }

void report_json(std::string_view object) { report_line(timed(object)); }

// Moves to the first of the shown lines and clears everything below.
void redraw_lines(std::size_t shown, const std::vector<std::string>& lines) {
  std::string text = shown == 0 ? std::string() : fmt::format("\x1b[{}A\r\x1b[J", shown);
  const bool with_colour = wants_colour(STDERR_FILENO);
  for (const std::string& line : lines) text += safe_text(line, with_colour) + '\n';
  if (!text.empty()) write_to_stderr(text);
}

void redraw_line(std::string_view line) { write_to_stderr("\r\x1b[K" + printable_line(line)); }

bool is_terminal(int fd) noexcept { return ::isatty(fd) == 1; }

bool wants_colour(int fd) noexcept {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour && *no_colour) return false;
  return is_redrawable(fd);
}

bool is_redrawable(int fd) noexcept {
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

}  // namespace rollcall::command
