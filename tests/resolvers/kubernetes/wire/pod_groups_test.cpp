// The groups that pods name, and the time that a pod has to end.
#include <catch2/catch.hpp>

#include "base/timestamp.hpp"
#include "resolvers/kubernetes/wire/pod_list.hpp"
#include "support/result.hpp"

using namespace rollcall;

TEST_CASE("the groups of pods, by label, annotation and spec, and when a pod is to be gone") {
  std::vector<Pod> pods;
  PodListParser parser(
      [&pods](Pod& pod) {
        pods.push_back(pod);
        return Result<void>();
      },
      PodDetail::readiness, ParseLimits());
  const std::string json = std::string(
      R"({"kind":"PodList","metadata":{},"items":[)"
      R"({"metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:30Z","deletionGracePeriodSeconds":30,)"
      R"("labels":{"batch.kubernetes.io/job-completion-index":"0","scheduling.x-k8s.io/pod-group":"c","kueue.x-k8s.io/pod-group-name":"k"},)"
      R"("annotations":{"scheduling.k8s.io/group-name":"v","kueue.x-k8s.io/pod-group-total-count":"4"}},)"
      R"("spec":{"schedulingGroup":{"podGroupName":"n"}},"status":{"phase":"Running"}},)"
      R"({"metadata":{"name":"b"},"spec":{"schedulingGroup":null},"status":{"phase":"Running"}}]})");
  REQUIRE(parser.feed(json));
  REQUIRE(parser.finish());
  REQUIRE(pods.size() == 2);
  CHECK(pods[0].label(PodLabel::coscheduling_group) == "c");
  CHECK(pods[0].label(PodLabel::volcano_group) == "v");
  CHECK(pods[0].label(PodLabel::native_group) == "n");
  CHECK(pods[0].label(PodLabel::kueue_group) == "k");
  CHECK(pods[0].label(PodLabel::kueue_group_count) == "4");
  REQUIRE(pods[0].state);
  CHECK(pods[0].state->is_leaving);
  CHECK(pods[0].state->leaves_at == parse_rfc3339("2026-01-01T00:00:30Z"));
  CHECK(pods[0].state->leaving_since == parse_rfc3339("2026-01-01T00:00:00Z"));
  CHECK(pods[1].label(PodLabel::native_group).empty());
  REQUIRE(pods[1].state);
  CHECK_FALSE(pods[1].state->is_leaving);
}
