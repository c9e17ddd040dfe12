#include "tools/supervisor.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "core/text.hpp"
#include "tools/console.hpp"
#include "tools/exit_codes.hpp"

namespace rollcall::tools {

Supervisor::Supervisor(asio::io_context& io, std::shared_ptr<ClusterWatch> following, int on_notice,
                       std::function<void(const ClusterStatus&)> on_status)
    : io_(io), following_(std::move(following)), on_notice_(on_notice), on_status_(std::move(on_status)), signals_(io.get_executor()) {}

int Supervisor::run(Program& program) {
  name_ = printable(program.words.front(), 80);
  if (!signals_.open()) {
    complain(fmt::format("no pipe for signals: {}", std::strerror(errno)));
    return exit_exec_failed;
  }
  const ProgramFailure failure = program.spawn(child_);
  if (failure.code != 0) {
    complain(failure.what);
    return failure.code;
  }
  signals_.listen([this](ArrivedSignal signal) { take(signal); });
  asio::co_spawn(io_, follow(), asio::detached);
  io_.restart();
  io_.run();
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

void Supervisor::take(ArrivedSignal signal) {
  if (signal.number == SIGCHLD) return reap();
  // What a key on the terminal sent has reached the program already, unless it left our process group.
  if (signal.is_from_terminal && child_ > 0 && ::getpgid(child_) == ::getpgrp()) return;
  pass_on(signal.number);
}

void Supervisor::pass_on(int number) {
  if (child_ > 0) ::kill(child_, number);
}

void Supervisor::reap() {
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(-1, &status, WNOHANG);
    if (ended < 0 && errno == EINTR) continue;
    if (ended <= 0) return;
    if (ended != child_) continue;  // an orphan
    child_ = -1;
    status_ = status;
    signals_.stop();
    following_->close();
    io_.stop();
  }
}

void Supervisor::announce(const std::string& why) {
  if (child_ <= 0) return;
  complain(fmt::format("{}: {} to {}", why, signal_name(on_notice_), name_));
  pass_on(on_notice_);
}

void Supervisor::consider(const ClusterChange& change) {
  if (change.kind == ChangeKind::notice) return announce(change.text);
  if (change.kind == ChangeKind::cluster_ready) has_told_loss_ = false;
  const bool is_lost = change.kind == ChangeKind::member_left ||
                       (change.kind == ChangeKind::member_changed && change.member.state.standing == Standing::lost) ||
                       (change.kind == ChangeKind::cluster_broken && following_->status().state.standing == Standing::lost);
  if (!is_lost || has_told_loss_) return;
  has_told_loss_ = true;
  announce(change.text);
}

// A watch that ends otherwise than by the cluster's end leaves the program as it is.
asio::awaitable<void> Supervisor::follow() {
  for (;;) {
    const Result<ClusterChange> change = co_await following_->try_next();
    if (change) {
      on_status_(following_->status());
      consider(*change);
      continue;
    }
    const Failure failure = change.error();
    if (failure.code() == Errc::cancelled || child_ <= 0) co_return;
    if (failure.code() == Errc::not_found || failure.code() == Errc::not_ready) {
      announce(failure.message());
    } else {
      complain(fmt::format("{} is not told of preemptions any more: {}", name_, failure.message()));
    }
    co_return;
  }
}

}  // namespace rollcall::tools
