// The variables that rollcall exec sets for a program.
#include "launch/job_environment.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/result.hpp"

using namespace rollcall;

namespace {

ClusterSpec job_cluster() {
  ClusterSpec spec;
  spec.set_job("worker", {"a:1", "[fd00::1]:1"});
  spec.set_job("ps", {"p:2"});
  return spec;
}

std::string shown_variables(const ClusterSpec& spec, const std::optional<LaunchedTask>& task,
                            const std::optional<std::string>& rpc_layer = {}) {
  LaunchFacts facts(spec);
  facts.task = task;
  facts.rpc_layer = rpc_layer;
  const auto variables = launch_environment(LaunchFormat::env, facts);
  if (!variables) return std::string(to_string(variables.error().code())) + ": " + variables.error().message();
  std::string text;
  for (const auto& [name, value] : *variables) text += name + "=" + value + "\n";
  return text;
}

}  // namespace

TEST_CASE("a program gets its cluster and its task") {
  const std::string plain =
      "ROLLCALL_CLUSTER={\"worker\":[\"a:1\",\"[fd00::1]:1\"],\"ps\":[\"p:2\"]}\nROLLCALL_NUM_TASKS=3\nROLLCALL_ADDRESSES=a:1,[fd00::1]:1,"
      "p:2\n";
  CHECK(shown_variables(job_cluster(), std::nullopt) == R"(TF_CONFIG={"cluster":{"worker":["a:1","[fd00::1]:1"],"ps":["p:2"]}})"
                                                        "\n" +
                                                            plain);
  CHECK(shown_variables(job_cluster(), LaunchedTask("worker", 1), "grpc") ==
        R"(TF_CONFIG={"cluster":{"worker":["a:1","[fd00::1]:1"],"ps":["p:2"]},"task":{"type":"worker","index":1},"rpc_layer":"grpc"})"
        "\n" +
            plain + "ROLLCALL_JOB_NAME=worker\nROLLCALL_TASK_INDEX=1\nROLLCALL_ADDRESS=[fd00::1]:1\n");
  // An evaluator is not part of a cluster.
  CHECK_THAT(shown_variables(job_cluster(), LaunchedTask("evaluator", 0)),
             Catch::EndsWith("ROLLCALL_JOB_NAME=evaluator\nROLLCALL_TASK_INDEX=0\n"));
  ClusterSpec sparse;
  REQUIRE(sparse.set_job("worker", ClusterSpec::Tasks{{2, "c:1"}}));
  CHECK_THAT(shown_variables(sparse, LaunchedTask("worker", 2)),
             Catch::StartsWith(R"(TF_CONFIG={"cluster":{"worker":{"2":"c:1"}},"task")"));
  CHECK(shown_variables(ClusterSpec(), std::nullopt) ==
        "TF_CONFIG={\"cluster\":{}}\nROLLCALL_CLUSTER={}\nROLLCALL_NUM_TASKS=0\nROLLCALL_ADDRESSES=\n");
}

TEST_CASE("an invalid task, and a cluster that is too large for a variable, are errors") {
  CHECK_THAT(shown_variables(job_cluster(), LaunchedTask("worker", 2)), Catch::StartsWith("not_found: "));
  ClusterSpec large;
  std::vector<std::string> addresses;
  for (int i = 0; i < 20000; ++i) addresses.push_back(fmt::format("n{:07}:8470", i));
  large.set_job("worker", std::move(addresses));
  CHECK_THAT(shown_variables(large, std::nullopt),
             Catch::StartsWith("limit_exceeded: TF_CONFIG would have 320024 bytes; a program can be given 131061 in one variable"));
  ClusterSpec odd;
  odd.set_job("worker", {std::string("a\0b:1", 5)});
  CHECK_THAT(shown_variables(odd, std::nullopt), Catch::StartsWith("invalid_argument: the address of worker 0 is 'a\\x00b:1'"));
}

TEST_CASE("every variable's name is listed") {
  const auto variables = render_job_environment(job_cluster(), LaunchedTask("ps", 0), "grpc").value();
  const auto names = job_environment_names();
  CHECK(variables.size() + 2 == names.size());  // rollcall exec sets the generation, and the count of restarts
  for (const auto& [name, value] : variables) CHECK(std::find(names.begin(), names.end(), name) != names.end());
}

TEST_CASE("a list of addresses has one for each task, and no options among them") {
  for (const char* const address :
       {"evil.example,10.9.9.9:1", "-oProxyCommand=x:1", "a b:1", "a:1\n", "\xc2\x9b:1", "\xe2\x80\xae:1", "\x9b:1"}) {
    CAPTURE(address);
    ClusterSpec spec;
    spec.set_job("worker", {std::string("a:1"), std::string(address)});
    CHECK_THAT(shown_variables(spec, std::nullopt), Catch::StartsWith("invalid_argument: the address of worker 1 is '"));
  }
  ClusterSpec spec;
  spec.set_job("wor\nker", {std::string("a:1")});
  CHECK_THAT(shown_variables(spec, LaunchedTask("wor\nker", 0)), Catch::StartsWith("invalid_argument: ROLLCALL_JOB_NAME cannot be set"));
}
