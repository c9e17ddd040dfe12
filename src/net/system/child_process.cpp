#include "net/system/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <cerrno>
#include <csignal>
#include <system_error>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "programs/child_ends.hpp"
#include "programs/child_groups.hpp"
#include "programs/child_start.hpp"
#include "programs/find_program.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_errors = 4096;  // of the beginning, and as many of the end

Failure start_failure(const std::string& name, int error) {
  Errc code = Errc::failed_precondition;
  if (error == ENOENT || error == ENOTDIR) code = Errc::not_found;
  if (error == EACCES || error == EPERM || error == EISDIR) code = Errc::permission_denied;
  const std::string why = code == Errc::not_found ? "there is no such program" : std::generic_category().message(error);
  return Failure(code, fmt::format("cannot run {}: {}", quoted_path(name), why)).with_target(path_text(name));
}

// Descriptors 0 to 2 may be free in this process, but are the child's standard ones.
int past_standard_error(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(descriptor);
  return moved;
}

// The program's end of a pipe; `ours` takes the other end.
class PipeEnd {
 public:
  PipeEnd() = default;
  ~PipeEnd() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  PipeEnd(const PipeEnd&) = delete;
  PipeEnd& operator=(const PipeEnd&) = delete;

  // 0, or errno.
  int open(asio::posix::stream_descriptor& ours) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return errno;
    const int reader = past_standard_error(ends[0]);
    descriptor_ = past_standard_error(ends[1]);
    if (reader < 0) return EMFILE;
    std::error_code error;
    ours.assign(reader, error);
    if (error) {
      ::close(reader);
      return error.value();
    }
    if (descriptor_ < 0) return EMFILE;
    ours.native_non_blocking(true, error);
    return error.value();
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// A result of read(): no more data. `is_last`: the program itself has ended.
bool is_at_end(ssize_t result, bool is_last) noexcept {
  if (result > 0 || (result < 0 && errno == EINTR)) return false;
  return is_last || result == 0 || errno != EAGAIN;
}

Result<void> check_request(const ProgramRequest& request) {
  const auto refuse = [&request](std::string_view what) {
    const std::string name = request.words.empty() ? std::string() : quoted_path(request.words.front()) + ": ";
    return Failure(Errc::invalid_argument, fmt::format("cannot run {}{}", name, what));
  };
  if (request.words.empty() || request.words.front().empty()) return refuse("no program is named");
  const auto has_zero = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (std::any_of(request.words.begin(), request.words.end(), has_zero)) return refuse("a word of it has a zero byte");
  for (const auto& [name, value] : request.variables) {
    if (name.empty() || name.find('=') != std::string::npos || has_zero(name) || has_zero(value))
      return refuse(fmt::format("the environment variable {} cannot be set", quoted(name, 80)));
  }
  return {};
}

std::vector<std::string> environment_for(const ProgramRequest& request) {
  const std::vector<std::string>& removed = request.removed_variables;
  return environment_with(request.variables,
                          [&removed](std::string_view name) { return std::find(removed.begin(), removed.end(), name) != removed.end(); });
}

}  // namespace

Result<std::shared_ptr<ChildProcess>> ChildProcess::start(const asio::any_io_executor& executor, const ProgramRequest& request,
                                                          bool watches_end) {
  if (const Result<void> fine = check_request(request); !fine) return fine.error();
  const std::string& name = request.words.front();
  std::string path;
  if (const int error = find_program(name, PathFolders::absolute, path); error != 0) return start_failure(name, error);
  auto child = std::make_shared<ChildProcess>(executor);
  child->name_ = name;
  child->on_errors_ = request.on_errors;
  PipeEnd output;
  PipeEnd errors;
  int error = output.open(child->output_);
  if (error == 0 && !request.shows_errors) error = errors.open(child->errors_);
  if (error != 0) return start_failure(name, error);
  ChildPlan plan;
  if (!request.is_interactive) {
    plan.lead_group();
    plan.give_no_input();
  }
  plan.redirect(STDOUT_FILENO, output.descriptor());
  if (!request.shows_errors) plan.redirect(STDERR_FILENO, errors.descriptor());
  error = plan.spawn(path, request.words, environment_for(request), child->child_);
  if (error != 0) {
    child->child_ = -1;
    return start_failure(name, error);
  }
  child->leads_group_ = !request.is_interactive;
  if (child->leads_group_) note_child_group(child->child_);
  expect_child_end(child->child_);
  const int end = watches_end ? static_cast<int>(::syscall(SYS_pidfd_open, child->child_, 0)) : -1;  // close-on-exec by default
  std::error_code ignored;
  if (end >= 0) child->end_.assign(end, ignored);
  if (end >= 0 && ignored) ::close(end);
  return child;
}

ChildProcess::~ChildProcess() {
  wipe(output_text_.data(), output_text_.size());
  if (child_ <= 0) return;
  signal(SIGKILL);
  // It ends in a moment, unless the system holds it: then no code waits for it.
  for (int waited = 0; waited < 100 && !has_ended(); ++waited) ::poll(nullptr, 0, 10);
  int ignored = 0;
  reap(ignored);
}

bool ChildProcess::has_ended() noexcept {
  siginfo_t info{};
  const int result = ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT);
  has_ended_ = has_ended_ || (result == 0 ? info.si_pid == child_ : errno == ECHILD);
  return has_ended_;
}

bool ChildProcess::reap(int& wait_status) noexcept {
  const pid_t child = std::exchange(child_, -1);
  forget_child_group(child);
  const std::optional<int> noted = noted_child_end(child);
  forget_child(child);
  if (noted) wait_status = *noted;
  return noted || ::waitpid(child, &wait_status, WNOHANG) == child;
}

void ChildProcess::signal(int number) noexcept {
  siginfo_t info{};
  // Running or ended, it keeps its process id until it is reaped.
  const bool is_ours = child_ > 0 && ::waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
  if (is_ours) ::kill(leads_group_ ? -child_ : child_, number);
}

asio::awaitable<Result<void>> ChildProcess::await_end() {
  constexpr auto pace = std::chrono::milliseconds(10);
  asio::steady_timer timer(end_.get_executor());
  std::error_code error;
  while (!has_ended()) {
    if (end_.is_open()) {
      co_await end_.async_wait(asio::posix::descriptor_base::wait_read, asio::redirect_error(asio::use_awaitable, error));
    } else {
      timer.expires_after(pace);
      co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
  }
  output_.cancel(error);
  if (errors_.is_open()) errors_.cancel(error);
  co_return Result<void>();
}

asio::awaitable<Result<void>> ChildProcess::read_output(std::size_t max_bytes) {
  constexpr std::size_t first_room = 4096;
  std::error_code error;
  for (;;) {
    if (output_size_ == output_text_.size())
      grow_and_wipe(output_text_, output_size_, std::min(std::max(2 * output_size_, first_room), max_bytes + 1));
    const bool is_last = has_ended_;  // all of its output is in the pipe
    const ssize_t n = ::read(output_.native_handle(), output_text_.data() + output_size_, output_text_.size() - output_size_);
    if (is_at_end(n, is_last)) co_return Result<void>();
    if (n > 0) output_size_ += static_cast<std::size_t>(n);
    if (output_size_ > max_bytes)
      co_return Failure(Errc::limit_exceeded, fmt::format("{} prints more than {} bytes", quoted_path(name_), max_bytes));
    if (!is_last) co_await output_.async_wait(asio::posix::descriptor_base::wait_read, asio::redirect_error(asio::use_awaitable, error));
  }
}

asio::awaitable<Result<void>> ChildProcess::read_errors() {
  int pieces_left = 16;  // as much as a pipe holds: child processes of the program may continue to write
  char piece[max_errors];
  std::error_code error;
  for (;;) {
    const bool is_last = has_ended_;
    const ssize_t n = ::read(errors_.native_handle(), piece, sizeof piece);
    if (is_at_end(n, is_last) || (is_last && --pieces_left < 0)) co_return Result<void>();
    if (n > 0) errors_text_.append(piece, static_cast<std::size_t>(n));
    if (errors_text_.size() > 2 * max_errors) {
      errors_text_.erase(max_errors, errors_text_.size() - 2 * max_errors);
      has_gap_ = true;
    }
    if (n > 0 && on_errors_) on_errors_(errors());
    if (!is_last) co_await errors_.async_wait(asio::posix::descriptor_base::wait_read, asio::redirect_error(asio::use_awaitable, error));
  }
}

// Without the parts of lines on both sides of the gap: half a secret is not recognized.
std::string ChildProcess::errors() const {
  if (!has_gap_) return errors_text_;
  const std::string_view head = std::string_view(errors_text_).substr(0, max_errors);
  const std::string_view tail = std::string_view(errors_text_).substr(max_errors);
  const std::size_t end = head.rfind('\n');
  const std::size_t begin = tail.find('\n');
  std::string text(head.substr(0, end == std::string_view::npos ? 0 : end + 1));
  if (begin != std::string_view::npos) text += tail.substr(begin + 1);
  return text;
}

Result<ProgramOutput> ChildProcess::finish() {
  ProgramOutput output;
  output_text_.resize(output_size_);
  output.output = Secret<std::string>(std::move(output_text_));
  output.errors = errors();
  int status = 0;
  if (!reap(status)) {
    return Failure(Errc::failed_precondition,
                   fmt::format("how {} ended is not known: another part of this process reaps all children", quoted_path(name_)))
        .with_hint("SIGCHLD must not be ignored, and wait() not be called for children of others");
  }
  if (WIFEXITED(status)) output.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) output.signal = WTERMSIG(status);
  return output;
}

}  // namespace rollcall
