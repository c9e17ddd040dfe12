// Follows pods and TPUs of a simulated cloud, in virtual time.
#include <fmt/format.h>
#include <algorithm>

#include <catch2/catch.hpp>

#include "async/async_event.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/watch.hpp"
#include "support/cloud_loop.hpp"
#include "support/nap.hpp"
#include "support/result.hpp"
#include "support/wait_story.hpp"

using namespace rollcall;
using rollcall::testing::CloudLoop;
using rollcall::testing::nap;
using rollcall::testing::WaitStory;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

std::string cluster_with(const std::string& pods, const std::string& more = {}) {
  return R"({"kubernetes": {"namespace": "train", "managed_fields": false)" + more + R"(, "pods": [)" + pods + "]}}";
}

KubernetesOptions job(const std::string& selector = "job-name=trainer") {
  KubernetesOptions options({{"worker", {selector}}});
  options.api_server("https://127.0.0.1:6443").namespace_name("train").address(PodAddress::pod);
  return options;
}

std::shared_ptr<ClusterResolver> pods(CloudLoop& t, KubernetesOptions options = job()) {
  return make_kubernetes_resolver(t.runtime, std::move(options));
}

// All changes until `kind` has been reported `times` times.
std::vector<std::string> changes_until(CloudLoop& t, ClusterWatch& watch, ChangeKind kind, int times = 1) {
  std::vector<std::string> reported;
  while (times > 0 && reported.size() < 1000 && t.elapsed() < 10'000) {
    const Result<ClusterChange> change = t.run(watch.try_next());
    if (!change) {
      reported.push_back("END " + change.error().what());
      break;
    }
    reported.push_back(std::string(to_string(change->kind)) + ": " + change->text);
    if (change->kind == kind) --times;
  }
  return reported;
}

}  // namespace

TEST_CASE("a watch reports members that only a list names as listed, not as checked") {
  CloudLoop t("{}");
  const auto listed = make_simple_resolver(t.runtime, SimpleOptions(ClusterSpec::from_json(R"({"worker": ["a:1", "b:1"]})").value()));
  const auto watching = watch(listed, WatchOptions().machine_notices(false));
  CHECK_THAT(changes_until(t, *watching, ChangeKind::cluster_ready).back(), Contains("is ready: 2 members listed, not asked"));
}

TEST_CASE("pods that start are ready within 50 ms after the last one is, by one list and one watch") {
  CloudLoop t(cluster_with(
      R"({"kind": "indexed_job", "name": "trainer", "count": 4, "except": [{"pod": 2, "running_after": 50, "ready_after": 80}]})"));
  WaitStory story;
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(pods(t), usually_ready, story.options()));
  REQUIRE(status);
  CHECK(t.elapsed() >= 80);
  CHECK(t.elapsed() <= 80.05);
  CHECK(t.asked("pods.list") == 1);
  CHECK(t.asked("pods.watch") == 1);
  CHECK(status->spec().num_tasks("worker").value() == 4);
  REQUIRE(!story.lines.empty());
  CHECK_THAT(story.lines.front(), Contains("3/4 ready · waiting for worker 2 ("));
  CHECK(story.lines.back() == "4/4 ready (Job trainer: 4)");
}

TEST_CASE("pods that do not exist yet are waited for, and a gap among the indices is a pod that is missing") {
  CloudLoop t(cluster_with(
      R"({"kind": "indexed_job", "name": "trainer", "count": 3, "created_at": 20, "except": [{"pod": 1, "created_at": 40}]})"));
  WaitStory story;
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(pods(t), usually_ready, story.options()));
  REQUIRE(status);
  CHECK(t.elapsed() >= 40);
  CHECK(t.elapsed() <= 40.05);
  CHECK_THAT(story.lines.front(), Contains("no pods of job 'worker' (job-name=trainer)"));
  CHECK(std::any_of(story.lines.begin(), story.lines.end(), [](const std::string& line) {
    return line.find("2/3 ready · waiting for worker 1: not there yet") != std::string::npos;
  }));
}

TEST_CASE("an unschedulable pod is waited for unless that is set to be a failure") {
  CloudLoop t(cluster_with(
      R"({"kind": "indexed_job", "name": "trainer", "timeline": [{"at": 0, "phase": "Pending", "waiting": "Unschedulable"}, {"at": 300, "phase": "Running"}]})"));
  CHECK(t.run(try_wait_until_ready(pods(t))).has_value());
  CHECK(t.elapsed() <= 300.05);
  CloudLoop again(cluster_with(
      R"({"kind": "indexed_job", "name": "trainer", "timeline": [{"at": 0, "phase": "Pending", "waiting": "Unschedulable"}]})"));
  const auto failed = again.run(try_wait_until_ready(pods(again), usually_ready, WaitOptions().fail_if_unschedulable(true)));
  REQUIRE(failed.has_error());
  CHECK_THAT(failed.error().message(), Contains("Unschedulable") && Contains("no node has room"));
  CHECK(again.elapsed() < 1);
}

TEST_CASE("members that join and leave, and the cluster's readiness, are reported in order") {
  CloudLoop t(cluster_with(R"({"kind": "stateful_set", "name": "trainer", "count": 2, "labels": {"app": "t"},
    "except": [{"pod": 1, "running_after": 10, "timeline": [{"at": 60, "deleted": true}, {"at": 90, "phase": "Running", "ready": true}]}]})"));
  const auto following = watch(pods(t, job("app=t")));
  const std::vector<std::string> reported = changes_until(t, *following, ChangeKind::cluster_ready, 2);
  const std::vector<std::string> kinds = [&reported] {
    std::vector<std::string> list;
    for (const std::string& line : reported) list.push_back(line.substr(0, line.find(':')));
    return list;
  }();
  CAPTURE(reported);
  CHECK(kinds == std::vector<std::string>{"member_joined", "member_joined", "member_changed", "cluster_ready", "member_left",
                                          "cluster_broken", "member_joined", "cluster_ready"});
  CHECK(t.asked("pods.list") == 1);
  CHECK(t.asked("pods.watch") == 1);
}

namespace {

// Pods w-5, w-6 … of a StatefulSet, each with its own `more` in its JSON object.
std::string ordinal_pods(const std::vector<std::string>& more) {
  std::string text;
  for (std::size_t i = 0; i < more.size(); ++i) {
    text += fmt::format(R"({}{{"name": "w-{}", "labels": {{"app": "w", "apps.kubernetes.io/pod-index": "{}"}}{}}})", i == 0 ? "" : ", ",
                        i + 5, i + 5, more[i]);
  }
  return text;
}

std::vector<std::string> numbered_names(const ClusterStatus& status) {
  std::vector<std::string> list;
  for (const Member& member : status.members) list.push_back(fmt::format("{} {}", member.index, member.name));
  return list;
}

}  // namespace

TEST_CASE("a StatefulSet that does not count from 0 becomes ready, and its tasks are numbered as in the spec") {
  CloudLoop t(cluster_with(ordinal_pods({"", R"(, "running_after": 10)"})));
  const auto resolver = pods(t, job("app=w"));
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(resolver, usually_ready, WaitOptions().timeout(1min)));
  REQUIRE(status);
  CHECK(t.elapsed() <= 11);
  CHECK(status->expected == 2);
  CHECK(numbered_names(*status) == std::vector<std::string>{"0 train/w-5", "1 train/w-6"});
  CHECK(t.run(resolver->cluster_spec()).num_tasks("worker").value() == 2);
  CHECK(numbered_names(t.run(resolver->cluster_status())) == numbered_names(*status));
}

TEST_CASE("a StatefulSet that loses its first pod during a watch is not renumbered") {
  CloudLoop t(cluster_with(
      ordinal_pods({R"(, "timeline": [{"at": 60, "deleted": true}, {"at": 90, "phase": "Running", "ready": true}])", "", ""})));
  const auto following = watch(pods(t, job("app=w")));
  const std::vector<std::string> reported = changes_until(t, *following, ChangeKind::cluster_ready, 2);
  CAPTURE(reported);
  REQUIRE(reported.size() == 8);
  CHECK_THAT(reported[4], Catch::StartsWith("member_left: ") && Contains("worker 0"));
  CHECK_THAT(reported[5], Catch::StartsWith("cluster_broken: ") && Contains("2 of 3 members"));
  CHECK_THAT(reported[6], Catch::StartsWith("member_joined: ") && Contains("worker 0"));
}

TEST_CASE("a server that restarts breaks the watch: a new list follows, and nothing is lost") {
  CloudLoop t(cluster_with(R"({"kind": "indexed_job", "name": "trainer", "count": 2, "except": [{"pod": 1, "running_after": 100}]})",
                           R"(, "restarts": [30, 60])"));
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(pods(t)));
  REQUIRE(status);
  CHECK(t.elapsed() <= 102);
  CHECK(t.asked("pods.list") <= 5);
  CHECK(t.asked("pods.watch") <= 9);
}

TEST_CASE("a watch that always ends at once is not requested in a tight loop, and changes are found by lists") {
  CloudLoop t(R"({"kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "trainer", "running_after": 600}]},
    "faults": [{"match": {"route": "pods.watch"}, "status": 200, "headers": {"Content-Type": "application/json"}, "body": ""}]})");
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(pods(t)));
  REQUIRE(status);
  CHECK(t.elapsed() >= 600);
  CHECK(t.elapsed() <= 700);
  CHECK(t.asked("pods.watch") + t.asked("pods.list") <= 60);
}

TEST_CASE("a stream that stays silent is given up, and changes in between are found") {
  CloudLoop t(R"({"kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "trainer", "running_after": 100}]},
    "faults": [{"match": {"route": "pods.watch"}, "times": 1, "fault": "stall", "bytes": 0}]})");
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(pods(t)));
  REQUIRE(status);
  CHECK(t.elapsed() <= 640);
}

TEST_CASE("twenty thousand events cost one list and one watch, and a slow reader gets the final state", "[long]") {
  std::string timeline;
  for (int i = 1; i <= 200; ++i) {
    timeline += (i > 1 ? "," : "") + std::string(R"({"at": )") + std::to_string(i) + R"(, "ready": )" + (i % 2 == 0 ? "true}" : "false}");
  }
  CloudLoop t(cluster_with(R"({"kind": "indexed_job", "name": "trainer", "count": 100, "timeline": [)" + timeline + "]}"));
  const auto following = watch(pods(t));
  REQUIRE(t.run(following->try_next()));
  t.run(nap(t.runtime, 250s));  // the reader is busy meanwhile
  const std::vector<std::string> reported = changes_until(t, *following, ChangeKind::cluster_ready);
  CHECK(reported.size() == 100);  // 99 more joined, and the readiness of all: intermediate changes are dropped
  CHECK(t.asked("pods.list") == 1);
  CHECK(t.asked("pods.watch") == 1);
}

TEST_CASE("a cancelled next() loses no change") {
  CloudLoop t(cluster_with(R"({"kind": "indexed_job", "name": "trainer", "created_at": 10})"));
  const auto following = watch(pods(t));
  auto waiting = t.start(following->try_next());
  waiting.cancel();
  t.poll();
  REQUIRE(waiting.done());
  CHECK(waiting.value().error().code() == Errc::cancelled);
  const std::vector<std::string> reported = changes_until(t, *following, ChangeKind::cluster_ready);
  CHECK(reported.size() == 2);
}

TEST_CASE("a watch that is closed leaves nothing behind") {
  CloudLoop t(cluster_with(R"({"kind": "indexed_job", "name": "trainer"})"));
  auto following = watch(pods(t));
  REQUIRE(t.run(following->try_next()));
  SECTION("closed") {
    following->close();
    const std::vector<std::string> reported = changes_until(t, *following, ChangeKind::member_left);
    CHECK_THAT(reported.back(), Contains("END ") && Contains("cancelled"));
  }
  SECTION("destroyed") { following.reset(); }
  t.poll();
  CHECK(t.http->in_flight() == 0);
  CHECK(!t.time->next_alarm());
}

TEST_CASE("a TPU that is preempted, and created again under its name") {
  CloudLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-8", "endpoints": ["10.0.0.1"], "timeline": [
    {"at": "0s", "state": "READY", "id": "1"}, {"at": "100s", "state": "PREEMPTED", "id": "1"}, {"at": "160s", "state": "DELETED"},
    {"at": "300s", "state": "READY", "id": "2"}]}]})");
  const auto following = watch(make_tpu_resolver(t.runtime, TpuOptions("trainer").project("example-proj").zone("us-central2-b")),
                               WatchOptions().machine_notices(false));
  const std::vector<std::string> reported = changes_until(t, *following, ChangeKind::cluster_ready, 2);
  CAPTURE(reported);
  REQUIRE(reported.size() == 7);
  CHECK_THAT(reported[2], Contains("READY -> PREEMPTED"));
  CHECK_THAT(reported[3], Contains("cluster_broken") && Contains("will not become ready: PREEMPTED"));
  CHECK_THAT(reported[4], Contains("member_left"));
  CHECK_THAT(reported[5], Contains("member_joined"));
}

TEST_CASE("a watch does not ask the metadata server if the environment disables it") {
  for (const auto& [name, value] : {std::pair("TPU_SKIP_MDS_QUERY", ""), std::pair("TPU_SKIP_MDS_QUERY", "true"),
                                    std::pair("NO_GCE_CHECK", "true"), std::pair("METADATA_SERVER_DETECTION", "none"),
                                    std::pair("METADATA_SERVER_DETECTION", "bios-only"), std::pair("NO_GCE_CHECK", "false")}) {
    CAPTURE(name, value);
    CloudLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-8"}]})",
                {{"GCE_METADATA_HOST", "metadata.google.internal"}, {name, value}});
    const auto following = watch(make_tpu_resolver(t.runtime, TpuOptions("trainer").project("example-proj").zone("us-central2-b")));
    CHECK(changes_until(t, *following, ChangeKind::cluster_ready).size() == 2);
    t.run(nap(t.runtime, 90s));
    const auto& counts = t.cloud->counts();
    const bool is_asked = std::any_of(counts.begin(), counts.end(), [](const auto& one) { return one.first.starts_with("metadata"); });
    const bool is_on = value == std::string("false");
    CHECK(is_asked == is_on);
  }
}

TEST_CASE("preemption and maintenance of this machine are reported within one long poll") {
  CloudLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-8", "endpoints": ["10.0.0.1"]}]})",
              {{"GCE_METADATA_HOST", "metadata.google.internal"}});
  const auto following = watch(make_tpu_resolver(t.runtime, TpuOptions("trainer").project("example-proj").zone("us-central2-b")));
  const std::vector<std::string> before = changes_until(t, *following, ChangeKind::cluster_ready);
  CHECK(before.size() == 2);
  t.run(nap(t.runtime, 200s));
  t.cloud->set_metadata("instance/preempted", "TRUE");
  const double at = t.elapsed();
  const std::vector<std::string> reported = changes_until(t, *following, ChangeKind::notice);
  CHECK_THAT(reported.back(), Contains("this machine: preemption announced (TRUE)"));
  CHECK(t.elapsed() - at < 0.001);
}
