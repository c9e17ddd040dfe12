// The process that Slurm started: task, batch script or shell; heterogeneous steps, host files, and the place of a rank.
#include "rollcall/slurm_resolver.hpp"

#include "support/result.hpp"
#include "support/spec_text.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::spec_text;
using rollcall::testing::TestRuntime;

namespace {

using StepVariables = std::map<std::string, std::string, std::less<>>;

// A real step of Slurm's, cut down: two nodes, two tasks on each.
StepVariables whole_step() {
  return {{"SLURM_JOB_ID", "5"},
          {"SLURM_STEP_ID", "0"},
          {"SLURM_JOB_NODELIST", "n[1-2]"},
          {"SLURM_JOB_NUM_NODES", "2"},
          {"SLURM_NTASKS", "4"},
          {"SLURM_STEP_NUM_TASKS", "4"},
          {"SLURM_NNODES", "2"},
          {"SLURM_STEP_NUM_NODES", "2"},
          {"SLURM_TASKS_PER_NODE", "2(x2)"},
          {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
          {"SLURM_STEP_NODELIST", "n[1-2]"},
          {"SLURMD_NODENAME", "n2"},
          {"SLURM_PROCID", "3"},
          {"SLURM_LOCALID", "1"},
          {"SLURM_NODEID", "1"},
          {"SLURM_GTIDS", "2,3"},
          {"SLURM_DISTRIBUTION", "block"}};
}

StepVariables changed(StepVariables variables, const StepVariables& changes) {
  for (const auto& [name, value] : changes) {
    variables.erase(name);
    if (value != "-") variables.emplace(name, value);
  }
  return variables;
}

std::string step_answer(const StepVariables& variables, const std::string& target = "slurm:order=rank", const StepVariables& files = {}) {
  TestRuntime t(variables, {}, nullptr, files);
  return spec_text(t, t.runtime, target);
}

std::string role_of(const StepVariables& variables) {
  const Result<SlurmProcess> process = find_slurm_process(*fixed_environment(variables));
  if (!process) return process.error().message();
  constexpr std::string_view roles[] = {"none", "task", "allocation"};
  return std::string(roles[static_cast<std::size_t>(process->role)]) + "|" + process->words + "|" + process->run;
}

const StepVariables batch_script = {{"SLURM_JOB_ID", "25"},
                                    {"SLURM_PROCID", "0"},
                                    {"SLURM_LOCALID", "0"},
                                    {"SLURM_NODEID", "0"},
                                    {"SLURM_GTIDS", "0"},
                                    {"SLURMD_NODENAME", "n9"},
                                    {"SLURM_NTASKS", "6"},
                                    {"SLURM_NNODES", "3"},
                                    {"SLURM_TASKS_PER_NODE", "2(x3)"},
                                    {"SLURM_JOB_NUM_NODES", "3"},
                                    {"SLURM_JOB_NODELIST", "n[9-11]"}};

const std::string ranks_of_step = R"({"worker":["n1:8888","n1:8889","n2:8888","n2:8889"]})";

}  // namespace

TEST_CASE("Slurm's variables say what a process is") {
  CHECK(role_of({}) == "none||");
  CHECK(role_of({{"SLURM_CLUSTER_NAME", "c"}}) == "none||");
  CHECK(role_of(whole_step()) == "task|a task of a step|5.0");
  CHECK(role_of({{"SLURM_STEP_NODELIST", "n1"}, {"SLURM_PROCID", "0"}}) == "task|a task of a step|");
  CHECK(role_of(batch_script) == "allocation|a batch script|25");
  CHECK(role_of(changed(batch_script, {{"SLURM_STEP_ID", "-5"}})) == "allocation|a batch script|25");
  CHECK(role_of(changed(batch_script, {{"SLURM_PROCID", "-"}})) == "allocation|a shell|25");
  for (const char* id : {"4294967290", "-6"})
    CHECK(role_of(changed(whole_step(), {{"SLURM_STEP_ID", id}})) == "allocation|an interactive shell|5");
  CHECK(role_of(changed(whole_step(), {{"SLURM_STEP_ID", "-"}, {"SLURM_STEPID", "4294967292"}})) == "allocation|an external process|5");
  // A task whose variables were passed on in part.
  CHECK(role_of({{"SLURM_JOB_ID", "5"}, {"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "4"}}) == "none||5");
  CHECK(role_of({{"SLURM_JOB_ID", "5"}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}}) == "none||5");
}

TEST_CASE("a step's variables that another process left are refused") {
  const auto with = [](const StepVariables& changes) { return step_answer(changed(whole_step(), changes)); };
  CHECK(with({}) == ranks_of_step);
  for (const char* name :
       {"SLURM_JOB_NODELIST", "SLURM_NTASKS", "SLURM_NNODES", "SLURM_STEP_NUM_NODES", "SLURM_TASKS_PER_NODE", "SLURMD_NODENAME",
        "SLURM_LOCALID", "SLURM_NODEID", "SLURM_GTIDS", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_DISTRIBUTION"}) {
    CAPTURE(name);
    CHECK(with({{name, "-"}}) == ranks_of_step);  // containers do not pass on all
    CHECK(with({{name, ""}}) == ranks_of_step);
  }
  // Of a bigger job, whose number of tasks was passed on.
  CHECK(with({{"SLURM_JOB_NODELIST", "n[1-4]"}, {"SLURM_JOB_NUM_NODES", "4"}, {"SLURM_NTASKS", "8"}}) == ranks_of_step);
  CHECK(with({{"SLURM_TASKS_PER_NODE", "2,2"}}) == ranks_of_step);
  const auto refused = [&](const StepVariables& changes, const std::string& a, const std::string& b) {
    for (const char* target : {"slurm:", "slurm:order=rank", "auto:"}) {
      CAPTURE(target, a);
      CHECK_THAT(step_answer(changed(whole_step(), changes), target),
                 Catch::Contains("conflict: ") && Catch::Contains(a) && Catch::Contains(b) && Catch::Contains("srun"));
    }
  };
  refused({{"SLURMD_NODENAME", "n6"}}, "SLURM_STEP_NODELIST is 'n[1-2]'", "SLURMD_NODENAME is 'n6'");
  refused({{"SLURM_JOB_NODELIST", "n[2-6]"}}, "SLURM_JOB_NODELIST is 'n[2-6]'", "without n1");
  refused({{"SLURM_NNODES", "4"}}, "SLURM_NNODES is '4'", "SLURM_STEP_NUM_NODES is '2'");
  refused({{"SLURM_TASKS_PER_NODE", "1(x4)"}}, "SLURM_TASKS_PER_NODE is '1(x4)'", "SLURM_STEP_TASKS_PER_NODE");
  refused({{"SLURM_NTASKS", "1"}}, "SLURM_NTASKS is '1'", "SLURM_STEP_NUM_TASKS is '4'");
  // A batch script that was submitted from within a step.
  refused({{"SLURM_JOB_NODELIST", "n6"}, {"SLURMD_NODENAME", "n6"}, {"SLURM_NTASKS", "1"}, {"SLURM_PROCID", "0"}}, "n[1-2]", "n6");
}

TEST_CASE("in a batch script or a shell the nodes of the allocation are the cluster") {
  const std::string nodes = R"({"worker":["n9:8888","n10:8888","n11:8888"]})";
  CHECK(step_answer(batch_script) == nodes);
  CHECK(step_answer(batch_script, "auto:") == nodes);
  CHECK(step_answer(batch_script, "slurm:port=9") == R"({"worker":["n10:9","n11:9","n9:9"]})");
  CHECK(step_answer(changed(batch_script, {{"SLURM_PROCID", "-"}, {"SLURMD_NODENAME", "-"}})) == nodes);
  const StepVariables interactive = changed(
      whole_step(),
      {{"SLURM_STEP_ID", "4294967290"}, {"SLURM_STEP_NODELIST", "n1"}, {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_STEP_TASKS_PER_NODE", "1"}});
  CHECK(step_answer(interactive) == R"({"worker":["n1:8888","n2:8888"]})");
  // Up to Slurm 19.05 the names have PACK.
  for (const std::string word : {"HET", "PACK"}) {
    CHECK(step_answer(changed(batch_script, {{"SLURM_" + word + "_SIZE", "2"},
                                             {"SLURM_JOB_NODELIST", "n9"},
                                             {"SLURM_JOB_NUM_NODES", "1"},
                                             {"SLURM_JOB_NODELIST_" + word + "_GROUP_0", "n9"},
                                             {"SLURM_JOB_NODELIST_" + word + "_GROUP_1", "n[1-2]"}})) ==
          R"({"worker":["n9:8888","n1:8888","n2:8888"]})");
  }
  CHECK_THAT(step_answer(batch_script, "slurm:job.ps=1"),
             Catch::Contains("this process is a batch script") && Catch::Contains("start it by srun"));
  CHECK_THAT(step_answer(changed(batch_script, {{"SLURM_JOB_NUM_NODES", "2"}})), Catch::Contains("SLURM_JOB_NUM_NODES is 2"));
  CHECK_THAT(step_answer(changed(batch_script, {{"SLURM_JOB_NODELIST", "n[9-"}})), Catch::Contains("SLURM_JOB_NODELIST: "));
  TestRuntime t(batch_script);
  const auto slurm = make_slurm_resolver(t.runtime);
  CHECK_THAT(slurm->task().error().message(), Catch::Contains("none of the tasks of a step: start it by srun"));
  (void)t.run(slurm->cluster_spec());
  CHECK_FALSE(slurm->task_id());
}

TEST_CASE("another launcher within a batch script comes before the allocation") {
  const StepVariables torchrun = changed(batch_script, {{"GROUP_WORLD_SIZE", "1"},
                                                        {"WORLD_SIZE", "2"},
                                                        {"RANK", "0"},
                                                        {"MASTER_ADDR", "n9"},
                                                        {"MASTER_PORT", "29500"},
                                                        {"GROUP_RANK", "0"},
                                                        {"LOCAL_WORLD_SIZE", "2"}});
  CHECK(step_answer(torchrun, "auto:") == R"({"worker":["n9:29500"]})");
}

TEST_CASE("a heterogeneous step has its ranks component by component") {
  const StepVariables groups = {{"SLURM_JOB_ID", "1"},
                                {"SLURM_HET_SIZE", "2"},
                                {"SLURM_JOB_ID_HET_GROUP_0", "1"},
                                {"SLURM_JOB_ID_HET_GROUP_1", "2"},
                                {"SLURM_JOB_NODELIST_HET_GROUP_0", "n4"},
                                {"SLURM_JOB_NODELIST_HET_GROUP_1", "n[1-2]"},
                                {"SLURM_TASKS_PER_NODE_HET_GROUP_0", "1"},
                                {"SLURM_TASKS_PER_NODE_HET_GROUP_1", "7,1"}};
  // As Slurm 22.05 has it: nodes and tasks in the order of one sorted list.
  const StepVariables both = changed(groups, {{"SLURM_STEP_NODELIST", "n[1-2,4]"},
                                              {"SLURM_JOB_NODELIST", "n[1-2,4]"},
                                              {"SLURM_STEP_NUM_TASKS", "4"},
                                              {"SLURM_STEP_TASKS_PER_NODE", "2,1(x2)"},
                                              {"SLURM_DISTRIBUTION", "block"},
                                              {"SLURM_PROCID", "1"},
                                              {"SLURM_LOCALID", "0"},
                                              {"SLURM_NODEID", "1"},
                                              {"SLURM_GTIDS", "1,2"},
                                              {"SLURMD_NODENAME", "n1"}});
  CHECK(step_answer(both) == R"({"worker":["n4:8888","n1:8888","n1:8889","n2:8888"]})");
  CHECK(step_answer(both, "auto:") == step_answer(both));
  CHECK(step_answer(both, "slurm:") == R"({"worker":["n1:8888","n1:8889","n2:8888","n4:8888"]})");
  CHECK_THAT(step_answer(changed(both, {{"SLURM_DISTRIBUTION", "cyclic"}})),
             Catch::Contains("heterogeneous step") && Catch::Contains("component 1"));
  // One task on each node: any distribution is the same.
  const StepVariables one_each = changed(
      both,
      {{"SLURM_STEP_NUM_TASKS", "3"}, {"SLURM_STEP_TASKS_PER_NODE", "1(x3)"}, {"SLURM_DISTRIBUTION", "cyclic"}, {"SLURM_GTIDS", "1"}});
  CHECK(step_answer(one_each) == R"({"worker":["n4:8888","n1:8888","n2:8888"]})");
  // A step in one component is a step like any other.
  const StepVariables second = changed(both, {{"SLURM_STEP_NODELIST", "n[1-2]"},
                                              {"SLURM_JOB_NODELIST", "n[1-2]"},
                                              {"SLURM_STEP_NUM_TASKS", "3"},
                                              {"SLURM_STEP_TASKS_PER_NODE", "2,1"},
                                              {"SLURM_DISTRIBUTION", "cyclic"},
                                              {"SLURM_NODEID", "0"},
                                              {"SLURM_GTIDS", "0,2"},
                                              {"SLURM_PROCID", "2"},
                                              {"SLURM_LOCALID", "1"}});
  CHECK(step_answer(second) == R"({"worker":["n1:8888","n2:8888","n1:8889"]})");
  CHECK_THAT(step_answer(changed(both, {{"SLURM_JOB_NODELIST_HET_GROUP_0", "n5"}})),
             Catch::Contains("heterogeneous job") && Catch::Contains("n4 of SLURM_STEP_NODELIST"));
  CHECK_THAT(step_answer(changed(both, {{"SLURM_JOB_NODELIST_HET_GROUP_0", "-"}})),
             Catch::Contains("heterogeneous job") && Catch::Contains("only 1"));
  CHECK_THAT(step_answer(changed(both, {{"SLURM_JOB_NODELIST_HET_GROUP_0", "n[1,4]"}})),
             Catch::Contains("heterogeneous job") && Catch::Contains("n1 is in"));
  CHECK_THAT(step_answer(changed(both, {{"SLURM_JOB_NODELIST_HET_GROUP_1", "n[1-"}})), Catch::Contains("heterogeneous job"));
  // Variables that were inherited of another job.
  CHECK(step_answer(changed(second, {{"SLURM_JOB_ID", "9"}, {"SLURM_JOB_NODELIST_HET_GROUP_1", "n7"}})) ==
        R"({"worker":["n1:8888","n2:8888","n1:8889"]})");
  CHECK(role_of(changed(both, {{"SLURM_JOB_ID", "2"}, {"SLURM_STEP_ID", "3"}})) == "task|a task of a step|1.3");  // as the leader's tasks
}

TEST_CASE("an arbitrary distribution is read from SLURM_HOSTFILE") {
  const StepVariables step = {{"SLURM_STEP_NODELIST", "n[1-3]"},
                              {"SLURM_STEP_NUM_TASKS", "5"},
                              {"SLURM_STEP_TASKS_PER_NODE", "2,1,2"},
                              {"SLURM_PROCID", "4"},
                              {"SLURM_LOCALID", "1"},
                              {"SLURM_NODEID", "0"},
                              {"SLURM_GTIDS", "1,4"},
                              {"SLURMD_NODENAME", "n1"},
                              {"SLURM_DISTRIBUTION", "arbitrary"},
                              {"SLURM_HOSTFILE", "/hosts"}};
  const auto with = [&](const std::string& text) { return step_answer(step, "slurm:order=rank", {{"/hosts", text}}); };
  const std::string ranks = R"({"worker":["n3:8888","n1:8888","n3:8889","n2:8888","n1:8889"]})";
  for (const char* text :
       {"n3\nn1\nn3\nn2\nn1\n", "n3,n1\nn3 n2,n1", "# by hand\r\nN3*1\r\nn1 # second\r\nn3\r\nn[2,1]\r\n", "n3\nn1\nn3\nn2\nn1\nn2\n"})
    CHECK(with(text) == ranks);
  CHECK(step_answer(step, "auto:", {{"/hosts", "n3\nn1\nn3\nn2\nn1\n"}}) == ranks);
  CHECK_THAT(with("n3\nn1\n"), Catch::Contains("SLURM_HOSTFILE names nodes for 2 of 5 tasks"));
  CHECK_THAT(with("n3\nn1\nn3\nn7\nn1\n"), Catch::Contains("names 'n7', which SLURM_STEP_NODELIST does not"));
  CHECK_THAT(with("n3\nn1\nn1\nn2\nn1\n"), Catch::Contains("has 3 tasks on n1, but SLURM_STEP_TASKS_PER_NODE 2"));
  CHECK_THAT(with("n1\nn3\nn3\nn2\nn1\n"), Catch::Contains("SLURM_GTIDS is '1,4'"));
  CHECK_THAT(with("n3*x\n"), Catch::Contains("line 1: 'n3*x' is not repeated by a number"));
  CHECK_THAT(with("n1\nn[1-\n"), Catch::Contains("line 2: "));
  CHECK_THAT(step_answer(step), Catch::Contains("SLURM_HOSTFILE: ") && Catch::Contains("/hosts"));
  CHECK_THAT(step_answer(changed(step, {{"SLURM_HOSTFILE", "-"}})),
             Catch::Contains("unimplemented: ") && Catch::Contains("set SLURM_HOSTFILE"));
  CHECK(step_answer(step, "slurm:").starts_with(R"({"worker":["n1:8888","n1:8889","n2:8888")"));
}

TEST_CASE("the place of a rank must be the one that Slurm names") {
  const auto with = [](const char* name, const char* value) { return step_answer(changed(whole_step(), {{name, value}})); };
  for (const auto& [name, value] : {std::pair("SLURM_LOCALID", "0"), std::pair("SLURM_NODEID", "0"), std::pair("SLURMD_NODENAME", "n1"),
                                    std::pair("SLURM_GTIDS", "1,3"), std::pair("SLURM_GTIDS", "2"), std::pair("SLURM_GTIDS", "1,2,3")}) {
    CAPTURE(name, value);
    CHECK_THAT(with(name, value), Catch::Contains("conflict: slurm: rank 3 (SLURM_PROCID) is task 1 on n2") &&
                                      Catch::Contains(std::string(name) + " is '" + value + "'"));
  }
  CHECK_THAT(with("SLURM_GTIDS", "2-3"), Catch::Contains("SLURM_GTIDS is '2-3', which is no list of ranks"));
  CHECK(with("SLURMD_NODENAME", "N2") == ranks_of_step);
  // Hosts that are sorted by name are upstream's, where an address does not belong to the rank.
  CHECK(step_answer(changed(whole_step(), {{"SLURM_LOCALID", "0"}}), "slurm:") == ranks_of_step);
}
