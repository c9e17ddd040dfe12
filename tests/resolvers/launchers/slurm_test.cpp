// The Slurm resolver: its tasks, its errors, and its changes of the environment.
#include "rollcall/slurm_resolver.hpp"

#include <fmt/format.h>

#include "rollcall/union_resolver.hpp"
#include "support/result.hpp"
#include "support/spec_text.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::spec_text;
using rollcall::testing::TestRuntime;

namespace {

using SlurmVariables = std::map<std::string, std::string, std::less<>>;

SlurmVariables slurm_step(const std::string& nodes, const std::string& tasks, int rank, const std::string& total) {
  return {{"SLURM_PROCID", std::to_string(rank)},
          {"SLURM_STEP_NUM_TASKS", total},
          {"SLURM_STEP_TASKS_PER_NODE", tasks},
          {"SLURM_STEP_NODELIST", nodes}};
}

std::string slurm_spec(const SlurmVariables& variables, SlurmOptions options = {}) {
  TestRuntime t(variables);
  return spec_text(t.run(make_slurm_resolver(t.runtime, std::move(options))->try_cluster_spec()));
}

std::string slurm_target(const std::string& text, const SlurmVariables& variables) {
  TestRuntime t(variables);
  return spec_text(t, t.runtime, text);
}

// Applies set() to its own copy of the variables.
class SlurmEnvironment final : public Environment {
 public:
  explicit SlurmEnvironment(SlurmVariables variables) : variables_(std::move(variables)) {}
  std::optional<std::string> get(std::string_view name) const override {
    const auto found = variables_.find(name);
    return found == variables_.end() ? std::nullopt : std::optional<std::string>(found->second);
  }
  Result<void> set(const std::string& name, const std::string& value) const override {
    variables_[name] = value;
    return Result<void>();
  }

 private:
  mutable SlurmVariables variables_;
};

}  // namespace

TEST_CASE("a Slurm step is a cluster of its hosts, in the order of their names") {
  CHECK(slurm_spec(slurm_step("n[9-10]", "2,1", 0, "3")) == R"({"worker":["n10:8888","n9:8888","n9:8889"]})");
  SlurmOptions jobs;
  jobs.jobs({{"worker", 2}, {"ps", 1}}).port(7000);
  CHECK(slurm_spec(slurm_step("b,a", "1(x2)", 0, "x"), jobs) ==
        "failed_precondition: slurm: the jobs have 3 tasks, the nodes 2: "
        "the numbers of jobs= (or SLURM_STEP_NUM_TASKS) and of tasks_per_node= (or SLURM_STEP_TASKS_PER_NODE) must add up to the same");
  CHECK(slurm_spec(slurm_step("b,a", "2,1", 0, "x"), jobs) == R"({"ps":["a:7000"],"worker":["b:7000","b:7001"]})");
}

TEST_CASE("with the order of the ranks, address and rank belong together") {
  SlurmOptions ranks;
  ranks.order(SlurmOrder::rank);
  auto step = slurm_step("n[9-10]", "3,1", 3, "4");
  CHECK(slurm_spec(step, ranks) == R"({"worker":["n9:8888","n9:8889","n9:8890","n10:8888"]})");
  step["SLURM_DISTRIBUTION"] = "cyclic:block,Pack";
  CHECK(slurm_spec(step, ranks) == R"({"worker":["n9:8888","n10:8888","n9:8889","n9:8890"]})");
  step["SLURM_DISTRIBUTION"] = "plane";
  CHECK_THAT(slurm_spec(step, ranks), Catch::Contains("SLURM_DIST_PLANESIZE is not set"));
  step["SLURM_DIST_PLANESIZE"] = "2";
  CHECK(slurm_spec(step, ranks) == R"({"worker":["n9:8888","n9:8889","n10:8888","n9:8890"]})");
  step["SLURM_DIST_PLANESIZE"] = "0";
  CHECK_THAT(slurm_spec(step, ranks), Catch::Contains("SLURM_DIST_PLANESIZE is 0"));
  step["SLURM_DISTRIBUTION"] = "arbitrary";
  CHECK_THAT(slurm_spec(step, ranks), Catch::Contains("unimplemented: slurm: SLURM_DISTRIBUTION is 'arbitrary'"));
}

TEST_CASE("in the order of the ranks nodes and tasks of different lengths contradict each other") {
  SlurmOptions ranks;
  ranks.order(SlurmOrder::rank);
  for (const char* const count : {"2", "4"}) {
    const auto step = slurm_step("n[9-11]", fmt::format("1(x{})", count), 0, count);
    CHECK_THAT(slurm_spec(step, ranks),
               Catch::StartsWith("conflict: slurm: SLURM_STEP_NODELIST has 3 nodes, but SLURM_STEP_TASKS_PER_NODE has"));
  }
  CHECK(slurm_spec(slurm_step("n[9-11]", "1(x2)", 0, "2")) == R"({"worker":["n10:8888","n9:8888"]})");  // as TensorFlow
}

TEST_CASE("a Slurm resolver knows its task, and master() once there was a spec") {
  TestRuntime t(slurm_step("n[1-2]", "2(x2)", 3, "4"));
  SlurmOptions options;
  options.gpus_per_node(4);
  const auto slurm = make_slurm_resolver(t.runtime, options);
  CHECK(t.run(slurm->master()).empty());
  CHECK_FALSE(slurm->task_type());
  const SlurmTask task = slurm->task().value();
  CHECK((task.task_type == "worker" && task.task_id == 3 && task.address == "n2:8889"));
  CHECK(task.gpus == std::vector<int>{2, 3});
  REQUIRE(slurm->set_task_id(0));
  (void)t.run(slurm->cluster_spec());
  CHECK((slurm->task_type() == "worker" && slurm->task_id() == 3));
  CHECK(t.run(slurm->master()) == "grpc://n2:8889");
  CHECK(t.run(slurm->master("worker", 0, "grpc+tls")) == "grpc+tls://n1:8888");
  CHECK(t.run(slurm->num_accelerators()).to_json() == R"({"GPU":2})");
  CHECK(t.run(slurm->try_master("worker", 9)).error().code() == Errc::not_found);
}

TEST_CASE("the Slurm resolver changes the environment only of a Runtime that allows it") {
  SlurmOptions options;
  options.auto_set_gpu(true);
  auto step = slurm_step("n1", "2", 1, "2");
  step["CUDA_VISIBLE_DEVICES"] = "0,1,2,3";
  CHECK_THAT(slurm_spec(step, options), Catch::Contains("failed_precondition: the environment cannot be changed: CUDA_VISIBLE_DEVICES") &&
                                            Catch::Contains("leave auto_set_gpu out"));
  TestRuntime t;
  RuntimeOptions own;
  own.http = t.transport;
  own.time = t.time;
  const auto environment = std::make_shared<SlurmEnvironment>(step);
  own.environment = environment;
  const Runtime runtime(t.io.get_executor(), std::move(own));
  const auto slurm = make_slurm_resolver(runtime, options);
  for (int i = 0; i < 2; ++i) {  // its own change does not affect it
    (void)t.run(slurm->cluster_spec());
    CHECK(environment->get("CUDA_VISIBLE_DEVICES") == "2,3");
  }
  options.gpus_per_node(0);
  const auto outsider = make_slurm_resolver(runtime, options);
  REQUIRE(environment->set("CUDA_VISIBLE_DEVICES", "7"));
  CHECK(t.run(outsider->num_accelerators()).to_json() == R"({"GPU":0})");
  (void)t.run(outsider->cluster_spec());
  CHECK(environment->get("CUDA_VISIBLE_DEVICES") == "7");  // no GPUs, no change
}

TEST_CASE("GPUs of a Slurm node are counted by the environment") {
  const auto counted = [](const char* name, const char* value) {
    auto step = slurm_step("n1", "1", 0, "1");
    if (name) step[name] = value;
    TestRuntime t(step);
    const auto counts = t.run(make_slurm_resolver(t.runtime)->try_num_accelerators());
    return counts ? counts->to_json() : counts.error().message();
  };
  CHECK(counted(nullptr, "") == R"({"GPU":0})");
  CHECK(counted("CUDA_VISIBLE_DEVICES", "") == R"({"GPU":0})");  // unlike upstream, which counts one
  CHECK(counted("CUDA_VISIBLE_DEVICES", "4,5") == R"({"GPU":2})");
  CHECK(counted("SLURM_GPUS_ON_NODE", "8") == R"({"GPU":8})");
  CHECK_THAT(counted("SLURM_GPUS_ON_NODE", "many"), Catch::Contains("SLURM_GPUS_ON_NODE is 'many'"));
}

TEST_CASE("wrong values of Slurm's variables are named") {
  const auto with = [](const std::string& name, std::optional<std::string> value) {
    auto step = slurm_step("n[1-2]", "1(x2)", 0, "2");
    step.erase(name);
    if (value) step[name] = *value;
    return slurm_spec(step);
  };
  for (const char* name : {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_TASKS_PER_NODE", "SLURM_STEP_NODELIST"}) {
    CHECK_THAT(with(name, std::nullopt),
               Catch::StartsWith("failed_precondition: slurm: ") && Catch::Contains(std::string(name) + " is not set"));
  }
  CHECK_THAT(with("SLURM_STEP_NODELIST", std::nullopt), Catch::EndsWith("run under srun, or give tasks_per_node with the hosts"));
  CHECK_THAT(with("SLURM_STEP_TASKS_PER_NODE", std::nullopt), Catch::EndsWith("run under srun, or give tasks_per_node"));
  CHECK_THAT(with("SLURM_PROCID", std::nullopt), Catch::EndsWith("run under srun; from outside a step slurm:job/ID is a job"));
  for (const char* value : {"", "x", "-1", "1.5", "99999999999999999999", "1\x1b[2J"}) {
    CHECK_THAT(with("SLURM_PROCID", value), Catch::StartsWith("invalid_argument: slurm: SLURM_PROCID is "));
    CHECK_THAT(with("SLURM_STEP_NUM_TASKS", value), Catch::StartsWith("invalid_argument: slurm: SLURM_STEP_NUM_TASKS is "));
    CHECK_THAT(with("SLURM_STEP_TASKS_PER_NODE", value), Catch::StartsWith("invalid_argument: slurm: SLURM_STEP_TASKS_PER_NODE: "));
  }
  CHECK_THAT(with("SLURM_STEP_NODELIST", "n[1-2"), Catch::Contains("SLURM_STEP_NODELIST: host list 'n[1-2'"));
  CHECK_THAT(with("SLURM_STEP_NODELIST", "n[1-2]-ib"), Catch::Contains("choose the grammar scontrol"));
  CHECK_THAT(with("SLURM_STEP_NODELIST", "n[0-999999999]"), Catch::StartsWith("limit_exceeded: "));
  CHECK_THAT(with("SLURM_STEP_NODELIST", ""), Catch::Contains("there is no node"));
  CHECK_THAT(with("SLURM_STEP_TASKS_PER_NODE", "70000,1"), Catch::Contains("70000 tasks on 'n1'"));
}

TEST_CASE("wrong options of a Slurm resolver are named") {
  const auto step = slurm_step("n1", "2", 0, "2");
  const auto refused = [&](auto change) {
    SlurmOptions options;
    change(options);
    return slurm_spec(step, std::move(options));
  };
  CHECK_THAT(refused([](SlurmOptions& o) { o.port(0); }), Catch::Contains("port is 0"));
  CHECK_THAT(refused([](SlurmOptions& o) { o.port(65535); }), Catch::Contains("task 1 on 'n1' would have port 65536"));
  CHECK_THAT(refused([](SlurmOptions& o) { o.gpus_per_node(-1); }), Catch::Contains("gpus_per_node is -1"));
  CHECK_THAT(refused([](SlurmOptions& o) { o.gpus_per_task(-1); }), Catch::Contains("gpus_per_task is -1"));
  CHECK_THAT(refused([](SlurmOptions& o) { o.jobs({{"w", -2}}); }), Catch::Contains("job 'w' is -2"));
  CHECK_THAT(refused([](SlurmOptions& o) { o.tasks_per_node(-1); }), Catch::Contains("-1 tasks on 'n1'"));
  CHECK_THAT(refused([](SlurmOptions& o) { o.gpus_per_node(3).gpus_per_task(2); }),
             Catch::Contains("2 tasks on a node with 2 GPUs each are more than the 3 GPUs"));
  SlurmOptions nodes;
  nodes.tasks_per_node(SlurmOptions::TasksPerNode{{"b", 1}, {"a", 1}}).order(SlurmOrder::rank);
  CHECK(slurm_spec(step, nodes) == R"({"worker":["b:8888","a:8888"]})");
  auto beyond = step;
  beyond["SLURM_PROCID"] = "5";
  TestRuntime t(beyond);
  CHECK_THAT(make_slurm_resolver(t.runtime)->task().error().message(), Catch::Contains("SLURM_PROCID is 5, but the jobs have 2 tasks"));
  CHECK(slurm_spec(beyond) == R"({"worker":["n1:8888","n1:8889"]})");
}

TEST_CASE("slurm: targets spell every option") {
  const auto step = slurm_step("r[1-2]n[1-2]", "1(x4)", 0, "4");
  CHECK_THAT(slurm_target("slurm:", step), Catch::Contains("choose the grammar scontrol"));
  CHECK(slurm_target("slurm:order=rank", step) == R"({"worker":["r1n1:8888","r1n2:8888","r2n1:8888","r2n2:8888"]})");
  CHECK(slurm_target(
            "slurm:grammar=scontrol,port=9000,job.a=1,job.b=3,gpus_per_node=2,gpus_per_task=1,order=rank,rpc_layer=,auto_set_gpu=false",
            step) == R"({"a":["r1n1:9000"],"b":["r1n2:9000","r2n1:9000","r2n2:9000"]})");
  CHECK(slurm_target("slurm:tasks_per_node=x:3+a:1,order=rank", step) == R"({"worker":["x:8888","x:8889","x:8890","a:8888"]})");
  CHECK(slurm_target("slurm:tasks_per_node=2", slurm_step("n[1-2]", "", 0, "4")) ==
        R"({"worker":["n1:8888","n1:8889","n2:8888","n2:8889"]})");
  for (const auto& [text, why] : std::initializer_list<std::pair<const char*, const char*>>{{"slurm:n1", "takes no name"},
                                                                                            {"slurm:port=0", "not a port"},
                                                                                            {"slurm:order=up", "neither name nor rank"},
                                                                                            {"slurm:grammar=x", "neither"},
                                                                                            {"slurm:gpus_per_node=-1", "not a number"},
                                                                                            {"slurm:gpus_per_task=x", "not a number"},
                                                                                            {"slurm:auto_set_gpu=1", "neither"},
                                                                                            {"slurm:tasks_per_node=a:1+a:2", "'a:2'"},
                                                                                            {"slurm:tasks_per_node=:1", "':1'"},
                                                                                            {"slurm:job.w=x", "job.w='x'"},
                                                                                            {"slurm:job.w=1+2", "job.w='1+2'"},
                                                                                            {"slurm:prot=1", "did you mean port"}}) {
    CAPTURE(text);
    CHECK_THAT(slurm_target(text, step), Catch::Contains(why));
  }
}
