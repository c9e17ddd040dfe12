// Launch contracts: the common properties of all forms, and the simplest forms.
#include "rollcall/launch.hpp"
#include "support/result.hpp"

using namespace rollcall;

namespace {

LaunchFacts two_workers() {
  ClusterSpec spec;
  spec.set_job("worker", {"a:1", "b:1"});
  return LaunchFacts(std::move(spec));
}

std::string shown(LaunchFormat format, const LaunchFacts& facts) {
  const Result<std::string> text = render_launch(format, facts);
  return text ? *text : std::string(to_string(text.error().code())) + ": " + text.error().message();
}

}  // namespace

TEST_CASE("every form is found by its name") {
  for (const LaunchFormatFacts& form : launch_formats()) {
    CHECK(parse_launch_format(to_string(form.format)).value() == form.format);
    CHECK(facts_of(form.format).format == form.format);
    CHECK_FALSE(form.help.empty());
  }
  CHECK_THAT(parse_launch_format("tfconfig").error().hint(), Catch::Contains("tf-config"));
}

TEST_CASE("a rank is never guessed") {
  LaunchFacts facts = two_workers();
  CHECK_THAT(shown(LaunchFormat::torch_env, facts), Catch::StartsWith("failed_precondition: "));
  facts.task = LaunchedTask("worker", 1);
  CHECK(shown(LaunchFormat::torch_env, facts) ==
        "MASTER_ADDR=a\nMASTER_PORT=29500\nRANK=1\nWORLD_SIZE=2\nLOCAL_RANK=0\nLOCAL_WORLD_SIZE=1\nNODE_RANK=1\n");
  facts.task = LaunchedTask("worker", 2);
  CHECK_THAT(shown(LaunchFormat::torch_env, facts), Catch::StartsWith("not_found: "));
}

TEST_CASE("the coordinator's port follows its rule, alike on every host") {
  LaunchFacts facts = two_workers();
  facts.task = LaunchedTask("worker", 1);
  facts.port_rule = CoordinatorPort::task;
  CHECK_THAT(shown(LaunchFormat::torch_env, facts), Catch::Contains("MASTER_PORT=1\n"));
  facts.port_rule = CoordinatorPort::derived;
  const std::string derived = shown(LaunchFormat::torch_env, facts);
  facts.job_id = "run-7";
  CHECK(shown(LaunchFormat::torch_env, facts) != derived);
  facts.coordinator_port = 7;
  CHECK_THAT(shown(LaunchFormat::torch_env, facts), Catch::Contains("MASTER_PORT=7\n"));
}

TEST_CASE("parameter servers and evaluators have a rank only where they are asked for") {
  LaunchFacts facts;
  facts.spec.set_job("workerpool0", {"a:1"});
  facts.spec.set_job("workerpool1", {"b:1", "c:1"});
  facts.task = LaunchedTask("workerpool1", 0);
  CHECK_THAT(shown(LaunchFormat::torch_env, facts), Catch::Contains("RANK=1\nWORLD_SIZE=3\n"));
  for (const std::string job : {"workerpool2", "workerpool3", "ps", "evaluator"}) {
    LaunchFacts more = facts;
    more.spec.set_job(job, {"d:1"});
    CHECK(shown(LaunchFormat::torch_env, more) ==
          "failed_precondition: tasks of job '" + job +
              "' have no rank in this form: say which jobs take part: --job workerpool0,workerpool1");
    more.jobs = {"workerpool0", "workerpool1"};
    CHECK_THAT(shown(LaunchFormat::torch_env, more), Catch::Contains("WORLD_SIZE=3\n"));
    more.jobs.push_back(job);
    CHECK_THAT(shown(LaunchFormat::torch_env, more), Catch::Contains("WORLD_SIZE=4\n"));
  }
}

TEST_CASE("TF_CONFIG has the chosen jobs, and no task that does not exist") {
  LaunchFacts facts = two_workers();
  facts.spec.set_job("ps", {"p:1"});
  facts.jobs = {"worker"};
  facts.task = LaunchedTask("worker", 1);
  CHECK(shown(LaunchFormat::tf_config, facts) ==
        "{\"cluster\":{\"worker\":[\"a:1\",\"b:1\"]},\"task\":{\"type\":\"worker\",\"index\":1}}\n");
  CHECK_THAT(shown(LaunchFormat::cluster_def_text, facts), !Catch::Contains("p:1"));
  facts.task = LaunchedTask("worker", 7);
  CHECK_THAT(shown(LaunchFormat::tf_config, facts), Catch::StartsWith("not_found: "));
  facts.task = LaunchedTask("evaluator", 0);
  CHECK_THAT(shown(LaunchFormat::tf_config, facts), Catch::Contains("evaluator"));
  facts.jobs = {"worker", "worker"};
  CHECK(shown(LaunchFormat::plain, facts) == "invalid_argument: job 'worker' is named twice");
}
