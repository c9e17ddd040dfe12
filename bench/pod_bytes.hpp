// Lists of pods as a real API server writes them: 10,000 pods of a JobSet, with managedFields or without. And its Jobs, of 100 pods each.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace bench {

constexpr int pods_of_a_job = 100;
constexpr const char* pods_selector = "jobset.sigs.k8s.io/jobset-name=trainer";

/// One pod of about 2.5 kB, or 6.6 kB with managedFields.
inline std::string pod_text(int index, bool has_managed_fields) {
  const std::string name =
      fmt::format("trainer-workers-{}-{}-{:05x}", index / pods_of_a_job, index % pods_of_a_job, index * 7919 % 0xfffff);
  std::string text = fmt::format(
      R"({{"metadata":{{"name":"{0}","generateName":"trainer-workers-{1}-","namespace":"train","uid":"5f6e7d8c-0000-4000-8000-{2:012}",)"
      R"("resourceVersion":"{3}","creationTimestamp":"2026-10-04T08:15:27Z","labels":{{"batch.kubernetes.io/controller-uid":)"
      R"("6f1c2d3e-1111-4222-8333-{1:012}","batch.kubernetes.io/job-completion-index":"{4}","batch.kubernetes.io/job-name":"trainer-workers-{1}",)"
      R"("job-name":"trainer-workers-{1}","jobset.sigs.k8s.io/jobset-name":"trainer","jobset.sigs.k8s.io/replicatedjob-name":"workers",)"
      R"("jobset.sigs.k8s.io/job-index":"{1}","jobset.sigs.k8s.io/job-global-index":"{1}","jobset.sigs.k8s.io/restart-attempt":"0"}},)"
      R"("annotations":{{"batch.kubernetes.io/job-completion-index":"{4}","jobset.sigs.k8s.io/coordinator":"trainer-workers-0-0.trainer"}},)"
      R"("ownerReferences":[{{"apiVersion":"batch/v1","kind":"Job","name":"trainer-workers-{1}","uid":"6f1c2d3e-1111-4222-8333-{1:012}",)"
      R"("controller":true,"blockOwnerDeletion":true}}])",
      name, index / pods_of_a_job, index, 88100 + index, index % pods_of_a_job);
  if (has_managed_fields) {
    text +=
        R"(,"managedFields":[{"manager":"kube-controller-manager","operation":"Update","apiVersion":"v1","time":"2026-10-04T08:15:27Z",)"
        R"("fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:annotations":{".":{},"f:batch.kubernetes.io/job-completion-index":{}},)"
        R"("f:finalizers":{".":{},"v:\"batch.kubernetes.io/job-tracking\"":{}},"f:generateName":{},"f:labels":{".":{}},)"
        R"("f:ownerReferences":{".":{},"k:{\"uid\":\"6f1c2d3e-1111-4222-8333-444455556666\"}":{}}},"f:spec":{"f:containers":{)"
        R"("k:{\"name\":\"main\"}":{".":{})";
    for (int i = 0; i < 25; ++i) {
      text += fmt::format(
          R"(,"f:env":{{".":{{}},"k:{{\"name\":\"VARIABLE_{}\"}}":{{".":{{}},"f:name":{{}},"f:value":{{}}}}}},"f:resources":{{"f:limits":{{}}}})",
          i);
    }
    text += R"(}}}}},{"manager":"kubelet","operation":"Update","apiVersion":"v1","time":"2026-10-04T08:16:00Z","fieldsType":"FieldsV1",)"
            R"("fieldsV1":{"f:status":{"f:conditions":{)";
    for (const char* const type : {"ContainersReady", "Initialized", "PodReadyToStartContainers", "PodScheduled", "Ready"}) {
      text += fmt::format(
          R"("k:{{\"type\":\"{}\"}}":{{".":{{}},"f:lastProbeTime":{{}},"f:lastTransitionTime":{{}},"f:status":{{}},"f:type":{{}}}},)",
          type);
    }
    text +=
        R"(".":{}},"f:containerStatuses":{},"f:hostIP":{},"f:hostIPs":{},"f:phase":{},"f:podIP":{},"f:podIPs":{".":{}},"f:startTime":{}}},)"
        R"("subresource":"status"}])";
  }
  text += fmt::format(
      R"(}},"spec":{{"containers":[{{"name":"main","image":"example.com/trainer:1","ports":[{{"name":"tf","containerPort":8470,"protocol":"TCP"}}],)"
      R"("env":[{{"name":"TPU_WORKER_ID","value":"{}"}},{{"name":"JOB_COMPLETION_INDEX","valueFrom":{{"fieldRef":{{"apiVersion":"v1",)"
      R"("fieldPath":"metadata.labels['batch.kubernetes.io/job-completion-index']"}}}}}}],"resources":{{"limits":{{"google.com/tpu":"4"}},)"
      R"("requests":{{"google.com/tpu":"4"}}}},"terminationMessagePath":"/dev/termination-log","imagePullPolicy":"IfNotPresent"}}],)"
      R"("restartPolicy":"Never","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","nodeSelector":{{)"
      R"("cloud.google.com/gke-tpu-accelerator":"tpu-v5-lite-podslice"}},"tolerations":[{{"key":"google.com/tpu","operator":"Equal",)"
      R"("value":"present","effect":"NoSchedule"}},{{"key":"node.kubernetes.io/not-ready","operator":"Exists"}}],"serviceAccountName":"default","nodeName":"gke-tpu-{}"}},)",
      index % pods_of_a_job, index);
  text += fmt::format(
      R"("status":{{"phase":"Running","conditions":[{{"type":"Initialized","status":"True","lastTransitionTime":"2026-10-04T08:15:27Z"}},)"
      R"({{"type":"Ready","status":"True","lastTransitionTime":"2026-10-04T08:15:30Z"}},{{"type":"PodScheduled","status":"True",)"
      R"("lastTransitionTime":"2026-10-04T08:15:27Z"}}],"hostIP":"10.{0}.{1}.{2}","hostIPs":[{{"ip":"10.{0}.{1}.{2}"}}],)"
      R"("podIP":"10.128.{1}.{2}","podIPs":[{{"ip":"10.128.{1}.{2}"}}],"startTime":"2026-10-04T08:15:27Z","containerStatuses":[{{"name":"main",)"
      R"("state":{{"running":{{"startedAt":"2026-10-04T08:15:29Z"}}}},"lastState":{{}},"ready":true,"restartCount":0,)"
      R"("image":"example.com/trainer:1","imageID":"sha256:0000","started":true}}],"qosClass":"BestEffort"}}}})",
      index >> 16, index >> 8 & 255, index & 255);
  return text;
}

/// What owns the pods, of which there are so many: the Job or the JobSet at this path of the API server.
inline std::string workload_text(std::string_view path, int pods) {
  constexpr const char* template_text =
      R"("parallelism":{0},"completions":{0},"completionMode":"Indexed","backoffLimit":0,"template":{{"metadata":{{"labels":{{)"
      R"("jobset.sigs.k8s.io/jobset-name":"trainer"}}}},"spec":{{"containers":[{{"name":"main","image":"example.com/trainer:1"}}],)"
      R"("restartPolicy":"Never"}}}})";
  if (path.find("/jobs/") == std::string_view::npos) {
    return fmt::format(
        R"({{"kind":"JobSet","apiVersion":"jobset.x-k8s.io/v1alpha2","metadata":{{"name":"trainer","namespace":"train",)"
        R"("uid":"7a1c2d3e-1111-4222-8333-444455556666","resourceVersion":"88001"}},"spec":{{"replicatedJobs":[{{"name":"workers",)"
        R"("replicas":{},"template":{{"spec":{{{}}}}}}}]}},"status":{{"restarts":0}}}})",
        (pods + pods_of_a_job - 1) / pods_of_a_job, fmt::format(fmt::runtime(template_text), pods_of_a_job));
  }
  const int job = std::atoi(path.substr(path.rfind('-') + 1).data());
  const int size = std::clamp(pods - job * pods_of_a_job, 0, pods_of_a_job);
  return fmt::format(
      R"({{"kind":"Job","apiVersion":"batch/v1","metadata":{{"name":"trainer-workers-{0}","namespace":"train",)"
      R"("uid":"6f1c2d3e-1111-4222-8333-{0:012}","resourceVersion":"88002","ownerReferences":[{{"apiVersion":"jobset.x-k8s.io/v1alpha2",)"
      R"("kind":"JobSet","name":"trainer","uid":"7a1c2d3e-1111-4222-8333-444455556666","controller":true}}]}},"spec":{{{1}}},)"
      R"("status":{{"active":{2},"ready":{2},"startTime":"2026-10-04T08:15:27Z"}}}})",
      job, fmt::format(fmt::runtime(template_text), size), size);
}

}  // namespace bench
