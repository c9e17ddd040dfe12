#include "command/process/supervisor.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/reader_write.hpp"
#include "programs/child_ends.hpp"

namespace rollcall::tools {

Announcements::Announcements(const asio::any_io_executor& executor, std::function<void(const std::string& why)> tell)
    : tell_(std::move(tell)), lanes_{Lane(executor), Lane(executor), Lane(executor), Lane(executor)} {}

void Announcements::add(AnnouncementKind kind, const std::string& why) {
  Lane& lane = lanes_[static_cast<std::size_t>(kind)];
  if (!lane.is_paused) return tell_and_pause(lane, why);
  lane.last = why;
  ++lane.waiting;
}

void Announcements::tell_and_pause(Lane& lane, const std::string& why) {
  tell_(why);
  lane.is_paused = true;
  lane.pause.expires_after(std::chrono::seconds(1));
  lane.pause.async_wait([this, &lane](const std::error_code& error) {
    if (error) return;
    lane.is_paused = false;
    const std::size_t count = std::exchange(lane.waiting, 0);
    if (count == 0) return;
    tell_and_pause(lane, count == 1 ? lane.last : fmt::format("{} (the last of {} announcements)", lane.last, count));
  });
}

Supervisor::Supervisor(asio::io_context& io, std::shared_ptr<ClusterWatch> following, ClusterStatus waited, int on_notice,
                       std::function<void(const ClusterStatus&)> on_status)
    : io_(io), following_(std::move(following)), waited_(std::move(waited)), on_notice_(on_notice), on_status_(std::move(on_status)),
      signals_(io.get_executor(), all_signals()), announcements_(io.get_executor(), [this](const std::string& why) { announce(why); }) {}

int Supervisor::run(Program& program) {
  name_ = printable(program.words.front(), 80);
  stop_waiting_for_readers();  // a reader who does not read would keep the program's end and our signals from us
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
  tell_left_out();
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

void Supervisor::take(ArrivedSignal signal) {
  // What a key on the terminal sent has reached the program already, unless it left our process group.
  const bool is_known = signal.is_from_terminal && child_ > 0 && ::getpgid(child_) == ::getpgrp();
  if (signal.number != SIGCHLD && !is_known) pass_on(signal.number);
  reap();
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
    if (ended != child_) {  // an orphan, or a program that the library has started
      note_child_end(ended, status);
      continue;
    }
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

namespace {

bool is_made_anew(const Member& before, const Member& now) { return !before.uid.empty() && !now.uid.empty() && before.uid != now.uid; }

}  // namespace

// What happened between the wait's last look and the watch's first.
void Supervisor::compare_with_waited() {
  std::map<std::pair<std::string_view, int>, const Member*> members;
  for (const Member& member : following_->status().members) members.try_emplace({member.job, member.index}, &member);
  for (const Member& before : std::exchange(waited_.members, {})) {
    const auto found = members.find({before.job, before.index});
    if (found == members.end()) return tell_loss(before.label() + " left");
    const Member* const now = found->second;
    if (now->state.level == MemberState::lost) return tell_loss(fmt::format("{}: {}", now->label(), now->state.text));
    if (is_made_anew(before, *now)) return announcements_.add(AnnouncementKind::members, now->label() + ": made anew");
  }
}

void Supervisor::consider(const ClusterChange& change) {
  if (change.kind == ChangeKind::notice) {
    const bool is_preemption = change.notice.kind == NoticeKind::preemption;
    return announcements_.add(is_preemption ? AnnouncementKind::preemption : AnnouncementKind::maintenance, change.text);
  }
  if (change.kind == ChangeKind::cluster_ready) has_told_loss_ = false;
  const bool is_changed = change.kind == ChangeKind::member_changed;
  const bool is_lost = change.kind == ChangeKind::member_left || (is_changed && change.member.state.level == MemberState::lost) ||
                       (change.kind == ChangeKind::cluster_broken && following_->status().state.level == MemberState::lost);
  if (is_lost) return tell_loss(change.text);
  // It was gone between two looks, and whoever talked to it has to know.
  if (is_changed && is_made_anew(change.before, change.member) && !has_told_loss_)
    announcements_.add(AnnouncementKind::members, change.text);
}

void Supervisor::tell_loss(const std::string& why) {
  if (!std::exchange(has_told_loss_, true)) announcements_.add(AnnouncementKind::members, why);
}

// A watch that ends otherwise than by the cluster's end leaves the program as it is.
asio::awaitable<void> Supervisor::follow() {
  for (;;) {
    const Result<ClusterChange> change = co_await following_->try_next();
    if (change) {
      on_status_(following_->status());
      if (!following_->status().members.empty()) compare_with_waited();
      consider(*change);
      co_await asio::post(io_, asio::use_awaitable);  // whatever comes at once, signals are heard between
      continue;
    }
    const Failure failure = change.error();
    if (failure.code() == Errc::cancelled || child_ <= 0) co_return;
    if (failure.code() == Errc::not_found || failure.code() == Errc::not_ready) {
      announcements_.add(AnnouncementKind::end, failure.message());
    } else {
      complain(fmt::format("{} is not told of preemptions any more: {}", name_, failure.message()));
    }
    co_return;
  }
}

}  // namespace rollcall::tools
