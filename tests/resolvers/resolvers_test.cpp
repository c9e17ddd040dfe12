// The resolvers through their public calls, over a scripted transport in virtual time.
#include <catch2/catch.hpp>

#include "rollcall/cloud_tpu_client.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/tfconfig_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/union_resolver.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::TestRuntime;
using namespace std::chrono_literals;

namespace {

using GivenVariables = std::map<std::string, std::string, std::less<>>;

constexpr const char* ready_node = R"({"name":"projects/p/locations/z/nodes/trainer","state":"READY","acceleratorType":"v4-8",
  "networkEndpoints":[{"ipAddress":"10.0.0.1","port":8470},{"ipAddress":"10.0.0.2","port":8470}]})";

HttpResponse metadata(std::string value) {
  HttpResponse response = rollcall::testing::ScriptedTransport::reply(200, std::move(value));
  response.headers.add("Metadata-Flavor", "Google");
  return response;
}

TpuOptions given_trainer() { return TpuOptions("trainer").project("p").zone("z"); }

}  // namespace

TEST_CASE("a TPU's spec is one request of the API's version 2") {
  TestRuntime t;
  t.answer(200, ready_node);
  const auto tpu = make_tpu_resolver(t.runtime, given_trainer());
  const auto spec = t.run(tpu->cluster_spec());
  CHECK(spec.to_json() == R"({"worker":["10.0.0.1:8470","10.0.0.2:8470"]})");
  REQUIRE(t.transport->requests.size() == 1);
  CHECK(t.transport->requests[0].url.origin() + t.transport->requests[0].url.target ==
        "https://tpu.googleapis.com/v2/projects/p/locations/z/nodes/trainer");
}

TEST_CASE("project and zone are asked of the metadata server at the same time") {
  TestRuntime t;
  t.transport->answers.emplace_back(metadata("my-project"));
  t.transport->answers.back().after = 1s;
  t.transport->answers.emplace_back(metadata("projects/123/zones/us-central2-b\n"));
  t.transport->answers.back().after = 1s;
  t.answer(200, ready_node);
  const auto tpu = make_tpu_resolver(t.runtime, TpuOptions("trainer"));
  CHECK(t.run(tpu->cluster_spec()).num_tasks("worker").value() == 2);
  CHECK(t.seconds() == 1);
  CHECK(t.transport->requests[0].headers.get("Metadata-Flavor") == "Google");
  CHECK(t.transport->requests[0].bearer.empty());
  CHECK(t.transport->requests[2].url.target == "/v2/projects/my-project/locations/us-central2-b/nodes/trainer");
}

TEST_CASE("an answer without the Metadata-Flavor header is not from a metadata server") {
  TestRuntime t;
  t.answer(200, "my-project");
  const auto tpu = make_tpu_resolver(t.runtime, TpuOptions("trainer").zone("z"));
  const auto spec = t.run(tpu->try_cluster_spec());
  REQUIRE(spec.has_error());
  CHECK(spec.error().code() == Errc::failed_precondition);
  CHECK_THAT(spec.error().message(), Catch::Contains("metadata server") && Catch::Contains("project"));
}

TEST_CASE("off the cloud the metadata server is given up quickly") {
  TestRuntime t;
  t.answer(Failure(Errc::connect_timeout, "no answer").with_phase(Phase::connect));
  const auto tpu = make_tpu_resolver(t.runtime, TpuOptions("trainer").zone("z"));
  const auto spec = t.run(tpu->try_cluster_spec());
  REQUIRE(spec.has_error());
  CHECK(t.transport->requests.size() == 3);
  CHECK_THAT(spec.error().message(), Catch::Contains("GOOGLE_CLOUD_PROJECT"));
}

TEST_CASE("master names the task, with the scheme") {
  TestRuntime t;
  t.answer(200, ready_node);
  const auto tpu = make_tpu_resolver(t.runtime, given_trainer());
  CHECK(t.run(tpu->master()) == "grpc://10.0.0.1:8470");
  CHECK(t.run(tpu->master("worker", 1)) == "grpc://10.0.0.2:8470");
  CHECK(t.run(tpu->master("worker", {})) == "grpc://10.0.0.1:8470");
  CHECK(t.run(tpu->master({}, {}, "http")) == "http://10.0.0.1:8470");
  REQUIRE(tpu->set_task_id(1).has_value());
  CHECK(t.run(tpu->master()) == "grpc://10.0.0.2:8470");
  CHECK(t.run(tpu->try_master("worker", 7)).error().code() == Errc::not_found);
  CHECK(tpu->coordination_service_leader() == "/job:worker/task:0");
}

TEST_CASE("names that need no network") {
  TestRuntime t;
  const auto workers = make_tpu_resolver(t.runtime, TpuOptions("grpc://10.0.0.1, grpc://[fd00::1]:9"));
  CHECK(t.run(workers->cluster_spec()).to_json() == R"({"worker":["10.0.0.1:8470","[fd00::1]:9"]})");
  const auto google = make_tpu_resolver(t.runtime, TpuOptions("localhost:8470"));
  CHECK(t.run(google->master()) == "localhost:8470");
  CHECK(google->environment() == "google");
  CHECK(google->rpc_layer() == std::nullopt);
  const auto local = make_tpu_resolver(t.runtime, TpuOptions("local"));
  CHECK(t.run(local->cluster_spec()).empty());
  CHECK(t.run(local->master()).empty());
  CHECK(t.transport->requests.empty());
}

TEST_CASE("the coordinator is a job of its own; without an address a socket is bound") {
  TestRuntime t;
  t.transport->answers.emplace_back(metadata("127.0.0.1"));
  const auto given = make_tpu_resolver(t.runtime, TpuOptions("grpc://a:1").coordinator_name("chief").coordinator_address("c:2"));
  CHECK(t.run(given->cluster_spec()).task_address("chief", 0).value() == "c:2");
  const auto bound = make_tpu_resolver(t.runtime, TpuOptions("grpc://a:1").coordinator_name("chief"));
  const auto first = t.run(bound->cluster_spec());
  CHECK(bound->coordinator_socket() >= 0);
  CHECK_THAT(first.task_address("chief", 0).value(), Catch::StartsWith("127.0.0.1:") && !Catch::EndsWith(":0"));
  CHECK(t.run(bound->cluster_spec()) == first);
  const auto address_only = make_tpu_resolver(t.runtime, TpuOptions("grpc://a:1").coordinator_address("c:2"));
  CHECK(t.run(address_only->cluster_spec()).jobs() == std::vector<std::string>{"worker"});
}

TEST_CASE("the API's address: option, gcloud's override, discovery, Google's") {
  const GivenVariables override{{"CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU", "http://localhost:9/"}};
  {
    TestRuntime t(override);
    t.answer(200, ready_node);
    t.run(make_tpu_resolver(t.runtime, given_trainer())->cluster_spec());
    CHECK(t.transport->requests[0].url.origin() == "http://localhost:9");
    CHECK_FALSE(t.transport->requests[0].bearer.empty());
    t.run(make_tpu_resolver(t.runtime, given_trainer().endpoint("https://x.test/base"))->cluster_spec());
    CHECK(t.transport->requests[1].url.target == "/base/v2/projects/p/locations/z/nodes/trainer");
  }
  {
    TestRuntime t(GivenVariables{{"TPU_API_DISCOVERY_URL", "https://disc.test/{api}/{apiVersion}"}});
    t.answer(200, R"({"rootUrl":"https://tpu.other.test/","servicePath":""})");
    t.answer(200, ready_node);
    t.run(make_tpu_resolver(t.runtime, given_trainer())->cluster_spec());
    CHECK(t.transport->requests[0].url.target == "/tpu/v2");
    CHECK(t.transport->requests[0].bearer.empty());
    CHECK(t.transport->requests[1].url.host == "tpu.other.test");
    CHECK(t.transport->requests[1].bearer.empty());
    t.transport->answers.emplace_front(rollcall::testing::ScriptedTransport::reply(200, R"({"rootUrl":"https://tpu.other.test/"})"));
    t.run(make_tpu_resolver(t.runtime, given_trainer().allow_token_to("tpu.other.test"))->cluster_spec());
    CHECK_FALSE(t.transport->requests[3].bearer.empty());
  }
}

TEST_CASE("a union asks its children at the same time, once, and merges in order") {
  TestRuntime t;
  t.answer(200, ready_node);
  t.transport->answers.back().after = 1s;
  std::vector<std::shared_ptr<ClusterResolver>> children;
  for (int i = 0; i < 3; ++i) children.push_back(make_tpu_resolver(t.runtime, given_trainer()));
  const auto all = make_union_resolver(t.runtime, children);
  CHECK(t.run(all->cluster_spec()).num_tasks("worker").value() == 6);
  CHECK(t.seconds() == 1);
  CHECK(t.transport->requests.size() == 3);
  CHECK(all->rpc_layer() == "grpc");
  CHECK(t.run(make_union_resolver(t.runtime, {})->try_cluster_spec()).error().code() == Errc::invalid_argument);
}

TEST_CASE("TF_CONFIG is read at each call, and only a key that is used can cause an error") {
  TestRuntime t(
      GivenVariables{{"TF_CONFIG", R"({"cluster":{"worker":["a:1","b:1"]},"task":{"type":"worker","index":"1"},"rpc_layer":"grpc"})"}});
  const auto config = make_tfconfig_resolver(t.runtime);
  CHECK(t.run(config->master()) == "grpc://b:1");
  CHECK(config->task_id() == 1);
  TestRuntime bad(GivenVariables{{"TF_CONFIG", R"({"cluster":7,"task":{"type":"worker"}})"}});
  const auto broken = make_tfconfig_resolver(bad.runtime);
  CHECK(broken->task_type() == "worker");
  CHECK(bad.run(broken->try_cluster_spec()).error().code() == Errc::invalid_argument);
  TestRuntime garbled(GivenVariables{{"TF_CONFIG", "{"}});
  CHECK_THROWS_AS(make_tfconfig_resolver(garbled.runtime)->task_id(), ResolveError);
}

TEST_CASE("targets make resolvers; for misspellings the nearest name is given") {
  TestRuntime t;
  const auto simple = make_resolver(t.runtime, "simple:job.worker=a:1+b:2,job.ps=c:3");
  REQUIRE(simple.has_value());
  CHECK(t.run((*simple)->cluster_spec()).to_json() == R"({"worker":["a:1","b:2"],"ps":["c:3"]})");
  CHECK_THAT(make_resolver(t.runtime, "tpo:x").error().message(), Catch::Contains("did you mean tpu:"));
  CHECK_THAT(make_resolver(t.runtime, "kube:x").error().message(), Catch::Contains("did you mean kubernetes:"));
  CHECK_THAT(make_resolver(t.runtime, "tpu:x,zon=y").error().message(), Catch::Contains("zone"));
  CHECK(make_resolver(t.runtime, "tpu:x,api=v9").has_error());
  for (const std::string target : {"tpu:a,zone=", "tpu:a,project=", "tfconfig:task=", "simple:job.w=a:1,type="}) {
    CAPTURE(target);
    const auto refused = make_resolver(t.runtime, target);
    testing::check_failure(refused, Errc::invalid_argument, target.substr(target.find_last_of(",:") + 1) + " has no value");
  }
  CHECK(make_resolver(t.runtime, "simple:job.w=a:1,rpc_layer=").has_value());
  CHECK(make_resolver(t.runtime, "simple:job.w=").has_value());
}

TEST_CASE("a node's accelerator: one request; the configuration's topology wins over the type's usual one") {
  TestRuntime t;
  t.answer(200, R"({"acceleratorType":"v4-32","acceleratorConfig":{"type":"V4","topology":"2x4x2"},"state":"CREATING"})");
  t.answer(200, R"({"acceleratorType":"v4-32"})");
  t.answer(200, R"({"acceleratorType":"v4-33"})");
  const auto client = make_cloud_tpu_client(t.runtime, given_trainer());
  const AcceleratorType given = t.run(client->accelerator());
  CHECK(given.topology().to_text() == "2x4x2");
  CHECK(given.is_topology_certain());
  CHECK(t.transport->requests.size() == 1);
  const AcceleratorType usual = t.run(client->accelerator());
  CHECK(usual.topology().to_text() == "2x2x4");
  CHECK_FALSE(usual.is_topology_certain());
  const auto code_of = [&t](const std::shared_ptr<CloudTpuClient>& asked) {
    try {
      t.run(asked->accelerator());
    } catch (const ResolveError& error) {
      return error.failure().code();
    }
    return Errc::cancelled;
  };
  CHECK(code_of(client) == Errc::malformed_response);
  CHECK(code_of(make_cloud_tpu_client(t.runtime, TpuOptions("grpc://10.0.0.1"))) == Errc::failed_precondition);
  CHECK(t.transport->requests.size() == 3);
}

TEST_CASE("waiting for health polls every interval and gives up before the time is over") {
  TestRuntime t;
  t.answer(200, R"({"health":"TIMEOUT","state":"READY"})");
  t.answer(200, R"({"health":"TIMEOUT","state":"READY"})");
  t.answer(200, R"({"health":"HEALTHY","state":"READY"})");
  const auto client = make_cloud_tpu_client(t.runtime, given_trainer());
  t.run([](std::shared_ptr<CloudTpuClient> c) -> asio::awaitable<int> {
    co_await c->wait_for_healthy(80s, 5s);
    co_return 0;
  }(client));
  CHECK(t.seconds() == 10);
}

TEST_CASE("many TPUs ask for project and zone once, later calls not again, and failures are not kept") {
  TestRuntime t(GivenVariables{{"GCE_METADATA_HOST", "metadata.test"}});
  t.answer(404);
  t.answer(404);
  const auto lone = make_tpu_resolver(t.runtime, TpuOptions("trainer"));
  CHECK(t.run(lone->try_cluster_spec()).has_error());
  t.transport->requests.clear();
  t.transport->answers.clear();
  t.transport->answers.emplace_back(metadata("my-project"));
  t.transport->answers.emplace_back(metadata("projects/123/zones/us-central2-b"));
  t.answer(200, ready_node);
  std::vector<std::shared_ptr<ClusterResolver>> children;
  for (int i = 0; i < 5; ++i) children.push_back(make_tpu_resolver(t.runtime, TpuOptions("trainer")));
  const auto all = make_union_resolver(t.runtime, children);
  CHECK(t.run(all->cluster_spec()).num_tasks("worker").value() == 10);
  CHECK(t.transport->requests.size() == 7);
  CHECK(t.run(all->cluster_spec()).num_tasks("worker").value() == 10);
  CHECK(t.transport->requests.size() == 12);
}

TEST_CASE("a metadata server that gives no token is reported in time, within the caller's own retries") {
  TestRuntime t(GivenVariables{{"GCE_METADATA_HOST", "metadata.test"}}, Limits(), default_credentials());
  t.answer(Failure(Errc::unreachable, "connection refused").with_phase(Phase::connect));
  SECTION("retries") {
    const auto spec =
        t.run(make_tpu_resolver(t.runtime, given_trainer())->try_cluster_spec(CallOptions().retry(RetryPolicy().max_retries(1))));
    CHECK(spec.error().code() == Errc::unreachable);
    CHECK(t.transport->requests.size() == 2);
  }
  SECTION("deadline") {
    t.transport->answers.front().after = 1h;
    const auto spec = t.run(make_tpu_resolver(t.runtime, given_trainer())->try_cluster_spec(CallOptions().timeout(3s)));
    CHECK(t.seconds() < 3);
    CHECK_THAT(spec.error().message(), Catch::Contains("token") && Catch::Contains("metadata.test"));
  }
}

TEST_CASE("a password in an endpoint is not shown") {
  TestRuntime t;
  const auto spec = t.run(make_tpu_resolver(t.runtime, given_trainer().endpoint("http://user:pw@127.0.0.1:1/"))->try_cluster_spec());
  CHECK(spec.error().code() == Errc::invalid_argument);
  CHECK_THAT(spec.error().message(), !Catch::Contains("pw"));
}
