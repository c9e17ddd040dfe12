// Watches of a faulty server, and TPUs whose API contradicts itself, in virtual time.
#include <catch2/catch.hpp>

#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/watch.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"
#include "support/wait_story.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

std::string event_json(const std::string& type, const std::string& pod) { return R"({"type":")" + type + R"(","object":)" + pod + "}\n"; }

std::string ready_pod(const std::string& name, const std::string& version, const std::string& uid = "u",
                      const std::string& phase = "Running") {
  return pod_json(name, "10.0.0.1", R"(,"uid":")" + uid + R"(","resourceVersion":")" + version + "\"",
                  R"(,"conditions":[{"type":"Ready","status":"True"}])", phase);
}

// Lists `listed`, then gives one body for each watch. The last body is repeated after ten minutes.
class WatchScript {
 public:
  WatchScript(TestRuntime& t, std::vector<std::string> listed, std::vector<std::string> streams) {
    t.transport->respond = [this, listed = std::move(listed), streams = std::move(streams)](const HttpRequest& request) {
      if (request.url.target.find("watch=1") == std::string::npos) {
        const std::size_t which = std::min(lists++, listed.size() - 1);
        return ScriptedTransport::Answer(ScriptedTransport::reply(200, list_json(listed[which])));
      }
      versions.push_back(query_of(request, "resourceVersion"));
      const std::size_t which = watches++;
      ScriptedTransport::Answer answer(ScriptedTransport::reply(200, which < streams.size() ? streams[which] : std::string()));
      answer.after = which < streams.size() ? Duration(100ms) : Duration(std::chrono::minutes(10));
      return answer;
    };
  }
  std::size_t lists = 0;
  std::size_t watches = 0;
  std::vector<std::string> versions;
};

std::vector<std::string> changes(VirtualLoop& t, ClusterWatch& following, std::size_t count) {
  std::vector<std::string> reported;
  while (reported.size() < count) {
    const Result<ClusterChange> change = t.run(following.try_next());
    if (!change) {
      reported.push_back("END " + change.error().message());
      break;
    }
    reported.push_back(std::string(to_string(change->kind)) + " " + change->member.name);
  }
  return reported;
}

KubernetesOptions faulty_train() {
  KubernetesOptions options = at_test_server();
  options.namespace_name("train");
  return options;
}

}  // namespace

TEST_CASE("an event that is older than the known state changes nothing") {
  TestRuntime t;
  WatchScript script(t, {ready_pod("w", "100")},
                     {event_json("MODIFIED", ready_pod("w", "99", "u", "Pending")) + event_json("ADDED", ready_pod("x", "101"))});
  const auto following = watch(make_kubernetes_resolver(t.runtime, faulty_train()), WatchOptions().machine_notices(false));
  CHECK(changes(t, *following, 3) == std::vector<std::string>{"member_joined train/w", "cluster_ready ", "member_joined train/x"});
  CHECK(following->status().members.size() == 2);
  CHECK(following->status().members[0].state.level == MemberState::ready);
}

TEST_CASE("a pod that is created again under its name counts although its version is lower") {
  TestRuntime t;
  WatchScript script(t, {ready_pod("w", "100")}, {event_json("MODIFIED", ready_pod("w", "99", "other", "Pending"))});
  const auto following = watch(make_kubernetes_resolver(t.runtime, faulty_train()), WatchOptions().machine_notices(false));
  CHECK(changes(t, *following, 4) ==
        std::vector<std::string>{"member_joined train/w", "cluster_ready ", "member_changed train/w", "cluster_broken "});
}

TEST_CASE("a version that is too old leads to one new list, from which the watch continues") {
  TestRuntime t;
  const std::string gone = event_json("ERROR", status_json(410, "Expired", "too old resource version: 1 (9)"));
  WatchScript script(t, {ready_pod("w", "5"), ready_pod("w", "5") + "," + ready_pod("x", "9")}, {gone});
  const auto following = watch(make_kubernetes_resolver(t.runtime, faulty_train()), WatchOptions().machine_notices(false));
  CHECK(changes(t, *following, 3) == std::vector<std::string>{"member_joined train/w", "cluster_ready ", "member_joined train/x"});
  CHECK(script.lists == 2);
  CHECK(t.seconds() < 1);
}

TEST_CASE("after errors of the stream the watch continues where it was") {
  TestRuntime t;
  const std::string error = event_json("ERROR", status_json(500, "InternalError", "etcdserver: no leader"));
  WatchScript script(
      t, {ready_pod("w", "5")},
      {error, event_json("BOOKMARK", R"({"metadata":{"resourceVersion":"42"}})"), event_json("ADDED", ready_pod("x", "43"))});
  const auto following = watch(make_kubernetes_resolver(t.runtime, faulty_train()), WatchOptions().machine_notices(false));
  const std::vector<std::string> reported = changes(t, *following, 5);
  CHECK(reported.back() == "member_joined train/x");
  CHECK(script.lists == 1);
  REQUIRE(script.versions.size() >= 3);
  CHECK(script.versions[0] == "1");  // the list's version
  CHECK(script.versions[1] == "1");  // an error has no version
  CHECK(script.versions[2] == "42");
}

TEST_CASE("the trouble is over as soon as the server answers a watch again, although no pod changes") {
  CloudLoop t(R"({"kubernetes": {"namespace": "train", "restarts": [60],
    "pods": [{"kind": "indexed_job", "name": "trainer", "labels": {"app": "w"}}]}})");
  KubernetesOptions options;
  options.job("worker", {"app=w"}).api_server("https://127.0.0.1:6443").namespace_name("train");
  const auto following = watch(make_kubernetes_resolver(t.runtime, std::move(options)));
  const std::vector<std::string> reported = changes(t, *following, 4);
  CHECK_THAT(reported.front(), Catch::StartsWith("member_joined train/trainer-0-"));
  CHECK(std::vector<std::string>(reported.begin() + 1, reported.end()) ==
        std::vector<std::string>{"cluster_ready ", "trouble ", "trouble_over "});
  CHECK(t.elapsed() < 90);
}

TEST_CASE("streams that are malformed again and again give way to lists") {
  TestRuntime t;
  const std::string one = ready_pod("w", "5");
  WatchScript script(t, {one, one, one, one, one + "," + ready_pod("x", "9")},
                     std::vector<std::string>(20, "<html>a proxy's page</html>\n"));
  const auto following = watch(make_kubernetes_resolver(t.runtime, faulty_train()), WatchOptions().machine_notices(false));
  std::string last;
  for (int i = 0; i < 50 && !last.starts_with("END") && last != "member_joined train/x"; ++i) last = changes(t, *following, 1).front();
  CHECK(last == "member_joined train/x");
  CHECK(script.watches == 5);
  CHECK(script.lists == 5);
}

TEST_CASE("two pods with one index are waited for until one of them is deleted") {
  CloudLoop t(R"({"kubernetes": {"namespace": "train", "managed_fields": false, "pods": [
    {"kind": "indexed_job", "name": "trainer", "count": 2},
    {"name": "left-over", "labels": {"job-name": "trainer", "batch.kubernetes.io/job-name": "trainer", "batch.kubernetes.io/job-completion-index": "1"},
     "timeline": [{"at": 40, "deleted": true}]}]}})");
  KubernetesOptions options;
  options.job("worker", {"job-name=trainer"});
  options.api_server("https://127.0.0.1:6443").namespace_name("train").address(PodAddress::pod);
  WaitStory story;
  const Result<ClusterStatus> status =
      t.run(try_wait_until_ready(make_kubernetes_resolver(t.runtime, options), usually_ready, story.options()));
  REQUIRE(status);
  CHECK(t.elapsed() >= 40);
  CHECK(t.elapsed() <= 40.05);
  CHECK_THAT(story.lines.front(), Contains("1/2 ready · waiting for worker 1") && Contains("both have index 1"));
}

TEST_CASE("two workers with one address are waiting until the contradiction ends") {
  CloudLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16", "timeline": [
    {"at": "0s", "state": "READY", "endpoints": ["10.0.0.1", "10.0.0.1"]}, {"at": "30s", "endpoints": ["10.0.0.1", "10.0.0.2"]}]}]})");
  WaitStory story;
  const auto tpu = make_tpu_resolver(t.runtime, TpuOptions("trainer").project("example-proj").zone("us-central2-b"));
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(tpu, usually_ready, story.options()));
  REQUIRE(status);
  CHECK(t.elapsed() >= 30);
  CHECK_THAT(story.lines.front(), Contains("1/2 ready · waiting for worker 1 (10.0.0.1:8470): has the address of worker 0 as well"));
}

TEST_CASE("endpoints that disappear and return make the cluster broken and ready again") {
  CloudLoop t(R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16", "timeline": [
    {"at": "0s", "state": "READY", "endpoints": ["10.0.0.1", "10.0.0.2"]}, {"at": "100s", "endpoints": ["10.0.0.1"]},
    {"at": "200s", "endpoints": ["10.0.0.1", "10.0.0.2"]}]}]})");
  const auto following = watch(make_tpu_resolver(t.runtime, TpuOptions("trainer").project("example-proj").zone("us-central2-b")),
                               WatchOptions().machine_notices(false));
  std::vector<std::string> reported;
  for (int i = 0; i < 7; ++i) {
    const Result<ClusterChange> change = t.run(following->try_next());
    REQUIRE(change);
    reported.push_back(change->text);
  }
  CAPTURE(reported);
  CHECK_THAT(reported[3], Contains("address 10.0.0.2:8470 -> none"));
  CHECK_THAT(reported[4], Contains("not ready any more: 1 of 2"));
  CHECK_THAT(reported[5], Contains("address none -> 10.0.0.2:8470"));
  CHECK_THAT(reported[6], Contains("is ready: 2 members"));
}

TEST_CASE("a wall clock that jumps changes nothing of a wait") {
  CloudLoop t(
      R"({"nodes": [{"name": "trainer", "accelerator_type": "v4-16", "timeline": [{"at": "0s", "state": "CREATING"}, {"at": "60s", "state": "READY"}]}]})");
  auto waiting =
      t.start(try_wait_until_ready(make_tpu_resolver(t.runtime, TpuOptions("trainer").project("example-proj").zone("us-central2-b"))));
  t.time->advance(10s);
  t.poll();
  t.time->set_wall(t.time->wall_now() + std::chrono::hours(24 * 365));
  t.time->advance(10s);
  t.poll();
  t.time->set_wall(t.time->wall_now() - std::chrono::hours(24 * 3650));
  REQUIRE(t.finish(waiting));
  REQUIRE(waiting.value());
  CHECK(t.elapsed() >= 60);
  CHECK(t.elapsed() <= 96);
}

TEST_CASE("without a resolver a wait and a watch say so") {
  CloudLoop t("{}");
  check_failure(t.run(try_wait_until_ready(nullptr)), Errc::invalid_argument, "wait_until_ready: the resolver is null");
  const auto nothing = watch(nullptr);
  check_failure(t.run(nothing->try_next()), Errc::invalid_argument, "watch: the resolver is null");
  nothing->close();
  CHECK(nothing->status().members.empty());
}

TEST_CASE("a second reader of a watch is refused, and the first one goes on") {
  CloudLoop t(
      R"({"nodes": [{"name": "n", "accelerator_type": "v4-8", "endpoints": ["10.0.0.1"]}], "faults": [{"match": {"route": "nodes.get"}, "delay": "1s"}]})");
  TpuOptions options("n");
  options.zone("us-central2-b").project("example-proj");
  const auto following = watch(make_tpu_resolver(t.runtime, options), WatchOptions().machine_notices(false));
  auto first = t.start(following->try_next());
  t.poll();
  check_failure(t.run(following->try_next()), Errc::invalid_argument, "one reader at a time");
  REQUIRE(t.finish(first));
  CHECK(first.value());
  CHECK(t.run(following->try_next()));
}
