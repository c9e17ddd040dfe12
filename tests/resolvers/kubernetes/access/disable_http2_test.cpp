// The variable that turns HTTP/2 off for requests to API servers, wherever their settings come from.
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

using Http2Variables = std::map<std::string, std::string, std::less<>>;

// True if the request offers HTTP/1.1 alone.
bool asks_by_http1(Http2Variables variables, const KubernetesOptions& options) {
  const std::string account = "/var/run/secrets/kubernetes.io/serviceaccount/";
  Http2Variables files = {{account + "token", "pod-token"},
                          {account + "ca.crt", "CA PEM"},
                          {"/k/config",
                           "current-context: c\nclusters: [{name: k, cluster: {server: 'https://k.test:6443'}}]\n"
                           "users: [{name: u, user: {token: t}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"}};
  TestRuntime world(std::move(variables), {}, static_token(Secret<std::string>("runtime-token")), std::move(files));
  world.answer(200, list_json(""));
  CHECK(workers_of(world, options).empty());
  const std::shared_ptr<const ServerAccess> access = world.transport->requests.at(0).access;
  return access && access->only_http1;
}

}  // namespace

TEST_CASE("DISABLE_HTTP2, set to anything, turns HTTP/2 off for API servers") {
  const auto [value, is_off] = GENERATE(std::pair("", false), std::pair("0", true), std::pair("true", true));
  Http2Variables variables = {{"DISABLE_HTTP2", value}};
  KubernetesOptions options;
  SECTION("of a kubeconfig") { variables["KUBECONFIG"] = "/k/config"; }
  SECTION("of a pod's own cluster") {
    variables["KUBERNETES_SERVICE_HOST"] = "10.96.0.1";
    variables["KUBERNETES_SERVICE_PORT"] = "443";
    options.executable_location(ExecutableLocation::within_cluster);
  }
  SECTION("that are given") { options.api_server("https://k.test:6443"); }
  CHECK(asks_by_http1(variables, options) == is_off);
}
