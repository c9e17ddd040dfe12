// What the parent of a program passes on to it. Each case runs in a process of its own: signal handlers belong to the whole process.
#include "command/process/supervisor.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <deque>

#include "async/async_event.hpp"

using namespace rollcall;
using namespace rollcall::tools;

namespace {

class ScriptedWatch final : public ClusterWatch {
 public:
  ScriptedWatch(ClusterStatus status, std::deque<ClusterChange> changes) : status_(std::move(status)), changes_(std::move(changes)) {}
  asio::awaitable<Result<ClusterChange>> try_next() override {
    if (changes_.empty()) {
      const bool is_closed = co_await waiter_.wait();
      co_return Failure(Errc::cancelled, is_closed ? "closed" : "cancelled");
    }
    ClusterChange change = std::move(changes_.front());
    changes_.pop_front();
    co_return change;
  }
  const ClusterStatus& status() const override { return status_; }
  void close() override { waiter_.wake(); }

 private:
  ClusterStatus status_;
  std::deque<ClusterChange> changes_;
  AsyncEvent waiter_;
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

// Whether the program was told; one that is not ends by itself.
bool is_told(const ClusterStatus& waited, const ClusterStatus& seen, std::deque<ClusterChange> changes) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(::open("/dev/null", O_WRONLY), STDERR_FILENO);
    asio::io_context io(1);
    Program program({"sleep", "1"});
    program.find();
    program.set_environment({}, {});
    Supervisor supervisor(io, std::make_shared<ScriptedWatch>(seen, std::move(changes)), waited, SIGTERM, [](const ClusterStatus&) {});
    ::_exit(supervisor.run(program));
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
  CHECK(is_told(waited, cluster_of({worker(0, "a"), worker(1, "b", preempted)}), joined(worker(0, "a"))));
  CHECK(is_told(waited, cluster_of({worker(0, "a")}), joined(worker(0, "a"))));
  CHECK(is_told(waited, cluster_of({worker(0, "a"), worker(1, "anew")}), joined(worker(0, "a"))));
  CHECK_FALSE(is_told(waited, waited, joined(worker(0, "a"))));
}

TEST_CASE("a member that was made anew between two looks is passed on to the program") {
  const ClusterStatus waited = cluster_of({worker(0, "a")});
  CHECK(is_told(waited, waited, {change_of(ChangeKind::member_changed, worker(0, "anew"), worker(0, "a"))}));
  CHECK_FALSE(is_told(waited, waited, {change_of(ChangeKind::member_changed, worker(0, "a"), worker(0, ""))}));
}
