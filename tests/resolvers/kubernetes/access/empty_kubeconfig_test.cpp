// Kubeconfigs that name no cluster: in a pod its own account is used, as by kubectl.
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

TEST_CASE("kubeconfigs without anything in them are none in a pod, and KUBECONFIG of separators names no file") {
  const std::string account = "/var/run/secrets/kubernetes.io/serviceaccount/";
  const std::string nothing = "apiVersion: v1\nclusters: null\ncontexts: []\ncurrent-context: ''\nkind: Config\nusers: null\n";
  std::map<std::string, std::string, std::less<>> files = {
      {account + "token", "pod-token"}, {account + "ca.crt", "CA PEM"}, {account + "namespace", "own"}};
  files["/k/config"] = nothing;
  files["/h/.kube/config"] =
      "current-context: c\nclusters: [{name: k, cluster: {server: 'https://k.test:6443'}}]\ncontexts: [{name: c, context: {cluster: k}}]\n";
  std::map<std::string, std::string, std::less<>> variables = {
      {"KUBERNETES_SERVICE_HOST", "10.96.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}, {"HOME", "/h"}};
  for (const char* const kubeconfig : {"/k/config", "/k/config:/k/config", ":", "::"}) {
    CAPTURE(kubeconfig);
    variables["KUBECONFIG"] = kubeconfig;
    TestRuntime world(variables, {}, static_token(Secret<std::string>("runtime-token")), files);
    world.answer(200, list_json(""));
    CHECK(workers_of(world, {}).empty());
    CHECK(world.transport->requests.at(0).bearer.reveal() == "pod-token");
    TestRuntime outside({{"KUBECONFIG", kubeconfig}, {"HOME", "/h"}}, {}, static_token(Secret<std::string>("runtime-token")), files);
    CHECK_THAT(workers_of(outside, {}), Contains("failed_precondition: ") &&
                                            (Contains("no current-context; its contexts: none") || Contains("KUBECONFIG names no file")));
  }
  variables["KUBECONFIG"] = "/k/config";
  TestRuntime named(variables, {}, static_token(Secret<std::string>("runtime-token")), files);
  KubernetesOptions options;
  CHECK_THAT(workers_of(named, options.kubeconfig("/k/config")), Contains("no current-context"));
}
