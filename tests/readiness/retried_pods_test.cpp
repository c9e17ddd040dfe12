// What ends a wait for pods, and what Kubernetes tries again and is waited for; in virtual time.
#include <algorithm>
#include <catch2/catch.hpp>

#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/wait.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"
#include "support/wait_story.hpp"

using namespace rollcall;
using rollcall::testing::CloudLoop;
using rollcall::testing::WaitStory;

namespace {

std::string cluster_of(const std::string& pods) {
  return R"({"kubernetes": {"namespace": "train", "managed_fields": false, "pods": [)" + pods + "]}}";
}

std::shared_ptr<ClusterResolver> trainers(CloudLoop& t) {
  KubernetesOptions options;
  options.job_to_label_mapping({{"worker", {"job-name=trainer"}}})
      .api_server("https://127.0.0.1:6443")
      .namespace_name("train")
      .address(PodAddress::pod);
  return make_kubernetes_resolver(t.runtime, std::move(options));
}

}  // namespace

TEST_CASE("an image whose name is invalid and a pod that failed for good end the wait with the reason") {
  const auto [pod, words] = GENERATE(table<std::string, std::string>(
      {{R"("timeline": [{"at": 0, "phase": "Pending", "waiting": "ContainerCreating"}, {"at": 30, "phase": "Pending", "waiting": "InvalidImageName"}])",
        "Pending (InvalidImageName"},
       {R"("timeline": [{"at": 0, "phase": "Pending"}, {"at": 30, "phase": "Failed", "reason": "Evicted"}])", "Failed (Evicted"}}));
  CloudLoop t(cluster_of(R"({"kind": "pod", "name": "trainer", "labels": {"job-name": "trainer"}, )" + pod + "}"));
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(trainers(t)));
  testing::check_failure(status, Errc::not_ready, "worker 0", "will not become ready", words);
  CHECK(t.elapsed() <= 30.05);
}

TEST_CASE("what Kubernetes tries again is waited for, and named") {
  const auto [pod, words] = GENERATE(table<std::string, std::string>(
      {{R"("timeline": [{"at": 0, "phase": "Pending", "waiting": "ErrImagePull"}, {"at": 10, "phase": "Pending", "waiting": "ImagePullBackOff"},
                        {"at": 600, "phase": "Running", "ready": true}])",
        "ImagePullBackOff"},
       {R"("timeline": [{"at": 0, "ready": false}, {"at": 30, "ready": false, "waiting": "CrashLoopBackOff"}, {"at": 600, "ready": true}])",
        "CrashLoopBackOff"},
       {R"("timeline": [{"at": 0, "phase": "Pending"}, {"at": 30, "phase": "Failed", "reason": "Evicted"}, {"at": 600, "phase": "Running", "ready": true}])",
        "Evicted"}}));
  CloudLoop t(cluster_of(R"({"kind": "indexed_job", "name": "trainer", "count": 2, "except": [{"pod": 1, )" + pod + "}]}"));
  WaitStory story;
  const Result<ClusterStatus> status = t.run(try_wait_until_ready(trainers(t), usually_ready, story.options()));
  CHECK(status.has_value());
  CHECK(t.elapsed() >= 600);
  CHECK(std::any_of(story.lines.begin(), story.lines.end(),
                    [&words](const std::string& line) { return line.find(words) != std::string::npos; }));
}
