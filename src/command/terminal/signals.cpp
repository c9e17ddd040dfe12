#include "command/terminal/signals.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "command/terminal/reader_write.hpp"
#include "programs/child_groups.hpp"

namespace rollcall::command {
namespace {

// The handler counts, and wakes the reader of the pipe. A full pipe loses no signal: its reader is awake already.
constexpr int max_numbers = NSIG;
std::atomic<int> arrived_by_terminal[max_numbers];
std::atomic<int> arrived_otherwise[max_numbers];
std::atomic<int> signal_pipe = -1;
static_assert(std::atomic<int>::is_always_lock_free);  // async-signal-safe functions only

extern "C" void count_signal(int number, siginfo_t* info, void*) {
  const int saved = errno;
  const bool is_from_terminal = info && info->si_code == SI_KERNEL;
  (is_from_terminal ? arrived_by_terminal : arrived_otherwise)[number].fetch_add(1);
  const int pipe = signal_pipe.load();
  if (pipe >= 0) (void)!::write(pipe, "", 1);
  errno = saved;
}

// Handles the signal that does not wait: started programs end together with this process.
extern "C" void end_at_once(int number) {
  kill_child_groups();
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  ::sigaction(number, &usual, nullptr);
  ::raise(number);  // the signal is blocked until this returns
}

constexpr int passed_on[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGTERM, SIGCHLD, SIGCONT, SIGWINCH, SIGPWR};

constexpr int ends_us[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

bool is_ignored(int number) {
  struct sigaction now{};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

void set_handler(int number, void (*handler)(int)) {
  struct sigaction action{};
  action.sa_flags = SA_RESTART;
  action.sa_handler = handler;
  ::sigaction(number, &action, nullptr);
}

void set_disposition(int number, bool is_caught) {
  struct sigaction action{};
  action.sa_flags = SA_RESTART;
  if (is_caught) {
    action.sa_flags |= SA_SIGINFO;
    action.sa_sigaction = count_signal;
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

std::vector<int> all_signals() {
  std::vector<int> numbers(std::begin(passed_on), std::end(passed_on));
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) numbers.push_back(number);
  return numbers;
}

SignalQueue::SignalQueue(const asio::any_io_executor& executor, std::vector<int> numbers) : pipe_(executor), numbers_(std::move(numbers)) {}

bool SignalQueue::open() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return false;
  pipe_.assign(ends[0]);
  interrupt_writes_by(ends[0]);
  signal_pipe = ends[1];
  for (const int number : numbers_) {
    arrived_by_terminal[number] = 0;
    arrived_otherwise[number] = 0;
    if (number != SIGHUP || !is_ignored(number)) set_disposition(number, true);
  }
  return true;
}

void SignalQueue::listen(std::function<void(ArrivedSignal)> on_signal) {
  on_signal_ = std::move(on_signal);
  read_more();
}

void SignalQueue::read_more() {
  pipe_.async_read_some(asio::buffer(wakings_), [this](const std::error_code& error, std::size_t) {
    if (error) return;
    report_arrived();
    if (pipe_.is_open()) read_more();
  });
}

// For real-time signals each one counts; for others, several unhandled ones are one.
void SignalQueue::report_arrived() {
  for (const int number : numbers_) {
    for (const bool is_from_terminal : {true, false}) {
      const int count = (is_from_terminal ? arrived_by_terminal : arrived_otherwise)[number].exchange(0);
      const int times = number >= SIGRTMIN ? count : std::min(count, 1);
      for (int i = 0; i < times && pipe_.is_open(); ++i) on_signal_(ArrivedSignal(number, is_from_terminal));
    }
  }
}

bool SignalQueue::stop() {
  if (!pipe_.is_open()) return false;
  for (const int number : numbers_) {
    if (number != SIGHUP || !is_ignored(number)) set_disposition(number, false);
  }
  interrupt_writes_by(-1);
  ::close(signal_pipe.exchange(-1));
  std::error_code ignored;
  pipe_.close(ignored);
  return std::any_of(numbers_.begin(), numbers_.end(),
                     [](int number) { return arrived_by_terminal[number] > 0 || arrived_otherwise[number] > 0; });
}

EndSignals::EndSignals(const asio::any_io_executor& executor) : signals_(executor, {std::begin(ends_us), std::end(ends_us)}) {}

void EndSignals::listen(std::function<void()> on_signal) {
  is_listening_ = signals_.open();
  if (!is_listening_) return;  // no descriptor is left: signals end this process as by default
  signals_.listen([this, reported = std::move(on_signal)](ArrivedSignal) {
    stop();
    stop_waiting_for_readers();
    reported();
  });
}

bool EndSignals::stop() {
  const bool has_come = signals_.stop();
  if (std::exchange(is_listening_, false)) {
    for (const int number : ends_us) {
      if (!is_ignored(number)) set_handler(number, end_at_once);
    }
  }
  if (has_come) stop_waiting_for_readers();
  return has_come;
}

}  // namespace rollcall::command
