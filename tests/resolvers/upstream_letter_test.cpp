// Details of upstream's behaviour that are easily missed.
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("pods of one name in two namespaces keep the server's order") {
  TestRuntime t;
  const auto pod = [](const std::string& namespace_name, const std::string& name, const std::string& host) {
    return fmt::format(R"({{"metadata":{{"name":"{}","namespace":"{}"}},"status":{{"phase":"Running","hostIP":"{}"}}}})", name,
                       namespace_name, host);
  };
  std::string pods = pod("zoo", "b", "10.0.0.1") + "," + pod("zoo", "a", "10.0.0.2") + "," + pod("ant", "b", "10.0.0.3");
  for (int i = 4; i < 40; ++i) pods += "," + pod("ns" + std::to_string(60 - i), "b", "10.0.0." + std::to_string(i));
  std::string expected = "10.0.0.2:8470 10.0.0.1:8470 10.0.0.3:8470";
  for (int i = 4; i < 40; ++i) expected += fmt::format(" 10.0.0.{}:8470", i);
  t.answer(200, list_json(pods));
  CHECK(workers_of(t) == expected);
  t.answer(200, list_json(pods));
  const auto status = t.run(make_kubernetes_resolver(t.runtime, at_test_server())->try_cluster_status());
  REQUIRE(status.has_value());
  std::string reported;
  for (const Member& member : status->members) reported += (reported.empty() ? "" : " ") + member.address;
  CHECK(reported == expected);
}

TEST_CASE("without an rpc_layer a Kubernetes master is an address") {
  TestRuntime t;
  KubernetesOptions options = at_test_server();
  options.rpc_layer("");
  const auto resolver = make_kubernetes_resolver(t.runtime, std::move(options));
  t.answer(200, list_json(pod_json("worker-0", "10.0.0.1")));
  CHECK(t.run(resolver->master("worker", 0)) == "10.0.0.1:8470");
  const auto usual = make_kubernetes_resolver(t.runtime, at_test_server());
  REQUIRE(usual->set_rpc_layer(std::nullopt).has_value());
  t.answer(200, list_json(pod_json("worker-0", "10.0.0.1")));
  CHECK(t.run(usual->master("worker", 0)) == "10.0.0.1:8470");
}
