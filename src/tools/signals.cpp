#include "tools/signals.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <asio/buffer.hpp>
#include <asio/read.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/text.hpp"

namespace rollcall::tools {
namespace {

volatile int signal_pipe = -1;

// Only what a handler may do. A pipe that is full loses a signal, as the kernel does with one that is pending already.
extern "C" void queue_signal(int number, siginfo_t* info, void*) {
  const int saved = errno;
  ArrivedSignal arrived;
  arrived.number = number;
  arrived.is_from_terminal = info && info->si_code == SI_KERNEL;
  if (signal_pipe >= 0) (void)!::write(signal_pipe, &arrived, sizeof arrived);
  errno = saved;
}

template <class Do>
void each_caught_signal(Do each) {
  for (const int number : {SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT, SIGPWR}) each(number);
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) each(number);
}

void set_disposition(int number, bool is_caught) {
  struct sigaction action{};
  action.sa_flags = SA_RESTART;
  if (is_caught) {
    action.sa_flags |= SA_SIGINFO;
    action.sa_sigaction = queue_signal;
  } else {
    action.sa_handler = SIG_DFL;
  }
  sigfillset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

}  // namespace

Result<int> parse_signal(std::string_view text) {
  const std::string_view name = text.starts_with("SIG") ? text.substr(3) : text;
  for (int number = 1; number < NSIG; ++number) {
    const char* const known = ::sigabbrev_np(number);
    if ((known && name == known) || parse_decimal<int>(text) == number) return number;
  }
  return Failure(Errc::invalid_argument, fmt::format("{} is no signal", quoted(text, 40))).with_hint("write it as TERM, USR1 or 15");
}

std::string signal_name(int number) {
  const char* const known = ::sigabbrev_np(number);
  return known ? known : std::to_string(number);
}

void unblock_signals() noexcept {
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

SignalQueue::SignalQueue(const asio::any_io_executor& executor) : pipe_(executor) {}

bool SignalQueue::open() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  pipe_.assign(ends[0]);
  signal_pipe = ends[1];
  each_caught_signal([](int number) {
    struct sigaction now{};
    const bool is_ignored = number == SIGHUP && ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
    if (!is_ignored) set_disposition(number, true);
  });
  return true;
}

SignalQueue::~SignalQueue() {
  if (signal_pipe < 0) return;
  each_caught_signal([](int number) { set_disposition(number, false); });
  ::close(std::exchange(const_cast<int&>(signal_pipe), -1));
}

void SignalQueue::listen(std::function<void(ArrivedSignal)> on_signal) {
  on_signal_ = std::move(on_signal);
  read_more();
}

void SignalQueue::read_more() {
  asio::async_read(pipe_, asio::buffer(&next_, sizeof next_), [this](const std::error_code& error, std::size_t) {
    if (error) return;
    on_signal_(next_);
    if (pipe_.is_open()) read_more();
  });
}

void SignalQueue::stop() {
  std::error_code ignored;
  pipe_.close(ignored);
}

}  // namespace rollcall::tools
