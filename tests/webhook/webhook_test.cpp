#include "rollcall/webhook.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "support/result.hpp"
#include "support/test_runtime.hpp"
#include "webhook/wait_reviews.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace rollcall::webhook;

namespace {

AdmissionRequest created_pod(std::string target) {
  AdmissionRequest request;
  request.uid = "u";
  request.operation = "CREATE";
  request.namespace_name = "train";
  request.object.kind = "Pod";
  request.object.generate_name = "t-";
  request.object.asks_to_wait = true;
  request.object.wait = std::move(target);
  return request;
}

}  // namespace

TEST_CASE("a pod with the annotation waits, all others stay as they are") {
  std::vector<std::string> seen;
  const WaitReviews reviews("image", true, [&seen](const ReviewedPod& pod) {
    seen.push_back(fmt::format("{}/{} {} {}", pod.namespace_name, pod.name, pod.target, pod.fault));
  });
  const AdmissionAnswer answer = reviews.judge(created_pod("kubernetes:./job/t"));
  CHECK((answer.uid == "u" && answer.refusal.empty() && answer.warning.empty()));
  CHECK_THAT(answer.patch, Catch::Contains(R"("args":["wait","kubernetes:./job/t","--until","endpoints"])"));
  CHECK_THAT(reviews.judge(created_pod("tpu:trainer")).patch, Catch::Contains(R"("args":["wait","tpu:trainer"])"));
  CHECK(seen == std::vector<std::string>{"train/t- kubernetes:./job/t ", "train/t- tpu:trainer "});
  AdmissionRequest again = created_pod("tpu:trainer");
  again.object.init_containers.emplace_back().name = "rollcall-wait";
  AdmissionRequest changed = created_pod("tpu:trainer");
  changed.operation = "UPDATE";
  AdmissionRequest job = created_pod("tpu:trainer");
  job.object.kind = "Job";
  AdmissionRequest plain = created_pod("");
  plain.object.asks_to_wait = false;
  for (const AdmissionRequest& other : {again, changed, job, plain}) {
    const AdmissionAnswer same = reviews.judge(other);
    CHECK((same.uid == "u" && same.patch.empty() && same.refusal.empty() && same.warning.empty()));
  }
  CHECK(seen.size() == 2);
}

TEST_CASE("a wrong annotation refuses the pod, or warns, by choice") {
  const auto answer_of = [](bool refuses, std::string target) {
    return WaitReviews("image", refuses, {}).judge(created_pod(std::move(target)));
  };
  for (const char* const target : {"kubernete:./job/t", "trainer", "tpu:trainer,zon=z", "--help", ""}) {
    INFO(target);
    const AdmissionAnswer refused = answer_of(true, target);
    CHECK_THAT(refused.refusal, Catch::StartsWith("rollcall: the annotation rollcall.dev/wait is wrong: "));
    CHECK((refused.patch.empty() && refused.warning.empty()));
    const AdmissionAnswer warned = answer_of(false, target);
    CHECK_THAT(warned.warning, Catch::StartsWith("rollcall: the annotation rollcall.dev/wait is wrong: "));
    CHECK_THAT(warned.warning, Catch::EndsWith("the pod does not wait"));
    CHECK((warned.patch.empty() && warned.refusal.empty()));
  }
}

TEST_CASE("a pod that cannot have the init container is refused, or left as it is with a warning, by choice") {
  AdmissionRequest of_windows = created_pod("tpu:trainer");
  of_windows.object.os = "windows";
  AdmissionRequest on_windows = created_pod("tpu:trainer");
  on_windows.object.node_os = "windows";
  AdmissionRequest clash = created_pod("tpu:trainer");
  clash.object.containers.emplace_back().name = "rollcall-wait";
  for (const AdmissionRequest& request : {of_windows, on_windows, clash}) {
    const std::string what = request.object.containers.empty() ? "the pod is for Windows" : "is called rollcall-wait";
    const AdmissionAnswer refused = WaitReviews("image", true, {}).judge(request);
    CHECK_THAT(refused.refusal, Catch::Contains(what));
    CHECK((refused.patch.empty() && refused.warning.empty()));
    const AdmissionAnswer warned = WaitReviews("image", false, {}).judge(request);
    CHECK_THAT(warned.warning, Catch::Contains(what) && Catch::EndsWith("the pod does not wait"));
    CHECK((warned.patch.empty() && warned.refusal.empty()));
  }
  AdmissionRequest fine = created_pod("tpu:trainer");
  fine.object.containers.emplace_back().name = "main";
  fine.object.os = fine.object.node_os = "linux";
  CHECK_FALSE(WaitReviews("image", true, {}).judge(fine).patch.empty());
}

TEST_CASE("a webhook that cannot serve says what is missing") {
  TestRuntime test;
  WebhookOptions options;
  options.image = "image";
  check_failure(Webhook::start(test.runtime, options), Errc::invalid_argument, "certificate");
  options.certificate_file = "/none";
  check_failure(Webhook::start(test.runtime, options), Errc::invalid_argument, "/none");
  options.image = "an image";
  check_failure(Webhook::start(test.runtime, options), Errc::invalid_argument, "'an image' is no image");
  options.image.clear();
  check_failure(Webhook::start(test.runtime, options), Errc::invalid_argument, "image of the init containers");
}
