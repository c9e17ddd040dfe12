// An exec plugin that takes longer than some of the calls that wait for it.
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

// A kubeconfig whose user has a plugin that takes 2 s.
class SlowPlugin : public TestRuntime {
 public:
  SlowPlugin()
      : TestRuntime({{"KUBECONFIG", "/k/config"}}, {}, static_token(Secret<std::string>("runtime-token")),
                    {{"/k/config",
                      "current-context: c\nclusters: [{name: k, cluster: {server: 'https://k.test:6443'}}]\n"
                      "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: plug, "
                      "interactiveMode: Never}}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"}}) {
    answer(200, list_json(""));
    programs->answer(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"made"}})", 2s);
  }
};

}  // namespace

TEST_CASE("a plugin is not ended by a call with little time, of which another one waits for longer, or comes again") {
  SlowPlugin world;
  const std::shared_ptr<ClusterResolver> resolver = make_kubernetes_resolver(world.runtime, {});
  SECTION("another one waits") {
    auto hasty = world.start(resolver->try_cluster_spec(CallOptions().timeout(1s)));
    world.time->advance(50ms);
    world.poll();
    auto patient = world.start(resolver->try_cluster_spec(CallOptions().timeout(20s)));
    REQUIRE(world.finish(patient));
    CHECK(patient.value().has_value());
    REQUIRE(hasty.done());
    CHECK_THAT(hasty.value().error().what(), Contains("the exec plugin 'plug' of the user 'u'") && Contains("did not end within"));
    CHECK(world.seconds() == Approx(2).margin(0.1));
  }
  SECTION("it comes again each second") {
    bool has_token = false;
    for (int i = 0; i < 4 && !has_token; ++i) has_token = world.run(resolver->try_cluster_spec(CallOptions().timeout(1s))).has_value();
    CHECK(has_token);
  }
  CHECK(world.programs->requests.size() == 1);
}
