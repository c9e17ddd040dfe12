// SageMaker jobs with instance groups, the file resourceconfig.json, and the accelerators of a host.
#include "rollcall/sagemaker_resolver.hpp"
#include "rollcall/tpu_call.hpp"
#include "support/result.hpp"
#include "support/spec_text.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::spec_text;
using rollcall::testing::TestRuntime;

namespace {

using GroupVariables = std::map<std::string, std::string, std::less<>>;

// group_1 has algo-1 and algo-2, group_2 has algo-3.
GroupVariables grouped(const std::string& host, const std::string& group, const std::string& distribution, GroupVariables more = {}) {
  more.insert({{"SM_HOSTS", R"(["algo-1","algo-2","algo-3"])"},
               {"SM_CURRENT_HOST", host},
               {"SM_INSTANCE_GROUPS", R"(["group_1","group_2"])"},
               {"SM_CURRENT_INSTANCE_GROUP", group},
               {"SM_DISTRIBUTION_INSTANCE_GROUPS", distribution},
               {"SM_INSTANCE_GROUPS_DICT",
                R"({"group_1":{"instance_group_name":"group_1","instance_type":"ml.g4dn.xlarge","hosts":["algo-2","algo-1"]},)"
                R"("group_2":{"instance_group_name":"group_2","instance_type":"ml.m5.xlarge","hosts":["algo-3"]}})"}});
  return more;
}

std::string group_answer(GroupVariables variables, const std::string& target = "sagemaker:", GroupVariables files = {}) {
  TestRuntime t(std::move(variables), {}, static_token(Secret<std::string>("test-token")), std::move(files));
  const auto resolver = make_resolver(t.runtime, target).value();
  const auto spec = t.run(resolver->try_cluster_spec());
  if (!spec) return spec_text(spec);
  const bool is_named = std::find(t.log->lines.begin(), t.log->lines.end(), "left_out failed_precondition") != t.log->lines.end();
  return spec_text(spec) + " " + resolver->task_type().value_or("-") + " " + std::to_string(resolver->task_id().value_or(-1)) +
         (is_named ? ", others are named" : "");
}

std::string slots_of(GroupVariables variables) {
  TestRuntime t(std::move(variables));
  CallOptions options;
  options.with(TpuCallOptions().count_from(CountFrom::accelerator_type));
  const auto counts = t.run(make_sagemaker_resolver(t.runtime)->try_num_accelerators({}, {}, options));
  return counts ? counts->to_text() : std::string(to_string(counts.error().code())) + ": " + counts.error().what();
}

std::string config_file(const std::string& host, const std::string& own_group, const std::string& second_type = "ml.m5.xlarge") {
  return R"({"current_host":")" + host + R"(","current_group_name":")" + own_group +
         R"(","hosts":["algo-1","algo-2","algo-3"],"instance_groups":[)"
         R"({"instance_group_name":"one","instance_type":"ml.g4dn.xlarge","hosts":["algo-3","algo-1"]},)"
         R"({"instance_group_name":"two","instance_type":")" +
         second_type + R"(","hosts":["algo-2"]}],"network_interface_name":"eth0"})";
}

constexpr const char* config_path = "/opt/ml/input/config/resourceconfig.json";

}  // namespace

TEST_CASE("the cluster of a SageMaker host is its instance group, and the others are named") {
  CHECK(group_answer(grouped("algo-2", "group_1", R"(["group_1"])")) ==
        R"({"worker":["algo-1:2223","algo-2:2223"]} worker 1, others are named)");
  CHECK(group_answer(grouped("algo-3", "group_2", R"(["group_1"])")) == R"({"worker":["algo-3:2223"]} worker 0, others are named)");
  CHECK(group_answer(grouped("algo-1", "", "")) == R"({"worker":["algo-1:2223","algo-2:2223"]} worker 0, others are named)");
  // Only the own group's hosts are known.
  GroupVariables own = grouped("algo-2", "group_1", "", {{"SM_CURRENT_INSTANCE_GROUP_HOSTS", R"(["algo-2","algo-1"])"}});
  own.erase("SM_INSTANCE_GROUPS_DICT");
  CHECK(group_answer(own) == R"({"worker":["algo-1:2223","algo-2:2223"]} worker 1, others are named)");
}

TEST_CASE("a distribution over several instance groups is a job for each") {
  CHECK(group_answer(grouped("algo-3", "group_2", R"(["group_1","group_2"])")) ==
        R"({"group_1":["algo-1:2223","algo-2:2223"],"group_2":["algo-3:2223"]} group_2 0)");
  CHECK_THAT(group_answer(grouped("algo-3", "group_2", R"(["group_2","group_2"])")), Catch::StartsWith("invalid_argument: "));
}

TEST_CASE("instance groups that are not known, or contradict, are named") {
  GroupVariables unknown = grouped("algo-2", "group_1", "");
  unknown.erase("SM_INSTANCE_GROUPS_DICT");
  CHECK_THAT(group_answer(unknown), Catch::StartsWith("failed_precondition: ") && Catch::Contains("group_1, group_2") &&
                                        Catch::Contains("the hosts of 'group_1' are not known"));
  CHECK_THAT(group_answer(grouped("algo-2", "group_2", "")),
             Catch::StartsWith("conflict: SM_CURRENT_HOST is 'algo-2'") && Catch::Contains("algo-3"));
  GroupVariables foreign = grouped("algo-2", "group_1", "");
  foreign["SM_HOSTS"] = R"(["algo-2","algo-3"])";
  CHECK_THAT(group_answer(foreign), Catch::StartsWith("conflict: 'algo-1' is a host of an instance group"));
  for (const auto& [name, value, why] : std::initializer_list<std::tuple<const char*, const char*, const char*>>{
           {"SM_INSTANCE_GROUPS_DICT", "[]", "SM_INSTANCE_GROUPS_DICT: is an array, not an object"},
           {"SM_INSTANCE_GROUPS_DICT", R"({"a":1})", "a group is a number"},
           {"SM_INSTANCE_GROUPS_DICT", R"({"a":{"instance_group_name":"a"}})", "the group 'a' has no hosts"},
           {"SM_INSTANCE_GROUPS_DICT", R"({"a":{"instance_group_name":"","hosts":[]}})", "no name"},
           {"SM_INSTANCE_GROUPS", "{", "SM_INSTANCE_GROUPS"},
           {"SM_DISTRIBUTION_INSTANCE_GROUPS", "[1]", "[0] is a number"}}) {
    GroupVariables bad = grouped("algo-2", "group_1", "");
    bad[name] = value;
    CHECK_THAT(group_answer(bad), Catch::StartsWith("invalid_argument: ") && Catch::Contains(why));
  }
}

TEST_CASE("SageMaker's file is read as its variables are") {
  const GroupVariables files = {{config_path, config_file("algo-1", "one")}};
  const std::string own = R"({"worker":["algo-1:2223","algo-3:2223"]} worker 0, others are named)";
  CHECK(group_answer({}, "sagemaker:", files) == own);
  CHECK(group_answer({}, "file:copy.json", {{"copy.json", config_file("algo-1", "one")}}) == own);
  CHECK(group_answer({}, "file:copy.json,port=9", {{"copy.json", R"({"current_host":"b","hosts":["b","a"]})"}}) ==
        R"({"worker":["a:9","b:9"]} worker 1)");
  CHECK_THAT(group_answer({}, "file:copy.json", {{"copy.json", R"({"current_host":"c","hosts":["b","a"]})"}}),
             Catch::Contains("current_host is 'c', which is not among SageMaker's resourceconfig.json: hosts: b, a"));
  CHECK_THAT(group_answer({}, "file:copy.json", {{"copy.json", R"({"current_host":"","hosts":[]})"}}), Catch::StartsWith("not_ready: "));
  for (const auto& [text, why] : std::initializer_list<std::pair<const char*, const char*>>{
           {"[]", "is an array"},
           {"{}", "has no hosts"},
           {R"({"hosts":{}})", "is an object, not an array"},
           {R"({"hosts":[],"current_host":1})", "current_host is a number"},
           {R"({"hosts":["a"],"current_host":"a","instance_groups":1})", "instance_groups is a number"}}) {
    CHECK_THAT(group_answer({}, "sagemaker:", {{config_path, text}}), Catch::StartsWith("invalid_argument: ") && Catch::Contains(why));
  }
}

TEST_CASE("a file with Vertex AI's worker pools has them in the order of their numbers") {
  const std::string pools = R"({"cluster":{"workerpool1":["b:1"],"workerpool0":["a:1"]},"task":{"type":"workerpool1","index":0}})";
  CHECK(group_answer({}, "file:spec.json", {{"spec.json", pools}}) == R"({"workerpool0":["a:1"],"workerpool1":["b:1"]} workerpool1 0)");
}

TEST_CASE("a SageMaker host's accelerators are those of the others of its instance type") {
  const GroupVariables two = {{"SM_HOSTS", R"(["algo-1","algo-2"])"}, {"SM_CURRENT_HOST", "algo-2"}};
  const auto with = [](GroupVariables variables, const char* name, const char* value) {
    variables[name] = value;
    return variables;
  };
  CHECK(slots_of(with(two, "SM_NUM_GPUS", "8")) == "{'GPU': 8}");
  CHECK(slots_of(with(two, "SM_NUM_NEURONS", "32")) == "{'NEURON': 32}");
  CHECK_THAT(slots_of(with(two, "SM_NUM_GPUS", "0")), Catch::StartsWith("failed_precondition: "));
  CHECK_THAT(slots_of(two), Catch::StartsWith("failed_precondition: "));
  CHECK_THAT(slots_of(with(two, "SM_NUM_GPUS", "-1")), Catch::StartsWith("invalid_argument: SM_NUM_GPUS is '-1'"));
  CHECK(slots_of(grouped("algo-2", "group_1", "", {{"SM_NUM_GPUS", "1"}})) == "{'GPU': 1}");
  CHECK_THAT(slots_of(grouped("algo-2", "group_1", R"(["group_1","group_2"])", {{"SM_NUM_GPUS", "1"}})),
             Catch::StartsWith("failed_precondition: the instance groups have several instance types"));
}
