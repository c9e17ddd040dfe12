// A pod that waits for its own readiness gets a message about it.
#include "readiness/own_pod.hpp"

#include <catch2/catch.hpp>

#include "readiness/wait_judge.hpp"

using namespace rollcall;

namespace {

constexpr const char* namespace_file = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

std::string pod_of(std::map<std::string, std::string, std::less<>> variables, std::map<std::string, std::string, std::less<>> files) {
  return own_pod(*fixed_environment(std::move(variables)), *fixed_files(std::move(files)));
}

ClusterStatus two_pods(Condition state, Condition health) {
  ClusterStatus status;
  for (int i = 0; i < 2; ++i) {
    Member& member = status.members.emplace_back("worker", i);
    member.name = i == 0 ? "train/trainer-0" : "train/trainer-1";
    member.state = state;
    member.health = health;
  }
  return status;
}

std::vector<std::string> whys(const ClusterStatus& status, Readiness until) {
  const WaitOptions options;
  const ProbeAnswers answers;
  WaitJudge judge(status, until, options, answers, "test");
  judge.set_own_pod("train/trainer-0");
  while (judge.poll(100)) {
  }
  std::vector<std::string> all;
  for (const MissingMember& one : judge.take_verdict().missing) all.push_back(one.why);
  return all;
}

}  // namespace

TEST_CASE("a process in a pod finds the pod's name") {
  CHECK(pod_of({{"HOSTNAME", "trainer-0"}, {"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}, {{namespace_file, "train\n"}}) == "train/trainer-0");
  CHECK(pod_of({{"HOSTNAME", "trainer-0"}, {"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}, {}) == "/trainer-0");
  CHECK(pod_of({{"HOSTNAME", "laptop"}}, {{namespace_file, "train"}}).empty());
  CHECK(pod_of({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}, {{namespace_file, "train"}}).empty());
}

TEST_CASE("a member is the own pod by its namespace and name") {
  CHECK(is_own_pod("train/trainer-0", "train/trainer-0"));
  CHECK(is_own_pod("train/trainer-0", "/trainer-0"));
  CHECK_FALSE(is_own_pod("train/my-trainer-0", "/trainer-0"));
  CHECK_FALSE(is_own_pod("eval/trainer-0", "train/trainer-0"));
  CHECK_FALSE(is_own_pod("", ""));
  CHECK_FALSE(is_own_pod("trainer-0", "/trainer-0"));  // a TPU of the same name
}

TEST_CASE("a pod that waits for its own readiness gets a message about it") {
  const std::string itself = " (this pod, which waits for itself: --until endpoints does not)";
  const Condition pending(MemberState::waiting, "Pending (PodInitializing)");
  const Condition not_ready(MemberState::waiting, "Running, not Ready");
  CHECK(whys(two_pods(pending, {}), usually_ready) == std::vector<std::string>{pending.text + itself, pending.text});
  CHECK(whys(two_pods({}, not_ready), usually_ready) == std::vector<std::string>{not_ready.text + itself, not_ready.text});
  // Its address appears in any case.
  CHECK(whys(two_pods({}, {}), usually_ready) == std::vector<std::string>{"no address yet", "no address yet"});
  CHECK(whys(two_pods(pending, {}), Readiness::endpoints) ==
        std::vector<std::string>{"no address yet (Pending (PodInitializing))", "no address yet (Pending (PodInitializing))"});
}
