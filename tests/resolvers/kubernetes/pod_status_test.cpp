// The status of the pods of several jobs.
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("the status of pods lists every job once, including those without pods") {
  TestRuntime t;
  t.transport->respond = [](const HttpRequest& request) {
    const std::string two = pod_json("web-a", "10.0.0.1") + "," + pod_json("web-b", "10.0.0.2");
    const bool is_web = query_of(request, "labelSelector") == "app=web";
    return ScriptedTransport::Answer(ScriptedTransport::reply(200, list_json(is_web ? two : std::string())));
  };
  const auto status_with = [&t](KubernetesOptions::LabelMapping jobs) {
    KubernetesOptions options = at_test_server();
    options.namespace_name("train").job_to_label_mapping(std::move(jobs));
    return t.run(make_kubernetes_resolver(t.runtime, std::move(options))->cluster_status());
  };
  const ClusterStatus status = status_with({{"evaluator", {"app=eval"}}, {"worker", {"app=web"}}, {"ps", {"nope=y"}}});
  CHECK(status.jobs == std::vector<std::string>{"evaluator", "worker", "ps"});
  CHECK(status.members.size() == 2);
  CHECK(status.expected == 4);
  CHECK(status.spec().to_json() == R"({"evaluator":{},"worker":["10.0.0.1:8470","10.0.0.2:8470"],"ps":{}})");
  const ClusterStatus nobody = status_with({{"ps", {"nope=y"}}});
  CHECK(nobody.jobs == std::vector<std::string>{"ps"});
  CHECK(nobody.expected == 0);
  CHECK(status_with({{"worker", {"app=web"}}, {"worker", {"nope=y"}}}).jobs == std::vector<std::string>{"worker"});
}

TEST_CASE("a pod without an address of the wanted family is not ready, in the words of the spec") {
  TestRuntime t;
  t.answer(200, list_json(pod_json("a", "10.0.0.1")));
  KubernetesOptions options = at_test_server();
  const ClusterStatus status = t.run(make_kubernetes_resolver(t.runtime, options.family(AddressFamily::ipv6))->cluster_status());
  REQUIRE(status.members.size() == 1);
  CHECK(status.members[0].state == Condition(MemberState::waiting, "has no IPv6 address, only 10.0.0.1"));
}

TEST_CASE("the status and the spec number the pods of several selectors alike, with what is missing") {
  const auto in_job = [](const std::string& name, const std::string& job, const std::string& index, const std::string& address) {
    return pod_json(name, address,
                    labels_json({{"jobset.sigs.k8s.io/jobset-name", "s"},
                                 {"jobset.sigs.k8s.io/job-index", job},
                                 {"jobset.sigs.k8s.io/job-global-index", job},
                                 {"batch.kubernetes.io/job-completion-index", index}}));
  };
  // The last pod of the first selector's is missing, and one in the middle of the second's.
  const std::string first =
      in_job("a", "0", "0", "10.0.0.1") + "," + in_job("b", "0", "1", "10.0.0.2") + "," + in_job("c", "1", "0", "10.0.0.3");
  const std::string second =
      in_job("d", "0", "0", "10.0.0.4") + "," + in_job("e", "1", "0", "10.0.0.5") + "," + in_job("f", "1", "1", "10.0.0.6");
  TestRuntime t;
  t.transport->respond = [&](const HttpRequest& request) {
    return ScriptedTransport::Answer(
        ScriptedTransport::reply(200, list_json(query_of(request, "labelSelector") == "app=first" ? first : second)));
  };
  KubernetesOptions options = at_test_server();
  options.namespace_name("train").job_to_label_mapping({{"worker", {"app=first", "app=second"}}});
  const auto resolver = make_kubernetes_resolver(t.runtime, std::move(options));
  const ClusterSpec spec = t.run(resolver->cluster_spec());
  const ClusterStatus status = t.run(resolver->cluster_status());
  CHECK(spec.task_indices("worker").value() == std::vector<int>{0, 1, 2, 4, 6, 7});
  CHECK(status.spec() == spec);
  CHECK(status.expected == 8);
}
