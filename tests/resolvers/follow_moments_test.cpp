// Waits and watches with each fault of a service at each moment, for each kind of target, in virtual time: what a later request cures
// never ends them. What ends them is tested in followers_test.cpp.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "rollcall/gce_resolver.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/queued_resource.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/union_resolver.hpp"
#include "rollcall/wait.hpp"
#include "rollcall/watch.hpp"
#include "support/cloud_loop.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

// All are ready at 60 s, and one member is lost at 300 s.
constexpr std::string_view cloud_of_late_members = R"("project": "p", "zone": "us-central2-b",
  "nodes": [{"name": "t-{i}", "count": 5, "accelerator_type": "v4-8", "timeline": [{"at": 0, "state": "CREATING"},
    {"at": 60, "state": "READY"}, {"at": 300, "state": "PREEMPTED"}]}],
  "queued_resources": [{"name": "queue", "node": {"accelerator_type": "v4-8"}, "timeline": [{"at": 0, "state": "PROVISIONING"},
    {"at": 60, "state": "ACTIVE"}, {"at": 300, "state": "SUSPENDING"}]}],
  "compute": {"instances": [{"name": "w-0", "timeline": [{"at": 0, "status": "STAGING"}, {"at": 60, "status": "RUNNING"},
    {"at": 300, "status": "REPAIRING"}]}], "groups": [{"name": "workers"}]},
  "kubernetes": {"namespace": "train", "managed_fields": false, "pods": [{"kind": "indexed_job", "name": "trainer", "count": 2,
    "labels": {"app": "w"}, "except": [{"pod": 1, "timeline": [{"at": 0, "phase": "Pending"}, {"at": 60, "phase": "Running", "ready": true},
    {"at": 300, "deleted": true}]}]}]})";

using LateTarget = std::shared_ptr<ClusterResolver> (*)(const Runtime& runtime);

std::shared_ptr<ClusterResolver> late_tpu(const Runtime& runtime) {
  return make_tpu_resolver(runtime, TpuOptions("t-0").project("p").zone("us-central2-b"));
}
// Enough for one list of all.
std::shared_ptr<ClusterResolver> late_tpus(const Runtime& runtime) {
  std::vector<std::shared_ptr<ClusterResolver>> all;
  for (int i = 0; i < 5; ++i)
    all.push_back(make_tpu_resolver(runtime, TpuOptions(fmt::format("t-{}", i)).project("p").zone("us-central2-b")));
  return make_union_resolver(runtime, std::move(all));
}
std::shared_ptr<ClusterResolver> late_queue(const Runtime& runtime) {
  return make_queued_resource_resolver(runtime, QueuedResourceOptions("queue").project("p").zone("us-central2-b"));
}
std::shared_ptr<ClusterResolver> late_group(const Runtime& runtime) {
  return make_gce_resolver(runtime, GceOptions("workers").project("p").zone("us-central2-b").port(8470));
}
std::shared_ptr<ClusterResolver> late_pods(const Runtime& runtime) {
  KubernetesOptions options;
  options.job("worker", {"app=w"}).api_server("https://127.0.0.1:6443").namespace_name("train");
  return make_kubernetes_resolver(runtime, std::move(options));
}

class LateKind {
 public:
  std::string_view name;
  LateTarget make;
  std::string_view match;  // of the faults' requests
};
constexpr LateKind late_kinds[] = {{"tpu", late_tpu, "{}"},
                                   {"five TPUs", late_tpus, "{}"},
                                   {"queued", late_queue, "{}"},
                                   {"gce", late_group, "{}"},
                                   {"pods", late_pods, "{}"},
                                   {"pods, lists", late_pods, R"({"route": "pods.list"})"},
                                   {"pods, watches", late_pods, R"({"route": "pods.watch"})"}};

constexpr std::string_view passing_faults[] = {
    R"("status": 408)",
    R"("status": 410)",
    R"("status": 429)",
    R"("status": 429, "headers": {"Retry-After": "3"})",
    R"("status": 500)",
    R"("status": 502, "body": "<html>bad gateway</html>")",
    R"("status": 503)",
    R"("status": 504)",
    R"("fault": "refuse")",
    R"("fault": "reset")",
    R"("fault": "stall")",
    R"("fault": "stall", "bytes": 40)",
    R"("fault": "truncate", "bytes": 40)",
    R"("fault": "truncate")",
    R"("fault": "trickle", "interval": 5)",
};
// Each is a list of conditions, with a comma at its end.
constexpr std::string_view moments[] = {R"("times": 1, )", R"("times": 3, )", R"("from": 20, "until": 32, )",
                                        R"("from": 55, "until": 67, )"};

std::string faulty_cloud(std::string_view match, std::string_view moment, std::string_view fault) {
  return fmt::format(R"({{"faults": [{{"match": {}, {}{}}}], {}}})", match, moment, fault, cloud_of_late_members);
}

// The same cloud, but what is lost after five minutes stays until the longest wait is over: a pod that is gone is missing in truth.
std::string without_losses(std::string cloud) {
  constexpr std::string_view lost = R"("at": 300)";
  for (std::size_t at = cloud.find(lost); at != std::string::npos; at = cloud.find(lost)) cloud.replace(at, lost.size(), R"("at": 900)");
  return cloud;
}

// A dead stream is found out when its time is over, after five to ten minutes and a half.
bool is_dead_stream(const LateKind& kind, std::string_view fault) {
  return kind.match.find("watch") != std::string_view::npos && fault.find("stall") != std::string_view::npos;
}

// The kind of the last change before `end`, "END …" if the watch ends before that.
std::string last_change(CloudLoop& t, ClusterWatch& following, double end) {
  std::string last;
  while (t.elapsed() < end) {
    auto next = t.start(following.try_next());
    while (!next.done() && t.elapsed() < end) t.advance_to(t.elapsed() + 1);
    if (!next.done()) {
      next.cancel();
      t.poll();
      break;
    }
    const Result<ClusterChange>& change = next.value();
    if (!change) return "END " + change.error().message();
    if (change->kind != ChangeKind::trouble && change->kind != ChangeKind::trouble_over) last = to_string(change->kind);
  }
  return last;
}

}  // namespace

TEST_CASE("no fault that passes ends a wait, whatever it waits for and whenever it comes") {
  for (const LateKind& kind : late_kinds) {
    for (const std::string_view moment : moments) {
      for (const std::string_view fault : passing_faults) {
        CAPTURE(kind.name, moment, fault);
        CloudLoop t(without_losses(faulty_cloud(kind.match, moment, fault)));
        const Result<ClusterStatus> ready = t.run(try_wait_until_ready(kind.make(t.runtime), usually_ready, WaitOptions().timeout(10min)));
        CAPTURE(ready ? std::string() : ready.error().message());
        CHECK(ready.has_value());
        CHECK(t.elapsed() >= 60);
        CHECK(t.elapsed() < (is_dead_stream(kind, fault) ? 640 : 200));
      }
    }
  }
}

TEST_CASE("no fault that passes ends a watch, whatever it follows and whenever it comes") {
  constexpr std::string_view late[] = {R"("times": 2, )", R"("from": 295, "until": 307, )"};
  for (const LateKind& kind : late_kinds) {
    for (const std::string_view moment : late) {
      for (const std::string_view fault : passing_faults) {
        CAPTURE(kind.name, moment, fault);
        CloudLoop t(faulty_cloud(kind.match, moment, fault));
        const std::shared_ptr<ClusterWatch> following = watch(kind.make(t.runtime), WatchOptions().machine_notices(false));
        const bool is_dead = is_dead_stream(kind, fault);
        const std::string last = last_change(t, *following, is_dead ? 700 : 420);
        // Where the first stream was dead, the pod that is lost was never seen to run. Its Job asks for it, so that the rest is not ready.
        CAPTURE(last);
        CHECK((last == "cluster_broken" || (is_dead && last == "member_left")));
      }
    }
  }
}

TEST_CASE("no fault of the metadata server hides a preemption of this machine") {
  constexpr std::string_view times[] = {R"("times": 1, )", R"("times": 3, )", R"("until": 12, )", R"("from": 95, "until": 107, )"};
  for (const std::string_view moment : times) {
    for (const std::string_view fault : passing_faults) {
      CAPTURE(moment, fault);
      CloudLoop t(fmt::format(R"({{"nodes": [{{"name": "a", "accelerator_type": "v4-8"}}],
        "faults": [{{"match": {{"path": "/computeMetadata/*"}}, {}{}}}],
        "metadata": {{"values": {{"instance/preempted": {{"timeline": [{{"at": 0, "value": "FALSE"}}, {{"at": 100, "value": "TRUE"}}]}}}}}}}})",
                              moment, fault),
                  {}, {{"/sys/class/dmi/id/product_name", "Google Compute Engine\n"}});
      const std::shared_ptr<ClusterWatch> following =
          watch(make_tpu_resolver(t.runtime, TpuOptions("a").project("example-proj").zone("us-central2-b")));
      CHECK(last_change(t, *following, 240) == "notice");
    }
  }
}
