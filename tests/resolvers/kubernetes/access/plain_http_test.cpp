// An API server on another machine that is reached without encryption: accepted, and reported.
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("plain http to another machine is reported once") {
  const auto warnings = [](const std::string& server) {
    TestRuntime t({{"KUBECONFIG", "/k/config"}}, {}, static_token(Secret<std::string>("runtime-token")),
                  {{"/k/config", "current-context: c\nclusters: [{name: k, cluster: {server: '" + server +
                                     "'}}]\nusers: [{name: u, user: {}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"}});
    for (int i = 0; i < 2; ++i) {
      t.answer(200, list_json(""));
      CHECK(workers_of(t, KubernetesOptions()).empty());
    }
    return std::count(t.log->lines.begin(), t.log->lines.end(), "security_warning");
  };
  CHECK(warnings("http://k.test:80") == 1);
  CHECK(warnings("http://10.0.0.7:8080") == 1);
  CHECK(warnings("http://127.0.0.1:8001") == 0);
  CHECK(warnings("https://k.test") == 0);
}
