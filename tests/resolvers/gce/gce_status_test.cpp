// The status of an instance group: a machine that is being created, repaired or stopped is a member too.
#include "resolvers/gce/gce_api.hpp"
#include "resolvers/gce/gce_support.hpp"
#include "rollcall/wait.hpp"
#include "support/cloud_loop.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

class GroupCloud : public CloudLoop {
 public:
  explicit GroupCloud(const std::string& instances)
      : CloudLoop(R"({"project": "p", "zone": "z-a", "compute": {"instances": [)" + instances + R"(], "groups": [{"name": "workers"}]}})") {
  }
  std::shared_ptr<ClusterResolver> group() { return make_gce_resolver(runtime, GceOptions("workers").project("p").zone("z-a").port(8470)); }
  Result<ClusterStatus> wait(WaitOptions options = {}) { return run(try_wait_until_ready(group(), usually_ready, std::move(options))); }
};

}  // namespace

TEST_CASE("members that are being created or repaired are waiting, with the service's status") {
  const std::string word = GENERATE("PENDING", "PROVISIONING", "STAGING", "REPAIRING", "STOPPING", "SUSPENDING");
  CAPTURE(word);
  GroupCloud t(R"({"name": "w-0", "ip": "10.0.0.2"}, {"name": "w-1", "ip": "10.0.0.3", "timeline": [{"at": 0, "status": ")" + word +
               R"("}, {"at": 60, "status": "RUNNING"}]})");
  const ClusterStatus now = value_of(t.run(t.group()->try_cluster_status()));
  REQUIRE(now.members.size() == 2);
  CHECK(now.phase == ClusterPhase::provisioning);
  CHECK(now.members[0].address == "10.0.0.2:8470");
  CHECK(now.members[1].name == "w-1");
  CHECK(now.members[1].address.empty());
  CHECK(now.members[1].state == Condition(MemberState::waiting, word));
  CHECK(value_of(t.run(t.group()->try_cluster_spec())).to_json() == R"({"worker":["10.0.0.2:8470"]})");  // as upstream
  check_failure(t.wait(WaitOptions().timeout(10s)), Errc::deadline_exceeded, "1 of 2 ready", word);
  const Result<ClusterStatus> ready = t.wait();
  REQUIRE(ready.has_value());
  CHECK(t.elapsed() >= 60);
  CHECK(ready->spec().to_json() == R"({"worker":["10.0.0.2:8470","10.0.0.3:8470"]})");
  CHECK(ready->phase == ClusterPhase::running);
}

TEST_CASE("a member with an unknown status is waiting") {
  GceInstance other;
  other.member.name = "w-1";
  other.member.status = "A_NEW_WORD";
  const GceInstance instance;
  GceTask task;
  task.address = "10.0.0.1:1";
  task.member = &instance;
  const ClusterStatus status = gce_status("worker", {task}, {other});
  REQUIRE(status.members.size() == 2);
  CHECK(status.members[1].state == Condition(MemberState::waiting, "A_NEW_WORD"));
}

TEST_CASE("a stopped member ends the wait, unless it will be started") {
  const std::string word = GENERATE("TERMINATED", "STOPPED", "SUSPENDED");
  GroupCloud t(R"({"name": "w-0"}, {"name": "w-1", "timeline": [{"at": 0, "status": ")" + word +
               R"("}, {"at": 60, "status": "RUNNING"}]})");
  check_failure(t.wait(), Errc::not_ready, "will not become ready: " + word);
  CHECK(t.elapsed() < 1);
  CHECK(t.wait(WaitOptions().for_start(true)).has_value());
  CHECK(t.elapsed() >= 60);
}

TEST_CASE("a group without members is not ready for any expected number") {
  for (const Readiness until : {usually_ready, Readiness::endpoints, Readiness::state}) {
    GroupCloud t(R"({"name": "w-0", "timeline": [{"at": 60, "status": "RUNNING"}]})");
    const auto late = t.run(try_wait_until_ready(t.group(), until, WaitOptions().timeout(10s)));
    check_failure(late, Errc::deadline_exceeded, "the group has no members");
    CHECK(t.run(try_wait_until_ready(t.group(), until)).has_value());
    CHECK(t.elapsed() >= 60);
  }
}

TEST_CASE("a member that is deleted between the list and its look-up does not make a status fail") {
  TestRuntime t;
  Compute compute = three();
  compute.gone = {"w-10"};
  t.transport->respond = compute;
  const Result<ClusterStatus> status = t.run(make_gce_resolver(t.runtime, workers())->try_cluster_status());
  REQUIRE(status.has_value());
  CHECK(status->members.size() == 2);
  check_failure(t.run(make_gce_resolver(t.runtime, workers())->try_cluster_spec()), Errc::not_found,
                "it is gone since the group was listed");
}
