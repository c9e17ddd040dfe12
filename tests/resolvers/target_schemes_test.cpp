// Targets become resolvers: own rows, the spelling of every option, and the messages of refusals.
#include "rollcall/target_scheme.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "support/result.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::TestRuntime;
using rollcall::testing::value_of;

TEST_CASE("an own row without a maker, or whose maker returns null, is refused by name") {
  TestRuntime t;
  constexpr TargetScheme own[] = {
      {.name = "nomake", .synopsis = "nomake:"},
      {.name = "nothing", .synopsis = "nothing:", .make = [](Runtime, const Target&) -> Result<std::shared_ptr<ClusterResolver>> {
         return std::shared_ptr<ClusterResolver>();
       }}};
  for (const std::string target : {"nomake:x", "nothing:x"}) {
    CAPTURE(target);
    const auto refused = make_resolver(t.runtime, target, own);
    testing::check_failure(refused, Errc::invalid_argument, target.substr(0, target.find(':') + 1) + " ");
  }
  CHECK(make_resolver(t.runtime, "simple:job.w=a:1", own).has_value());
}

// An author who adds a key must decide here too whether it names a file, or a server to which a token may be sent.
TEST_CASE("the keys that need trust, and all others") {
  std::string trusted;
  std::string others;
  for (const TargetScheme* const scheme : target_schemes()) {
    (scheme->name_needs_trust ? trusted : others) += fmt::format("{}: ", scheme->name);
    for (const TargetKey& key : scheme->keys) {
      if (key.needs_trust) trusted += fmt::format("{}:{} ", scheme->name, key.name);
      if (!key.needs_trust) others += fmt::format("{} ", key.name);
    }
  }
  CHECK(trusted ==
        "tpu:endpoint tpu:discovery_url gce:endpoint kubernetes:kubeconfig kubernetes:api_server kubernetes:token_file slurm:restd "
        "slurm:token_file slurm:token_command file: mpi:hostfile ");
  CHECK(
      others ==
      "tpu: project zone job slices api coordinator coordinator_address simple: type task master rpc_layer environment num_accelerators "
      "tfconfig: type task rpc_layer environment gce: project zone region port named_port type task rpc_layer order address nic lookup "
      "partial "
      "kubernetes: port address family order context location rpc_layer type task "
      "slurm: port gpus_per_node gpus_per_task tasks_per_node auto_set_gpu rpc_layer order grammar login cluster user address probe_nodes "
      "sagemaker: port "
      "type task rpc_layer "
      "environment "
      "format job port type task rpc_layer mpi: port job rpc_layer dns: port job family srv wait type task rpc_layer auto: from port job "
      "task "
      "rpc_layer ");
}

TEST_CASE("a target of an untrusted writer may not name a file or a server") {
  const auto check = [](const char* text) {
    const Target target = value_of(Target::parse(text));
    return check_needs_no_trust(target, *find_scheme(target.scheme));
  };
  CHECK(check("tpu:n,project=p,zone=z"));
  CHECK(check("kubernetes:x,job.w=a=b,context=c"));
  testing::check_failure(check("tpu:n,project=p,endpoint=https://evil.example/"), Errc::refused_by_policy,
                         "tpu: endpoint= names a file or a server");
  testing::check_failure(check("kubernetes:x,job.w=a=b,kubeconfig=f"), Errc::refused_by_policy, "kubernetes: kubeconfig=");
  testing::check_failure(check("file:x"), Errc::refused_by_policy, "file: names a file");
}

TEST_CASE("every argument of upstream's constructors has a spelling") {
  TestRuntime t(std::map<std::string, std::string, std::less<>>{
      {"TF_CONFIG", R"({"cluster":{"worker":["a:1"]}})"}, {"SM_HOSTS", R"(["a"])"}, {"SM_CURRENT_HOST", "a"}});
  const auto simple = make_resolver(t.runtime, "simple:job.worker=a:1,environment=google,num_accelerators=GPU:4+TPU:8").value();
  CHECK(simple->environment() == "google");
  const AcceleratorCounts counts = t.run(simple->num_accelerators());
  CHECK(counts.at("GPU") == 4);
  CHECK(counts.at("TPU") == 8);
  CHECK(t.run(make_resolver(t.runtime, "simple:job.worker=a:1").value()->num_accelerators()).counts().empty());
  for (const std::string target : {"tfconfig:", "sagemaker:"}) {
    CAPTURE(target);
    CHECK(make_resolver(t.runtime, target + "environment=google").value()->environment() == "google");
    CHECK(make_resolver(t.runtime, target).value()->environment() == std::nullopt);
  }
  for (const std::string wrong : {"GPU", ":4", "GPU:", "GPU:x", "GPU:-1", "GPU:4+GPU:5", "GPU:4+"}) {
    CAPTURE(wrong);
    const auto refused = make_resolver(t.runtime, "simple:job.worker=a:1,num_accelerators=" + wrong);
    REQUIRE(refused.has_error());
    CHECK_THAT(refused.error().message(), Catch::StartsWith("simple: num_accelerators='" + wrong + "'"));
  }
}

TEST_CASE("a fixed job has no empty address; it may have none at all") {
  TestRuntime t;
  for (const std::string list : {"a:1++b:2", "+a:1", "a:1+", "+"}) {
    CAPTURE(list);
    const auto refused = make_resolver(t.runtime, "simple:job.worker=" + list);
    testing::check_failure(refused, Errc::invalid_argument, "job.worker='" + list + "' has an empty address");
  }
  CHECK(make_resolver(t.runtime, "simple:job.worker=,job.ps=a:1").has_value());
}

TEST_CASE("an invalid number or flag is reported with its key; for a name with a comma, the part without = is reported") {
  TestRuntime t;
  const auto reported = [&](std::string_view target) {
    const auto made = make_resolver(t.runtime, target);
    return made ? "nothing" : made.error().message();
  };
  CHECK_THAT(reported("kubernetes:n,port=0"), Catch::StartsWith("kubernetes: port='0' is not a port"));
  CHECK_THAT(reported("simple:job.w=a:1,task=x"), Catch::StartsWith("simple: task='x' is not a task index"));
  CHECK_THAT(reported("slurm:auto_set_gpu=1"), Catch::StartsWith("slurm: auto_set_gpu='1' is neither true nor false"));
  const auto tpu = make_resolver(t.runtime, "tpu:trainer,zone").value();
  const auto spec = t.run(tpu->try_cluster_spec());
  REQUIRE(spec.has_error());
  CHECK_THAT(spec.error().message(), Catch::Contains("'trainer,zone' is not a TPU name") && Catch::Contains("'zone' has no ="));
}
