// Waits and watches with frequent or late reports, with reports mixed with failures, or from one part only; in virtual time.
#include <catch2/catch.hpp>

#include "readiness/latest_status.hpp"
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"
#include "support/cloud_loop.hpp"
#include "support/nap.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

// One worker at 10.0.0.1, reported every 500 ms although nothing changes.
class ChattyResolver final : public ClusterResolver {
 public:
  explicit ChattyResolver(Runtime runtime) : ClusterResolver(std::move(runtime)) {}
  std::string describe() const override { return "chatty"; }
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override { co_return ClusterSpec(); }
  asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& observer) override {
    ClusterStatus status;
    status.members.emplace_back("worker", 0).address = "10.0.0.1:8470";
    for (;;) {
      observer.report(status);
      const Result<void> slept = co_await call.sleep_until(impl_of(runtime()).time->now() + 500ms);
      if (!slept) co_return slept;
    }
  }
};

// Answers with the result of `make`, called for each request.
class ScriptedResolver final : public ClusterResolver {
 public:
  ScriptedResolver(Runtime runtime, std::function<ClusterSpec()> make) : ClusterResolver(std::move(runtime)), make_(std::move(make)) {}
  std::string describe() const override { return "scripted"; }
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override { co_return make_(); }

 private:
  std::function<ClusterSpec()> make_;
};

std::shared_ptr<ClusterResolver> tpu(CloudLoop& t, const std::string& name) {
  return make_tpu_resolver(t.runtime, TpuOptions(name).project("example-proj").zone("us-central2-b"));
}

std::shared_ptr<ClusterResolver> both(CloudLoop& t, const std::string& a, const std::string& b) {
  return make_union_resolver(t.runtime, {tpu(t, a), tpu(t, b)});
}

// The kinds of the next changes, up to the end.
std::vector<std::string> kinds(VirtualLoop& t, ClusterWatch& following, std::size_t count) {
  std::vector<std::string> reported;
  while (reported.size() < count) {
    const Result<ClusterChange> change = t.run(following.try_next());
    reported.push_back(change ? std::string(to_string(change->kind)) : "END");
    if (!change) break;
  }
  return reported;
}

using Kinds = std::vector<std::string>;
const WatchOptions quiet = WatchOptions().machine_notices(false);

}  // namespace

TEST_CASE("reports that come more often than probes do not postpone the probes") {
  CloudLoop t(R"({"workers": [{"address": "10.0.0.1", "runtime": "none", "timeline": [{"at": "3s", "runtime": "tensorflow"}]}]})");
  const auto result =
      t.run(try_wait_until_ready(std::make_shared<ChattyResolver>(t.runtime), Readiness::reachable, WaitOptions().timeout(1min)));
  REQUIRE(result.has_value());
  CHECK(t.elapsed() < 10);
}

TEST_CASE("a part that does not exist yet keeps a cluster from being ready under every condition") {
  CloudLoop t(R"({"nodes": [{"name": "there", "accelerator_type": "v4-8"}]})");
  const auto result =
      t.run(try_wait_until_ready(both(t, "there", "nowhere"), Readiness::endpoints, WaitOptions().for_existence(true).timeout(1min)));
  REQUIRE(result.has_error());
  CHECK_THAT(result.error().what(), Contains("1 of 2 ready; ") && Contains("; missing: worker 1: not there yet"));
}

TEST_CASE("tasks that two clusters claim end a wait if the conflict persists") {
  CloudLoop t("{}");
  const auto claim = [&t](const std::string& json) {
    return make_simple_resolver(t.runtime, SimpleOptions(ClusterSpec::from_json(json).value()));
  };
  const auto both_claim =
      make_union_resolver(t.runtime, {claim(R"({"worker":{"5":"a:1"}})"), claim(R"({"worker":{"5":"b:1","7":"c:1"}})")});
  const auto result = t.run(try_wait_until_ready(both_claim, usually_ready, WaitOptions().timeout(30min)));
  check_failure(result, Errc::conflict, "simple and simple both have a task 5 of job 'worker'");
  CHECK(t.elapsed() < 120);
}

TEST_CASE("tasks that two clusters claim for a while are waited for") {
  CloudLoop t(R"({"nodes": [{"name": "a", "accelerator_type": "v4-8"}, {"name": "b", "accelerator_type": "v4-8"}]})");
  int asked = 0;
  const auto claim = [&t](auto make) { return std::make_shared<ScriptedResolver>(t.runtime, std::move(make)); };
  const auto first = claim([] { return ClusterSpec::from_json(R"({"worker":{"5":"a:1"}})").value(); });
  const auto second =
      claim([&asked] { return ClusterSpec::from_json(++asked < 4 ? R"({"worker":{"5":"b:1"}})" : R"({"worker":{"6":"b:1"}})").value(); });
  const auto result =
      t.run(try_wait_until_ready(make_union_resolver(t.runtime, {first, second}), Readiness::endpoints, WaitOptions().timeout(30min)));
  REQUIRE(result.has_value());
  CHECK(result->spec().to_json() == R"({"worker":{"5":"a:1","6":"b:1"}})");
}

TEST_CASE("tasks that two clusters claim until the very last poll are waited for") {
  CloudLoop t("{}");
  int first_asked = 0;
  int second_asked = 0;
  const auto script = [&t](auto make) { return std::make_shared<ScriptedResolver>(t.runtime, std::move(make)); };
  // The first is asked before the second: at its request the conflict has lasted long enough.
  const auto first = script([&first_asked] {
    return ClusterSpec::from_json(++first_asked < 2 ? R"({"worker":{"5":"a:2"}})" : R"({"worker":{"5":"a:1"}})").value();
  });
  const auto second = script([&second_asked] {
    if (++second_asked < 7) return ClusterSpec::from_json(R"({"worker":{"5":"b:1"}})").value();
    return ClusterSpec::from_json(second_asked == 7 ? R"({"worker":{"6":"b:1"}})" : R"({"worker":{"6":"b:1","7":"c:1"}})").value();
  });
  const auto result = t.run(
      try_wait_until_ready(make_union_resolver(t.runtime, {first, second}), Readiness::endpoints, WaitOptions().members(3).timeout(30min)));
  REQUIRE(result.has_value());
  CHECK(result->spec().to_json() == R"({"worker":{"5":"a:1","6":"b:1","7":"c:1"}})");
}

TEST_CASE("a job without tasks is in the spec when a wait ends") {
  CloudLoop t("{}");
  const auto simple = make_simple_resolver(t.runtime, SimpleOptions(ClusterSpec::from_json(R"({"ps":[],"worker":["a:1"]})").value()));
  const auto result = t.run(try_wait_until_ready(simple, Readiness::endpoints, WaitOptions().timeout(1min)));
  REQUIRE(result.has_value());
  CHECK(result->spec().to_json() == R"({"ps":{},"worker":["a:1"]})");
}

TEST_CASE("a job without pods keeps a cluster from being ready under every condition") {
  CloudLoop t(R"({"kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "trainer", "labels": {"app": "w"}}]}})");
  KubernetesOptions options;
  options.job("worker", {"app=w"}).job("ps", {"app=ps"}).api_server("https://127.0.0.1:6443").namespace_name("train");
  const auto result = t.run(
      try_wait_until_ready(make_kubernetes_resolver(t.runtime, std::move(options)), Readiness::endpoints, WaitOptions().timeout(1min)));
  REQUIRE(result.has_error());
  CHECK_THAT(result.error().what(), Contains("1 of 2 ready; ") && Contains("; missing: ps 0: not there yet"));
}

TEST_CASE("the time for provisioning begins when a member is being created") {
  CloudLoop t(R"({"nodes": [{"name": "late", "accelerator_type": "v4-8", "timeline": [{"at": "0s", "state": "DELETED"},
    {"at": "100s", "state": "CREATING"}]}]})");
  const auto result =
      t.run(try_wait_until_ready(tpu(t, "late"), usually_ready, WaitOptions().for_existence(true).provision_timeout(60s).timeout(10min)));
  REQUIRE(result.has_error());
  CHECK_THAT(result.error().what(), Contains("granted, but not ready within 1 m"));
  CHECK(t.elapsed() >= 160);
  CHECK(t.elapsed() < 200);
}

TEST_CASE("reports from before the end of a watch come first") {
  CloudLoop t(
      R"({"nodes": [{"name": "a", "accelerator_type": "v4-8", "timeline": [{"at": "0s", "state": "READY"}, {"at": "50s", "state": "PREEMPTED"}]}],
    "faults": [{"match": {"path": "*/nodes/a"}, "status": 403, "from": "150s"}]})");
  const auto following = watch(tpu(t, "a"), quiet);
  CHECK(kinds(t, *following, 2) == Kinds{"member_joined", "cluster_ready"});
  t.run(nap(t.runtime, 300s));  // a slow reader
  CHECK(kinds(t, *following, 9) == Kinds{"member_changed", "cluster_broken", "END"});
}

TEST_CASE("a notice comes before changes that were not read yet") {
  CloudLoop t(R"({"nodes": [{"name": "a", "accelerator_type": "v4-32"}]})", {{"GCE_METADATA_HOST", "metadata.google.internal"}});
  const auto following = watch(tpu(t, "a"));
  CHECK(kinds(t, *following, 1) == Kinds{"member_joined"});
  t.cloud->set_metadata("instance/preempted", "TRUE");
  t.run(nap(t.runtime, 1s));
  CHECK(kinds(t, *following, 2) == Kinds{"notice", "member_joined"});
}

TEST_CASE("a report that comes while a wait for it is being cancelled is not forgotten") {
  CloudLoop t("{}");
  LatestStatus latest(Existence::required);
  TimerQueue& timers = *impl_of(t.runtime).timers;
  auto first = t.start(latest.wait(timers, SteadyTime::max()));
  first.cancel();
  latest.report(ClusterStatus());
  t.poll();
  REQUIRE(first.done());
  auto second = t.start(latest.wait(timers, SteadyTime::max()));
  t.poll();
  CHECK(second.done());
}

TEST_CASE("a watch does not probe members: conditions that need probes are met by addresses") {
  CloudLoop t(R"({"nodes": [{"name": "a", "accelerator_type": "v4-8"}]})");
  const auto following = watch(tpu(t, "a"), WatchOptions().machine_notices(false).until(Readiness::state | Readiness::reachable));
  CHECK(kinds(t, *following, 2) == Kinds{"member_joined", "cluster_ready"});
}

TEST_CASE("a metadata server that does not hold its answers is not asked in a tight loop") {
  const std::map<std::string, std::string, std::less<>> variables = {{"GCE_METADATA_HOST", "metadata.google.internal"}};
  TestRuntime t(variables);
  t.transport->respond = [](const HttpRequest& request) {
    HttpResponse response = ScriptedTransport::reply(200, request.url.target.find("preempted") == std::string::npos ? "NONE" : "FALSE");
    response.headers.add("Metadata-Flavor", "Google");
    response.headers.add("ETag", "constant");
    return ScriptedTransport::Answer(std::move(response));
  };
  const auto spec = ClusterSpec::from_json(R"({"worker": ["a:1"]})").value();
  const auto following = watch(make_simple_resolver(t.runtime, SimpleOptions(spec)));
  CHECK(kinds(t, *following, 2) == Kinds{"member_joined", "cluster_ready"});
  t.run(nap(t.runtime, 120s));
  CHECK(t.transport->requests.size() < 30);
  following->close();
  t.poll();
}

TEST_CASE("trouble of one part is reported, and stays, while another part reports") {
  CloudLoop t(R"({"nodes": [{"name": "a", "accelerator_type": "v4-8"}, {"name": "b", "accelerator_type": "v4-8"}],
    "faults": [{"match": {"path": "*/nodes/b"}, "status": 503, "from": "1s"}]})");
  const auto following = watch(both(t, "a", "b"), quiet);
  CHECK(kinds(t, *following, 4) == Kinds{"member_joined", "member_joined", "cluster_ready", "trouble"});
}

TEST_CASE("trouble with the watch of unchanged pods is over when it continues") {
  CloudLoop t(R"({"kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "trainer", "labels": {"app": "w"}}]},
    "faults": [{"match": {"route": "pods.watch"}, "status": 503, "times": 1}]})");
  KubernetesOptions options;
  options.job("worker", {"app=w"}).api_server("https://127.0.0.1:6443").namespace_name("train");
  const auto following = watch(make_kubernetes_resolver(t.runtime, std::move(options)), quiet);
  CHECK(kinds(t, *following, 4) == Kinds{"trouble", "member_joined", "cluster_ready", "trouble_over"});
  CHECK(t.elapsed() < 700);
}
