// What the parent of a program passes on to it. Each case runs in a process of its own, because signal handlers belong to the whole
// process.
#include "command/process/supervisor.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <catch2/catch.hpp>
#include <csignal>
#include <deque>

#include "async/async_event.hpp"

using namespace rollcall;
using namespace rollcall::command;

namespace {

class ScriptedWatch final : public ClusterWatch {
 public:
  ScriptedWatch(ClusterStatus status, std::deque<ClusterChange> changes) : status_(std::move(status)), changes_(std::move(changes)) {}
  asio::awaitable<Result<ClusterChange>> try_next() override {
    if (changes_.empty()) {
      const bool is_closed = co_await closed_.wait();
      co_return Failure(Errc::cancelled, is_closed ? "closed" : "cancelled");
    }
    ClusterChange change = std::move(changes_.front());
    changes_.pop_front();
    co_return change;
  }
  const ClusterStatus& status() const override { return status_; }
  void close() override { closed_.wake(); }

 private:
  ClusterStatus status_;
  std::deque<ClusterChange> changes_;
  AsyncEvent closed_;
};

Member worker(int index, const std::string& uid, Condition state = {}) {
  Member member("worker", index);
  member.uid = uid;
  member.state = std::move(state);
  return member;
}

ClusterStatus cluster_of(std::vector<Member> members) {
  ClusterStatus status;
  status.members = std::move(members);
  return status;
}

ClusterChange change_of(ChangeKind kind, Member member, Member before = {}) {
  ClusterChange change(kind, SteadyTime());
  change.member = std::move(member);
  change.before = std::move(before);
  return change;
}

// Whether the program got the notice; a program that did not ends by itself.
bool is_lost(const ClusterStatus& waited, const ClusterStatus& seen, std::deque<ClusterChange> changes) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    asio::io_context io(1);
    Program program({"sleep", "1"});
    program.find();
    program.set_environment({});
    Supervisor supervisor(io, SIGTERM);
    if (!supervisor.open(nullptr) || supervisor.start(program) != 0) ::_exit(100);
    const auto news = std::make_shared<MemberNews>(
        std::make_shared<ScriptedWatch>(seen, std::move(changes)), StartedCluster(waited), MeasuredBy::last_ready,
        [&supervisor](const News& one) {
          if (one.kind != NewsKind::joined) supervisor.announce(one.kind, one.why);
        },
        [](const ClusterStatus&) {});
    asio::co_spawn(io, MemberNews::follow(news), asio::detached);
    ::_exit(supervisor.wait());
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK((WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 128 + SIGTERM));
  return WEXITSTATUS(status) != 0;
}

const Condition preempted(MemberState::lost, "PREEMPTED");

}  // namespace

TEST_CASE("what was lost between a wait's last look and a watch's first is passed on to the program") {
  const ClusterStatus waited = cluster_of({worker(0, "a"), worker(1, "b")});
  const auto joined = [](const Member& member) { return std::deque<ClusterChange>{change_of(ChangeKind::member_joined, member)}; };
  CHECK(is_lost(waited, cluster_of({worker(0, "a"), worker(1, "b", preempted)}), joined(worker(0, "a"))));
  CHECK(is_lost(waited, cluster_of({worker(0, "a")}), joined(worker(0, "a"))));
  CHECK(is_lost(waited, cluster_of({worker(0, "a"), worker(1, "anew")}), joined(worker(0, "a"))));
  CHECK_FALSE(is_lost(waited, waited, joined(worker(0, "a"))));
  Member done = worker(1, "b", Condition(MemberState::lost, "Succeeded"));
  CHECK_FALSE(is_lost(waited, cluster_of({worker(0, "a"), done}), joined(worker(0, "a"))));
}

TEST_CASE("a member that was recreated between two polls is reported to the program") {
  const ClusterStatus waited = cluster_of({worker(0, "a")});
  CHECK(is_lost(waited, waited, {change_of(ChangeKind::member_changed, worker(0, "anew"), worker(0, "a"))}));
  CHECK_FALSE(is_lost(waited, waited, {change_of(ChangeKind::member_changed, worker(0, "a"), worker(0, ""))}));
}

namespace {

// The exit status of a shell with this script after it was asked to end, if all processes that it started are gone then; 200: they are not.
int end_of_stopped(const std::string& script, Duration grace) {
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    ::dup2(ready[1], STDOUT_FILENO);
    asio::io_context io(1);
    asio::posix::stream_descriptor said(io, ready[0]);
    Program program({"sh", "-c", script});
    program.find();
    program.set_environment({});
    Supervisor supervisor(io, 0);
    const bool is_fine = supervisor.hold_offspring() && supervisor.open(nullptr) && supervisor.start(program) == 0;
    if (!is_fine) ::_exit(100);
    said.async_wait(asio::posix::stream_descriptor::wait_read, [&supervisor, grace](const std::error_code&) {
      if (!supervisor.stop("a test", grace)) ::_exit(101);
    });
    const int status = supervisor.wait();
    const bool is_cleared = supervisor.clear_up(grace);
    ::_exit(is_cleared && find_descendants({}).empty() ? status : 200);
  }
  for (const int end : ready) ::close(end);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("a program that is asked to end has its grace time, and leaves nothing running") {
  using namespace std::chrono_literals;
  CHECK(end_of_stopped("echo; exec sleep 1000", 1h) == 128 + SIGTERM);
  // Processes that it leaves behind are asked to end, too. A shell's child that has not called exec yet can miss that: then it is killed.
  CHECK(end_of_stopped("trap 'exit 7' TERM; echo; sleep 1000 & wait", 5s) == 7);
  CHECK(end_of_stopped("trap '' TERM; echo; sleep 1000; sleep 1000", 50ms) == 128 + SIGKILL);
  CHECK(end_of_stopped("trap 'exit 3' TERM; (trap '' TERM; exec setsid sleep 1000) & echo; wait", 50ms) == 3);
}
