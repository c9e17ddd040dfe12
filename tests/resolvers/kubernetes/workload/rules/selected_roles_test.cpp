// What a label selector can match of a workload's pods.
#include "resolvers/kubernetes/workload/rules/selected_roles.hpp"

#include "resolvers/kubernetes/workload/workload_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::string selected(const Workload& workload, const std::string& selector) {
  const SelectedRoles roles = roles_selected_by(selector, workload);
  if (!roles.unknown.empty()) return "unknown: " + roles.unknown;
  std::string text;
  for (const SelectedRole& one : roles.roles) {
    if (one.size() > 0) text += fmt::format("{}{}x{}", text.empty() ? "" : " ", one.parts, one.members);
  }
  return (text.empty() ? "none" : text) + (roles.names_workload ? " named" : "");
}

}  // namespace

TEST_CASE("a selector of a JobSet's pods: all, one Job, one index, one replicated job") {
  const Workload set = workload_in("jobsets.json", "queued", "jobset");  // 4 × 16
  const std::string all = "jobset.sigs.k8s.io/jobset-name=queued";
  CHECK(selected(set, all) == "4x16 named");
  CHECK(selected(set, all + ",jobset.sigs.k8s.io/job-index=1") == "1x16 named");
  CHECK(selected(set, all + ",jobset.sigs.k8s.io/job-index in (0, 3,9)") == "2x16 named");
  CHECK(selected(set, all + ",jobset.sigs.k8s.io/job-index notin (0)") == "3x16 named");
  CHECK(selected(set, all + ",jobset.sigs.k8s.io/job-index!=0") == "3x16 named");
  CHECK(selected(set, all + ",jobset.sigs.k8s.io/job-index") == "4x16 named");
  CHECK(selected(set, all + ",batch.kubernetes.io/job-completion-index=0") == "4x1 named");
  CHECK(selected(set, "job-name=queued-slice-2") == "1x16");
  CHECK(selected(set, "job-name in (queued-slice-2,queued-slice-3)") == "2x16");
  CHECK(selected(set, "job-name=other-slice-2") == "none");
  CHECK(selected(set, all + ",jobset.sigs.k8s.io/replicatedjob-name=slice") == "4x16 named");
  CHECK(selected(set, all + ",jobset.sigs.k8s.io/replicatedjob-name=other") == "none named");
  CHECK(selected(set, "jobset.sigs.k8s.io/jobset-uid=" + set.uid) == "4x16 named");
  CHECK(selected(set, all + ",rack=1") == "unknown: rack=1");
  CHECK(selected(set, all + ",!rack") == "unknown: !rack");
  CHECK(selected(set, all + ",jobset.sigs.k8s.io/job-index>1") == "unknown: jobset.sigs.k8s.io/job-index>1");
  CHECK(selected(set, all + ",jobset.sigs.k8s.io/job-index=1,jobset.sigs.k8s.io/job-index!=0") ==
        "unknown: jobset.sigs.k8s.io/job-index!=0");
}

TEST_CASE("a selector by labels of the template matches all of its pods") {
  const Workload job = workload_in("job.suspended.json", "trainer", "job");
  CHECK(selected(job, "app=trainer") == "1x4");
  CHECK(selected(job, "app==trainer") == "1x4");
  CHECK(selected(job, "app in (trainer,other)") == "1x4");
  CHECK(selected(job, "app!=trainer") == "none");
  CHECK(selected(job, "app,!old") == "unknown: !old");
  CHECK(selected(job, "job-name=trainer") == "1x4 named");
  CHECK(selected(job, "batch.kubernetes.io/job-name = trainer") == "1x4 named");
  CHECK(selected(job, "job-name=trainer,batch.kubernetes.io/job-completion-index=2") == "1x1 named");
  CHECK(selected(job, "job-name=trainer,batch.kubernetes.io/job-completion-index=4") == "none named");
}

TEST_CASE("roles of operators") {
  const Workload bert = workload_in("pytorchjobs.json", "bert", "pytorchjob");
  const std::string all = "training.kubeflow.org/job-name=bert";
  CHECK(selected(bert, all) == "1x1 1x3 named");
  CHECK(selected(bert, all + ",training.kubeflow.org/replica-type=worker") == "1x3 named");
  CHECK(selected(bert, all + ",training.kubeflow.org/job-role=master") == "1x1 named");
  CHECK(selected(bert, all + ",training.kubeflow.org/operator-name=pytorchjob-controller") == "1x1 1x3 named");
  const Workload ray = workload_in("rayclusters.json", "gpus", "raycluster");
  CHECK(selected(ray, "ray.io/cluster=gpus") == "1x1 3x1 2x4 named");
  CHECK(selected(ray, "ray.io/cluster=gpus,ray.io/node-type=worker") == "3x1 2x4 named");
  CHECK(selected(ray, "ray.io/cluster=gpus,ray.io/group=tpu") == "2x4 named");
  const Workload groups = workload_in("leaderworkersets.json", "vllm", "lws");
  CHECK(selected(groups, "leaderworkerset.sigs.k8s.io/name=vllm,leaderworkerset.sigs.k8s.io/worker-index=0") == "2x1 named");
  CHECK(selected(groups, "leaderworkerset.sigs.k8s.io/name=vllm,leaderworkerset.sigs.k8s.io/worker-index!=0") == "2x3 named");
  const Workload set = workload_in("statefulset.ordered-start.json", "ps", "sts");
  CHECK(selected(set, "app=ps") == "1x4");
  CHECK(selected(set, "app=ps,statefulset.kubernetes.io/pod-name=ps-5") == "1x1");
  CHECK(selected(set, "app=ps,statefulset.kubernetes.io/pod-name=ps-0") == "none");
  CHECK(selected(set, "app=ps,apps.kubernetes.io/pod-index in (5,8)") == "1x2");
}
