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
