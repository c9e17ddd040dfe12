// Pods that are being deleted: they hold a place until another pod has it, and are not ready.
#include "resolvers/kubernetes/workload/workload_api.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

const std::string leaving = R"(,"deletionTimestamp":"2026-01-01T00:00:30Z","deletionGracePeriodSeconds":30)";

std::string one_pod(int index, const std::string& suffix, const std::string& more) {
  return owned_pod(fmt::format("t-{}-{}", index, suffix),
                   {{"batch.kubernetes.io/job-completion-index", std::to_string(index)}, {"job-name", "t"}}, more);
}

}  // namespace

TEST_CASE("a member that is being deleted is not ready, and says so") {
  WorkloadApi api;
  api.add("job", "t", workload_json("job", "t", indexed(2)));
  const std::string owner = owner_json("job", "t");
  api.pods = one_pod(0, "a", owner) + "," + one_pod(1, "a", owner + leaving);
  for (const auto& resolver : {api.named("job", "t"), api.by_label("job-name=t")}) {
    const ClusterStatus status = api.status(resolver);
    CHECK(status.expected == 2);
    REQUIRE(status.members.size() == 2);
    const Member& gone = status.members[1];
    CHECK(gone.state.level == MemberState::waiting);
    REQUIRE(gone.causes.size() == 1);
    CHECK(gone.causes[0].layer == CauseLayer::leaving);
    CHECK(gone.causes[0].code == "Deleted");
    CHECK(gone.causes[0].text.find("it is being deleted") == 0);
    REQUIRE(gone.causes[0].since);
    check_failure(api.wait(resolver), Errc::deadline_exceeded, "1 of 2 ready");
    check_failure(api.run(resolver->try_cluster_spec()), Errc::not_ready, "there are 1 of 2");
  }
  // Another pod in its place.
  api.pods += "," + one_pod(1, "b", owner);
  const ClusterStatus replaced = api.status(api.named("job", "t"));
  REQUIRE(replaced.members.size() == 2);
  CHECK(replaced.members[1].name == "train/t-1-b");
  CHECK(api.wait(api.named("job", "t")));
}

TEST_CASE("pods on their way out that nothing follows are no members") {
  WorkloadApi api;
  api.add("job", "t", workload_json("job", "t", indexed(1)));
  const std::string owner = owner_json("job", "t");
  api.pods = one_pod(0, "a", owner) + "," + one_pod(1, "a", owner + leaving);  // the Job has become smaller
  CHECK(api.status(api.named("job", "t")).members.size() == 1);
  CHECK(api.wait(api.by_label("job-name=t")));
  api.pods = owned_pod("p", {}, {}) + "," + owned_pod("q", {}, leaving);  // without an owner
  CHECK(api.status(api.by_label("app=x")).members.size() == 1);
}

TEST_CASE("of pods without a number so many that are being deleted stay as others lack") {
  WorkloadApi api;
  api.add("deploy", "d", workload_json("deploy", "d", R"({"replicas":2,"selector":{"matchLabels":{"app":"x"}},
      "template":{"metadata":{"labels":{"app":"x"}}}})"));
  const std::string owner = owner_json("deploy", "d");
  api.pods = owned_pod("a", {{"app", "x"}}, owner) + "," + owned_pod("b", {{"app", "x"}}, owner + leaving) + "," +
             owned_pod("c", {{"app", "x"}}, owner + leaving);
  const ClusterStatus lacking = api.status(api.named("deploy", "d"));
  CHECK(lacking.members.size() == 2);
  check_failure(api.wait(api.named("deploy", "d")), Errc::deadline_exceeded, "1 of 2 ready");
  api.pods += "," + owned_pod("e", {{"app", "x"}}, owner);
  CHECK(api.wait(api.named("deploy", "d")));
}

TEST_CASE("pods beyond the number of a Deployment are no members: those of an update, and those that have failed") {
  WorkloadApi api;
  api.add("deploy", "d", workload_json("deploy", "d", R"({"replicas":2,"selector":{"matchLabels":{"app":"x"}},
      "template":{"metadata":{"labels":{"app":"x"}}}})"));
  const auto pod = [](const std::string& name, const std::string& phase, int minute, const std::string& of = "d") {
    const std::string ready = phase == "Running" ? R"(,"conditions":[{"type":"Ready","status":"True"}])" : "";
    const std::string created = fmt::format(R"(,"creationTimestamp":"2026-11-26T13:{:02}:00Z")", minute);
    return pod_json(name, "10.0.0.1",
                    fmt::format(R"(,"uid":"p-{}")", name) + created + labels_json({{"app", "x"}}) + owner_json("deploy", of), ready, phase);
  };
  const auto names = [&api](const std::shared_ptr<ClusterResolver>& resolver) {
    std::string text;
    for (const Member& member : api.status(resolver).members) text += (text.empty() ? "" : " ") + member.name;
    return text;
  };
  api.pods = pod("a", "Running", 1) + "," + pod("b", "Running", 2) + "," + pod("c", "Pending", 3);
  for (const auto& resolver : {api.named("deploy", "d"), api.by_label("app=x")}) {
    CHECK(names(resolver) == "train/a train/b");
    CHECK(api.wait(resolver));
    CHECK(api.run(resolver->try_cluster_spec()));
  }
  api.pods = pod("a", "Failed", 1) + "," + pod("b", "Failed", 2) + "," + pod("c", "Failed", 3);
  CHECK(names(api.named("deploy", "d")) == "train/b train/c");
  // One that another Deployment has too many does not stand for one that is missing.
  api.add("deploy", "e", workload_json("deploy", "e", R"({"replicas":1,"selector":{"matchLabels":{"app":"x"}},
      "template":{"metadata":{"labels":{"app":"x"}}}})"));
  api.pods = pod("a", "Running", 1) + "," + pod("e", "Running", 2, "e") + "," + pod("f", "Running", 3, "e");
  CHECK(names(api.by_label("app=x")) == "train/a train/e");
  CHECK(api.status(api.by_label("app=x")).expected == 3);
}
