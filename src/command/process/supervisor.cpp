#include "command/process/supervisor.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/duration.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/reader_write.hpp"
#include "programs/child_ends.hpp"

namespace rollcall::command {
namespace {

constexpr Duration time_to_die = std::chrono::minutes(1);          // for a killed process that hangs in the kernel
constexpr Duration between_polls = std::chrono::milliseconds(20);  // for the remaining processes

SteadyTime clock_now() { return std::chrono::steady_clock::now(); }

bool asks_to_end(const ArrivedSignal& signal) {
  return signal.number == SIGTERM || signal.number == SIGINT || signal.number == SIGQUIT ||
         (signal.number == SIGHUP && signal.is_from_terminal);
}

}  // namespace

Announcements::Announcements(const asio::any_io_executor& executor, std::function<void(const std::string& why)> report)
    : report_(std::move(report)), lanes_{Lane(executor), Lane(executor), Lane(executor), Lane(executor), Lane(executor)} {}

void Announcements::add(NewsKind kind, const std::string& why) {
  Lane& lane = lanes_[static_cast<std::size_t>(kind)];
  if (!lane.is_paused) return report_and_pause(lane, why);
  lane.last = why;
  ++lane.waiting;
}

void Announcements::report_and_pause(Lane& lane, const std::string& why) {
  report_(why);
  lane.is_paused = true;
  lane.pause.expires_after(std::chrono::seconds(1));
  lane.pause.async_wait([this, &lane](const std::error_code& error) {
    if (error) return;
    lane.is_paused = false;
    const std::size_t count = std::exchange(lane.waiting, 0);
    if (count == 0) return;
    report_and_pause(lane, count == 1 ? lane.last : fmt::format("{} (the last of {} announcements)", lane.last, count));
  });
}

Supervisor::Supervisor(asio::io_context& io, int on_notice)
    : io_(io), on_notice_(on_notice), signals_(io.get_executor(), all_signals()),
      announcements_(io.get_executor(), [this](const std::string& why) { notify_program(why); }), patience_(io) {}

bool Supervisor::open(std::function<void()> on_interrupt) {
  on_interrupt_ = std::move(on_interrupt);
  if (!signals_.open()) {
    complain(fmt::format("no pipe for signals: {}", std::strerror(errno)));
    return false;
  }
  signals_.listen([this](ArrivedSignal signal) { take(signal); });
  return true;
}

bool Supervisor::hold_offspring() {
  const Result<void> adopted = adopt_orphans();
  if (!adopted) complain(adopted.error().message());
  holds_offspring_ = adopted.has_value();
  return holds_offspring_;
}

int Supervisor::start(Program& program) {
  name_ = printable(program.words.front(), 80);
  stop_waiting_for_readers();  // a blocked write would delay the program's end and this command's signals
  if (holds_offspring_) {
    const std::vector<ProcessId> there = find_descendants({});
    strangers_ = std::set<ProcessId>(there.begin(), there.end());
  }
  patience_end_ = SteadyTime();
  const ProgramFailure failure = program.spawn(child_);
  if (failure.code == 0) return 0;
  child_ = -1;
  complain(failure.what);
  return failure.code;
}

int Supervisor::wait() {
  while (is_running() && !is_given_up_) {
    io_.restart();
    io_.run();
  }
  patience_.cancel();
  report_dropped_lines();
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

void Supervisor::take(ArrivedSignal signal) {
  const bool is_end = asks_to_end(signal);
  is_asked_to_end_ = is_asked_to_end_ || is_end;
  if (is_running()) {
    // A signal by a terminal key has reached the program already, unless it left our process group.
    const bool is_known = signal.is_from_terminal && ::getpgid(child_) == ::getpgrp();
    if (signal.number != SIGCHLD && !is_known) pass_on(signal.number);
  } else if (is_end && on_interrupt_) {
    on_interrupt_();
  }
  reap();
}

void Supervisor::pass_on(int number) {
  if (is_running()) ::kill(child_, number);
}

void Supervisor::reap() {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) continue;
    if (ended <= 0) return;
    if (ended != child_) {  // an orphan, or a process that the library started
      note_child_end(ended, status);
      continue;
    }
    child_ = -1;
    status_ = status;
    io_.stop();
  }
}

void Supervisor::notify_program(const std::string& why) {
  if (!is_running()) return;
  complain(fmt::format("{}: {} to {}", why, signal_name(on_notice_), name_));
  pass_on(on_notice_);
}

bool Supervisor::stop(const std::string& why, Duration grace) {
  reap();
  if (!is_running()) return false;
  if (patience_end_ != SteadyTime()) return true;
  const int number = on_notice_ == 0 ? SIGTERM : on_notice_;
  complain(fmt::format("{}: {} to {}, which has {} to end", why, signal_name(number), name_, duration_text(grace)));
  pass_on(number);
  patience_end_ = saturating_sum(clock_now(), grace);
  patience_.expires_at(patience_end_);
  patience_.async_wait([this](const std::error_code& error) {
    if (!error) kill_all();
  });
  return true;
}

// A process that is started at this moment is found by clear_up().
void Supervisor::kill_all() {
  if (!is_running()) return;  // it ended while the timer's handler was queued
  complain(fmt::format("{} has not ended in its time: KILL", name_));
  for (const ProcessId& one : find_descendants(strangers_)) ::kill(one.pid, SIGKILL);
  patience_.expires_after(time_to_die);
  patience_.async_wait([this](const std::error_code& error) {
    if (error || !is_running()) return;
    complain(fmt::format("{} (process {}) does not end by KILL either", name_, child_));
    is_given_up_ = true;
    io_.stop();
  });
}

void Supervisor::pause(Duration time) {
  bool is_over = false;
  asio::steady_timer timer(io_);
  timer.expires_after(time);
  timer.async_wait([this, &is_over](const std::error_code&) {
    is_over = true;
    io_.stop();
  });
  while (!is_over) {
    io_.restart();
    io_.run();
  }
}

bool Supervisor::clear_up(Duration grace) {
  const SteadyTime patience_end = patience_end_ == SteadyTime() ? saturating_sum(clock_now(), grace) : patience_end_;
  std::set<ProcessId> reported;
  for (;;) {
    reap();
    const std::vector<ProcessId> left = find_descendants(strangers_);
    if (left.empty()) return true;
    const SteadyTime now = clock_now();
    if (reported.empty())
      complain(fmt::format("{} has left {} running: {}", name_, left.size() == 1 ? "a process" : fmt::format("{} processes", left.size()),
                           now < patience_end ? "TERM" : "KILL"));
    if (now >= saturating_sum(patience_end, time_to_die)) {
      complain(fmt::format("process {}, which {} has left, does not end by KILL either", left.front().pid, name_));
      return false;
    }
    for (const ProcessId& one : left) {
      const bool is_news = reported.insert(one).second;
      if (now >= patience_end) {
        ::kill(one.pid, SIGKILL);
      } else if (is_news) {
        ::kill(one.pid, SIGTERM);
      }
    }
    pause(between_polls);
  }
}

}  // namespace rollcall::command
