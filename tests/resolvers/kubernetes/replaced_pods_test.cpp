// Pods that have ended and have been replaced: spec, status and followers pass over them alike.
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

class SomePod {
 public:
  std::string name;
  std::string phase;
  std::string owner = {};  // `ReplicaSet t`; empty: none
  std::string index = {};  // of an Indexed Job
  std::string created = {};  // seconds
  std::string ended = {};
};

std::string json_of(const SomePod& pod) {
  std::string metadata =
      pod.index.empty() ? std::string()
                        : labels_json({{"batch.kubernetes.io/job-name", "t"}, {"batch.kubernetes.io/job-completion-index", pod.index}});
  if (!pod.owner.empty()) {
    const std::size_t blank = pod.owner.find(' ');
    metadata += fmt::format(R"(,"ownerReferences":[{{"kind":"{0}","name":"{1}","uid":"uid-{1}","controller":true}}])",
                            pod.owner.substr(0, blank), pod.owner.substr(blank + 1));
  }
  if (!pod.created.empty()) metadata += fmt::format(R"(,"creationTimestamp":"2026-11-26T13:38:{}Z")", pod.created);
  std::string status = R"(,"conditions":[{"type":"Ready","status":"True"}])";
  if (pod.phase != "Running") {
    const std::string finished = pod.ended.empty() ? "" : fmt::format(R"(,"finishedAt":"2026-11-26T13:38:{}Z")", pod.ended);
    status = fmt::format(R"(,"containerStatuses":[{{"name":"c","state":{{"terminated":{{"exitCode":{}{}}}}}}}])",
                         pod.phase == "Succeeded" ? 0 : 1, finished);
  }
  return pod_json(pod.name, pod.phase == "Running" ? "10.0.0." + pod.name.substr(pod.name.size() - 1) : "", metadata, status, pod.phase);
}

// The last numbers of the addresses in the spec, which the status has as well; or the message.
std::string spec_and_status_of(const std::vector<SomePod>& pods) {
  std::string text;
  for (const SomePod& pod : pods) text += (text.empty() ? "" : ",") + json_of(pod);
  const auto with = [&text](TestRuntime& t) { t.answer(200, list_json(text)); };
  TestRuntime asked;
  with(asked);
  std::string spec = workers_of(asked, at_test_server().port(1));
  TestRuntime t;
  with(t);
  const ClusterStatus status = t.run(make_kubernetes_resolver(t.runtime, at_test_server().port(1))->cluster_status());
  std::string members;
  for (const Member& member : status.members)
    members += (members.empty() ? "" : " ") + (member.address.empty() ? member.state.text : member.address);
  if (!spec.starts_with("10.")) return spec + " | " + members;
  CHECK(spec == members);
  for (std::size_t at = spec.find("10.0.0."); at != std::string::npos; at = spec.find("10.0.0.")) spec.erase(at, 7);
  for (std::size_t at = spec.find(":1"); at != std::string::npos; at = spec.find(":1")) spec.erase(at, 2);
  return spec;
}

}  // namespace

TEST_CASE("an ended pod with the index of another one is passed over") {
  CHECK(spec_and_status_of({{"t-0", "Running", "", "0"}, {"t-9", "Failed", "", "1"}, {"t-1", "Running", "", "1"}}) == "0 1");
  CHECK(spec_and_status_of({{"t-0", "Running", "Job t", "0"},
                            {"t-8", "Failed", "Job t", "1"},
                            {"t-9", "Failed", "Job t", "1"},
                            {"t-1", "Running", "Job t", "1"}}) == "0 1");
  CHECK(spec_and_status_of({{"t-0", "Running", "Job t", "0"}, {"t-2", "Failed", "Job t", "1"}}) ==
        "not_ready: pod 'train/t-2' is Failed (exit code 1; its Job makes another), not Running: wait until its controller has made "
        "another, or see kubectl "
        "describe pod | "
        "10.0.0.0:1 Failed (exit code 1; its Job makes another)");
  // Of two that have ended: the one that succeeded, else the younger one.
  CHECK_THAT(spec_and_status_of({{"t-1", "Succeeded", "Job t", "0"}, {"t-2", "Failed", "Job t", "0"}}),
             Contains("'train/t-1' is Succeeded"));
  CHECK_THAT(spec_and_status_of(
                 {{"t-1", "Failed", "Job t", "0", "01"}, {"t-2", "Failed", "Job t", "0", "05"}, {"t-3", "Failed", "Job t", "0", "03"}}),
             Contains("'train/t-2' is Failed"));
}

TEST_CASE("an ended pod whose controller has made another one since is passed over") {
  for (const char* const owner : {"ReplicaSet t", "Job t", "StatefulSet t", "Unheard t"}) {
    CAPTURE(owner);
    CHECK(spec_and_status_of(
              {{"t-1", "Running", owner, "", "01"}, {"t-9", "Failed", owner, "", "01", "20"}, {"t-2", "Running", owner, "", "21"}}) ==
          "1 2");
    // Without dates
    CHECK(spec_and_status_of({{"t-1", "Running", owner}, {"t-9", "Failed", owner}, {"t-2", "Running", owner}}) == "1 2");
    // Not yet
    CHECK_THAT(spec_and_status_of({{"t-1", "Running", owner, "", "01"}, {"t-9", "Failed", owner, "", "01", "20"}}),
               Contains("t-9' is Failed (exit code 1; its ") && Contains("| 10.0.0.1:1 Failed (exit code 1; its "));
    // Another's pod
    CHECK_THAT(spec_and_status_of({{"t-1", "Running", "ReplicaSet u"}, {"t-9", "Failed", owner}}), Contains("t-9' is Failed"));
    CHECK_THAT(spec_and_status_of({{"t-1", "Running"}, {"t-9", "Failed", owner}}), Contains("t-9' is Failed"));
  }
  // A kubelet that shuts down in order lets them succeed.
  CHECK(spec_and_status_of({{"t-1", "Running", "ReplicaSet t"}, {"t-9", "Succeeded", "ReplicaSet t"}}) == "1");
  CHECK_THAT(spec_and_status_of({{"t-1", "Running", "Job t"}, {"t-9", "Succeeded", "Job t"}}),
             Contains("t-9' is Succeeded, not Running: it has ended"));
  CHECK_THAT(spec_and_status_of({{"t-1", "Running"}, {"t-9", "Failed"}}),
             Contains("t-9' is Failed (exit code 1), not Running: it has ended: delete it"));
}
