// Why pods are not ready: the causes and the text of each state of a pod.
#include "resolvers/kubernetes/rules/pod_causes.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "resolvers/kubernetes/rules/pod_status.hpp"
#include "resolvers/kubernetes/wire/pod_list.hpp"
#include "support/parse_result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

WallTime at(const char* time) { return *parse_rfc3339(time); }

FoundPodList found_in(const std::string& json) {
  FoundPodList found;
  PodListParser parser(
      [&found](Pod& pod) {
        found.push_back(found_pod(pod, PodAddress::pod, AddressFamily::any));
        return Result<void>();
      },
      PodDetail::readiness, ParseLimits());
  REQUIRE(parser.feed(json).has_value());
  REQUIRE(parser.finish().has_value());
  return found;
}

Member member_at(const FoundPod& pod, WallTime now) {
  Member member("worker", 0);
  PodClock clock(now);
  judge_member(member, pod, clock);
  return member;
}

// `level: text` of the state or, of a pod that runs, of the health; then the layers and codes of the causes.
std::string line_of(const FoundPod& pod, WallTime now) {
  const Member member = member_at(pod, now);
  const Condition& shown = member.state.level == MemberState::ready ? member.health : member.state;
  std::string line = fmt::format("{}: {}", to_string(shown.level), shown.text);
  for (const Cause& cause : member.causes)
    line += fmt::format(" [{} {}{} by {}]", to_string(cause.layer), cause.code, cause.is_final ? " final" : "", cause.object);
  return line;
}

std::vector<std::string> lines_of(const std::string& sample, const char* now = "2026-11-26T13:41:00Z") {
  std::vector<std::string> lines;
  for (const FoundPod& pod : found_in(read_sample("kubernetes/states/" + sample + ".json"))) lines.push_back(line_of(pod, at(now)));
  return lines;
}

// One pod, from parts of its spec and its status.
FoundPod pod_of(const std::string& spec, const std::string& status, bool is_owned = false) {
  const std::string owner = is_owned ? R"(,"ownerReferences":[{"kind":"Job","name":"t","uid":"u","controller":true}])" : "";
  return found_in(R"({"items":[{"metadata":{"name":"a","namespace":"train","creationTimestamp":"2026-11-26T13:30:00Z")" + owner +
                  R"(},"spec":{)" + spec + R"(},"status":{)" + status + "}}]}")
      .at(0);
}
std::string line_of(const std::string& spec, const std::string& status, bool is_owned = false) {
  return line_of(pod_of(spec, status, is_owned), at("2026-11-26T13:31:00Z"));
}

const std::string never_restarted = R"("restartPolicy":"Never","nodeName":"g1")";
const std::string pending = R"("phase":"Pending",)";
const std::string not_ready =
    R"("phase":"Running","conditions":[{"type":"Ready","status":"False","reason":"ContainersNotReady","message":"containers with unready status: [x]"}],)";

std::string container_statuses(const std::string& entries) { return R"("containerStatuses":[)" + entries + "]"; }
std::string one_container(const std::string& name, const std::string& state, const std::string& more = "") {
  return fmt::format(R"({{"name":"{}","state":{{{}}}{}}})", name, state, more);
}
std::string waits(const std::string& reason, const std::string& message = "") {
  return fmt::format(R"("waiting":{{"reason":"{}","message":"{}"}})", reason, message);
}

}  // namespace

TEST_CASE("pods that a scheduler has not placed") {
  CHECK(lines_of("gated") ==
        std::vector<std::string>(
            2, "waiting: Pending (SchedulingGated: kueue.x-k8s.io/admission, kueue.x-k8s.io/topology) [gate SchedulingGated by pod]"));
  const std::vector<std::string> gang = lines_of("gang");
  CHECK(gang.at(0) ==
        "unschedulable: Pending (Unschedulable: pod group is unschedulable, waiting for minCount pods from a gang to be scheduled) "
        "[schedule Unschedulable by scheduler default-scheduler]");
  CHECK_THAT(gang.at(2), Contains("(Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu) "));
  const std::vector<std::string> unfit = lines_of("unfit");
  CHECK(unfit.at(0) == "waiting: Pending (no scheduler has looked at it, its schedulerName is volcano) [schedule NoScheduler by pod]");
  CHECK(lines_of("unfit", "2026-11-26T13:35:00Z").at(0) == "waiting: Pending");
  CHECK_THAT(unfit.at(1), Contains("1 node(s) were unschedulable, 2 node(s) had untolerated taint(s)) "));
  CHECK_THAT(lines_of("pvc-unbound").at(0), Contains("persistentvolumeclaim \"nowhere\" not found) "));
  // The place is being made: that no node has room now does not end a wait.
  CHECK(lines_of("preempted").at(3) ==
        "waiting: Pending (Unschedulable: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu, room is being made on node g2) "
        "[schedule Unschedulable by scheduler default-scheduler]");
}

TEST_CASE("pods whose containers cannot start yet") {
  CHECK(lines_of("mount-failed").at(0) == "waiting: Pending (ContainerCreating) [volume ContainerCreating by container trainer]");
  CHECK(lines_of("image-pulling").at(0) == "waiting: Pending (ContainerCreating) [image ContainerCreating by container trainer]");
  CHECK(lines_of("config-missing").at(0) ==
        "waiting: Pending (CreateContainerConfigError: configmap \"hyperparameters\" not found) "
        "[container CreateContainerConfigError by container trainer]");
  CHECK(lines_of("init-failing").at(0) ==
        "waiting: Pending (CrashLoopBackOff of init container fetch-data: exit code 2, restarted once) "
        "[init CrashLoopBackOff by init container fetch-data]");
  CHECK(
      lines_of("init-running").at(0) ==
      "waiting: Pending (PodInitializing of init container wait-for-data: running) [init PodInitializing by init container wait-for-data]");
  const std::string init = R"("initContainerStatuses":[)" + one_container("init-pytorch", R"("running":{})") + "],";
  CHECK_THAT(line_of(never_restarted, pending + init + container_statuses(one_container("pytorch", waits("PodInitializing")))),
             Catch::Contains("init container init-pytorch: running, until the name of the master is found"));
  CHECK(member_at(found_in(read_sample("kubernetes/states/init-running.json")).at(0), WallTime()).causes.at(0).since ==
        at("2026-11-26T13:38:14Z"));
}

TEST_CASE("an image that the registry does not have is final after some minutes, what passes never is") {
  const std::string text =
      "Pending (ImagePullBackOff: registry.example/absent:v9: not found) [image ImagePullBackOff{} by container trainer]";
  CHECK(lines_of("image-pull-back-off", "2026-11-26T13:36:00Z").at(0) == "waiting: " + fmt::format(fmt::runtime(text), ""));
  CHECK(lines_of("image-pull-back-off", "2026-11-26T14:36:00Z").at(0) == "lost: " + fmt::format(fmt::runtime(text), " final"));
  const FoundPod absent = found_in(read_sample("kubernetes/states/image-pull-back-off.json")).at(0);
  const PodWhy why = pod_why(absent, at("2026-11-26T13:36:00Z"));
  REQUIRE(why.changes_at);
  CHECK(!pod_why(absent, *why.changes_at - std::chrono::seconds(1)).is_final());
  CHECK(pod_why(absent, *why.changes_at).is_final());
  CHECK_FALSE(pod_why(absent, *why.changes_at).changes_at);

  const WallTime much_later = at("2026-12-26T13:36:00Z");
  const auto level_of = [&](const std::string& reason, const std::string& message) {
    return member_at(pod_of(never_restarted, pending + container_statuses(one_container("train", waits(reason, message)))), much_later)
        .state.level;
  };
  for (const char* const message :
       {"toomanyrequests: rate limit", "pull access denied, repository does not exist or may require authorization", "i/o timeout",
        "failed to authorize: not found", "lookup registry.example: no such host", "401 Unauthorized", "", "secret regcred not found",
        "proxyconnect tcp: dial tcp: lookup proxy: server misbehaving: host not found",
        "failed to do request: Head https://r/v2/x: host not found"}) {
    CAPTURE(message);
    CHECK(level_of("ErrImagePull", message) == MemberState::waiting);
    CHECK(level_of("ImagePullBackOff", message) == MemberState::waiting);
  }
  for (const char* const message : {"manifest for x:v9 not found: manifest unknown: manifest unknown",
                                    "rpc error: code = NotFound desc = x", "name unknown: no such repository", "x:v9: not found"}) {
    CAPTURE(message);
    CHECK(level_of("ErrImagePull", message) == MemberState::lost);
  }
  for (const char* const reason : {"ErrImageNeverPull", "RegistryUnavailable", "CreateContainerError", "CreateContainerConfigError",
                                   "CrashLoopBackOff", "RunContainerError"})
    CHECK(level_of(reason, "x: not found") == MemberState::waiting);
  CHECK(level_of("InvalidImageName", "") == MemberState::lost);
  CHECK(line_of(never_restarted, pending + container_statuses(one_container("train", waits("InvalidImageName", "bad"))), true) ==
        "lost: Pending (InvalidImageName: bad) [image InvalidImageName final by container train]");
  // A pod without dates is never old.
  FoundPod undated = absent;
  undated.created.reset();
  PodState state = *undated.state;
  state.conditions.clear();
  state.sandbox_since.reset();
  undated.state = state;
  CHECK_FALSE(pod_why(undated, much_later).is_final());
}

TEST_CASE("of all containers the one that matters is named") {
  const std::string init =
      R"("initContainerStatuses":[)" + one_container("fetch", waits("ImagePullBackOff", "Back-off pulling image")) + "],";
  CHECK(line_of(never_restarted, pending + init + container_statuses(one_container("train", waits("PodInitializing")))) ==
        "waiting: Pending (ImagePullBackOff of init container fetch: Back-off pulling image) [image ImagePullBackOff by init container "
        "fetch]");
  // ContainerCreating gives way to any other word, wherever it stands.
  const std::string creating = one_container("log", waits("ContainerCreating"));
  const std::string no_config = one_container("train", waits("CreateContainerConfigError", "no secret"));
  for (const std::string& both : {creating + "," + no_config, no_config + "," + creating})
    CHECK(line_of(never_restarted, pending + container_statuses(both)) ==
          "waiting: Pending (CreateContainerConfigError of container train: no secret) [container CreateContainerConfigError by container "
          "train]");
  // A sidecar that runs holds up nothing, though it has no other sign of being one where the spec says so.
  const std::string sidecar = R"("initContainerStatuses":[)" +
                              one_container("proxy", R"("running":{})", R"(,"ready":false,"started":true)") + "," +
                              one_container("fetch", R"("terminated":{"exitCode":1,"reason":"Error"})") + "],";
  CHECK_THAT(line_of(R"("restartPolicy":"OnFailure","initContainers":[{"name":"proxy","restartPolicy":"Always"},{"name":"fetch"}])",
                     pending + sidecar + container_statuses(one_container("train", waits("PodInitializing")))),
             Contains("Pending (init container fetch: exit code 1) "));
  CHECK_THAT(line_of("", pending + sidecar + container_statuses("")), Contains("Pending (init container fetch: exit code 1) "));
}

TEST_CASE("how a container ended is said") {
  const auto failed = [](const std::string& entries, const std::string& more = "", bool is_owned = false) {
    return line_of(never_restarted, R"("phase":"Failed",)" + more + container_statuses(entries), is_owned);
  };
  const std::string oom = one_container("train", R"("terminated":{"exitCode":137,"reason":"OOMKilled"})");
  CHECK(failed(oom) == "lost: Failed (OOMKilled, exit code 137) [container OOMKilled final by container train]");
  CHECK(failed(oom, "", true) == "lost: Failed (OOMKilled, exit code 137; its Job makes another) [container OOMKilled by container train]");
  CHECK(failed(one_container("train", R"("terminated":{"exitCode":42,"reason":"Error","message":"a\nValueError: no data\n"})")) ==
        "lost: Failed (exit code 42: ValueError: no data) [container Error final by container train]");
  // The first one that ended with an error: the others were ended because of it.
  CHECK_THAT(failed(one_container("log", R"("terminated":{"exitCode":143,"reason":"Error","finishedAt":"2026-11-26T13:30:09Z"})") + "," +
                    one_container("train", R"("terminated":{"exitCode":2,"reason":"Error","finishedAt":"2026-11-26T13:30:08Z"})")),
             Contains("Failed (container train: exit code 2) "));
  CHECK(line_of(never_restarted, R"("phase":"Failed")") == "lost: Failed [container PodFailed final by pod]");
  CHECK(line_of(never_restarted, R"("phase":"Succeeded",)" + container_statuses(one_container("train", R"("terminated":{"exitCode":0})")),
                true) == "lost: Succeeded [container Completed final by pod]");
  const std::vector<std::string> restarting = lines_of("job-restarting");
  CHECK(restarting.at(0) == "lost: Failed (exit code 1; its Job makes another) [container Error by container trainer]");
  CHECK(restarting.at(3) == "waiting: Pending (the kubelet of Node g1 has not looked at it) [node Pending by Node g1]");
}

TEST_CASE("pods that run and are not ready") {
  CHECK(lines_of("crash-loop", "2026-11-26T13:37:30Z").at(0) ==
        "waiting: Running, not Ready (CrashLoopBackOff: exit code 1, restarted 2 times) [container CrashLoopBackOff by container trainer]");
  CHECK(lines_of("out-of-memory").at(0) ==
        "waiting: Running, not Ready (CrashLoopBackOff: OOMKilled, exit code 137, restarted once) "
        "[container CrashLoopBackOff by container trainer]");
  CHECK(lines_of("not-ready").at(0) == "waiting: Running, not Ready [readiness ContainersNotReady by container trainer]");
  CHECK(line_of(never_restarted, not_ready + container_statuses(one_container("train", R"("running":{})"))) ==
        "waiting: Running, not Ready [readiness ContainersNotReady by container train]");
  // Servers that do not say whether it has started leave no startup probe to wait for.
  const auto probe_of = [](const std::string& started) {
    const std::string one = one_container("train", R"("running":{})", R"(,"ready":false)" + started);
    return member_at(pod_of(never_restarted, not_ready + container_statuses(one), false), at("2026-11-26T13:31:00Z")).causes.at(0).text;
  };
  CHECK(probe_of("") == "its readiness probe has not succeeded");
  CHECK(probe_of(R"(,"started":true)") == "its readiness probe has not succeeded");
  CHECK(probe_of(R"(,"started":false)") == "its startup probe has not succeeded");
  // Between two restarts the container runs for a moment.
  const std::string again =
      one_container("train", R"("running":{})",
                    R"(,"restartCount":3,"lastState":{"terminated":{"exitCode":9,"reason":"Error","finishedAt":"2026-11-26T13:30:30Z"}})");
  CHECK(line_of(R"("restartPolicy":"OnFailure")", not_ready + container_statuses(again)) ==
        "waiting: Running, not Ready (exit code 9, restarted 3 times) [container Error by container train]");
  const std::string proxy = one_container("proxy", R"("running":{})", R"(,"ready":true)");
  const std::string ended = one_container("train", R"("terminated":{"exitCode":1,"reason":"Error"})");
  CHECK(line_of(never_restarted, not_ready + container_statuses(proxy + "," + ended)) ==
        "lost: Running, not Ready (container train: exit code 1) [container Error final by container train]");
  CHECK_THAT(line_of(never_restarted, not_ready + container_statuses(ended + "," + proxy), true), Catch::StartsWith("waiting: "));
  CHECK_THAT(line_of(R"("restartPolicy":"Always")", not_ready + container_statuses(ended + "," + proxy)), Catch::StartsWith("waiting: "));
  CHECK(line_of(R"("readinessGates":[{"conditionType":"lb/in"}])", not_ready + container_statuses(proxy)) ==
        "waiting: Running, not Ready (ReadinessGatesNotReady: lb/in) [readiness ReadinessGatesNotReady by pod]");
}

TEST_CASE("pods whose node is lost, or refused or took them away") {
  CHECK(lines_of("node-down").at(1) ==
        "waiting: Running, not Ready (NodeNotReady: Node g3 does not answer) [node NodeNotReady by Node g3]");
  CHECK(line_of(never_restarted, not_ready + R"("reason":"NodeLost","message":"the node does not answer",)" +
                                     container_statuses(one_container("train", R"("running":{})", R"(,"ready":true)"))) ==
        "waiting: Running, not Ready (NodeLost: the node does not answer) [node NodeLost by Node g1]");
  CHECK(line_of(never_restarted, R"("phase":"Unknown","conditions":[{"type":"Ready","status":"Unknown"}])") ==
        "waiting: Unknown (NodeLost: Node g1 does not answer) [node NodeLost by Node g1]");
  CHECK(lines_of("node-refuses").at(0) ==
        "lost: Failed (OutOfnvidia.com/gpu: Pod was rejected: Node didn't have enough resource: nvidia.com/gpu, requested: 16, used: 0, "
        "capacity: 8; its Job makes another) [node OutOfnvidia.com/gpu by Node g1]");
  CHECK(line_of(never_restarted, R"("phase":"Failed","reason":"UnexpectedAdmissionError","message":"Allocate failed")") ==
        "lost: Failed (UnexpectedAdmissionError: Allocate failed) [node UnexpectedAdmissionError final by Node g1]");
  for (const std::string reason : {"TopologyAffinityError", "SysctlForbidden", "AppArmor", "PodOSNotSupported"}) {  // its own word for each
    CHECK(line_of(never_restarted, fmt::format(R"("phase":"Failed","reason":"{}","message":"no")", reason)) ==
          fmt::format("lost: Failed ({0}: no) [node {0} final by Node g1]", reason));
  }
  CHECK(line_of(never_restarted, R"("phase":"Failed","reason":"DeadlineExceeded","message":"no",)" +
                                     container_statuses(one_container("train", R"("terminated":{"exitCode":137})"))) ==
        "lost: Failed (DeadlineExceeded: no) [container DeadlineExceeded final by pod]");
  const std::string target =
      R"("conditions":[{"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler","message":"preempting"},{"type":"Ready","status":"False","reason":"PodFailed"}],)";
  CHECK(line_of(never_restarted,
                R"("phase":"Failed",)" + target + container_statuses(one_container("train", R"("terminated":{"exitCode":143})")),
                true) == "lost: Failed (PreemptionByScheduler: preempting; its Job makes another) [leaving PreemptionByScheduler by pod]");
  // A pod that is being taken away says that it is ready until it ends.
  const Member leaving = member_at(found_in(read_sample("kubernetes/states/evicted.json")).at(0), at("2026-11-26T13:41:00Z"));
  CHECK(leaving.state.level == MemberState::waiting);
  CHECK(leaving.state.text ==
        "Running (EvictionByEvictionAPI: Eviction API: evicting; it is being deleted, and has until 2026-11-26T13:41:02Z to end)");
  REQUIRE(leaving.causes.size() == 1);
  CHECK(leaving.causes[0].code == "EvictionByEvictionAPI");
  CHECK(leaving.causes[0].layer == CauseLayer::leaving);
}

TEST_CASE("causes are bounded, printable and without secrets") {
  const std::string hostile = R"(\u001b[2J password: hunter22 )" + std::string(5000, 'x');
  const FoundPod pod =
      pod_of(never_restarted, pending + container_statuses(one_container(std::string(500, 'n'), waits("ErrImagePull", hostile))));
  const Member member = member_at(pod, at("2026-11-26T13:31:00Z"));
  REQUIRE(member.causes.size() == 1);
  CHECK(member.causes[0].text.size() < 400);
  CHECK(member.causes[0].object.size() < 100);
  CHECK(printable_line(member.state.text) == member.state.text);
  CHECK_THAT(member.state.text, !Contains("hunter22"));
}
