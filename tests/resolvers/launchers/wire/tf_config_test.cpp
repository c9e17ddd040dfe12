// TF_CONFIG and TPU_CONFIG with Python's conversions of texts and integers.
#include "resolvers/launchers/wire/tf_config.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

TfConfig parsed_config(const std::string& text) { return value_of(TfConfig::parse(text)); }

template <class T>
void check_invalid(const Result<T>& result, const std::string& text) {
  check_failure(result, Errc::invalid_argument, text);
}

}  // namespace

TEST_CASE("an ordinary TF_CONFIG") {
  const TfConfig config =
      parsed_config(R"({"cluster":{"ps":["ps0:2222","ps1:2222"],"worker":{"1":"w1:2222"}},"task":{"type":"ps","index":"1"},
                                     "rpc_layer":"grpc","session_master":"m:1","other":[]})");
  CHECK(config.has_cluster());
  CHECK(config.cluster()->to_text() == "ClusterSpec({'ps': ['ps0:2222', 'ps1:2222'], 'worker': {1: 'w1:2222'}})");
  CHECK(*config.task_type() == "ps");
  CHECK(*config.task_id() == 1);
  CHECK(*config.rpc_layer() == "grpc");
  CHECK(*config.session_master() == "m:1");
}

TEST_CASE("everything may be absent") {
  const TfConfig config = parsed_config("\n    {}\n    ");
  CHECK_FALSE(config.has_cluster());
  CHECK(config.cluster()->empty());
  CHECK(*config.task_type() == std::nullopt);
  CHECK(*config.task_id() == std::nullopt);
  CHECK(*config.rpc_layer() == std::nullopt);
  CHECK(*config.session_master() == std::nullopt);
  CHECK(*parsed_config(R"({"task":null,"rpc_layer":null,"session_master":null})").task_id() == std::nullopt);
  CHECK(*parsed_config(R"({"task":{"type":null}})").task_type() == std::nullopt);
}

TEST_CASE("the cluster is read by the name that Kubeflow's operator gave it for a while") {
  const TfConfig config = parsed_config(R"({"sparseCluster":{"worker":{"2":"w-2:1"},"ps":["p-0:1"]},"task":{"type":"worker","index":2}})");
  CHECK(config.has_cluster());
  CHECK(config.cluster()->to_text() == "ClusterSpec({'ps': ['p-0:1'], 'worker': {2: 'w-2:1'}})");
  CHECK(config.left_out().empty());
  CHECK(parsed_config(R"({"cluster":{},"sparseCluster":{"worker":["a:1"]}})").cluster()->to_text() == "ClusterSpec({'worker': ['a:1']})");
  CHECK(parsed_config(R"({"cluster":{"ps":["b:1"]},"sparseCluster":{"worker":["a:1"]}})").cluster()->to_text() ==
        "ClusterSpec({'ps': ['b:1']})");
  check_invalid(parsed_config(R"({"sparseCluster":[]})").cluster(), "TF_CONFIG: cluster: ");
}

TEST_CASE("addresses under another name than cluster are named, not passed over") {
  for (const auto& [text, member] : std::initializer_list<std::pair<const char*, const char*>>{
           {R"({"cluster_spec":{"worker":["a:1"]}})", "'cluster_spec'"},
           {R"({"Cluster":{"worker":{"0":"a:1"}},"task":{"type":"worker","index":0}})", "'Cluster'"},
           {R"({"task":{},"worker":["a:1","b:1"],"ps":["c:1"]})", "'worker'"},
           {R"({"cluster":{},"ps_hosts":["[fd00::1]:1"]})", "'ps_hosts'"}}) {
    CAPTURE(text);
    CHECK(parsed_config(text).has_cluster());
    check_invalid(parsed_config(text).cluster(), std::string("has no cluster, but addresses in ") + member);
  }
  for (const char* const text : {R"({"task":{"type":"worker","index":0},"environment":"cloud","model_dir":"gs://b:1/x"})",
                                 R"({"job":"{}"})", R"({"service":{"tensorboard":"a:1"}})", R"({"cluster":{},"open_ports":[3333]})",
                                 R"({"trial":{"id":"x","hyperparameters":[1,2]}})"}) {
    CAPTURE(text);
    CHECK(parsed_config(text).cluster()->empty());
  }
  // Beside a cluster they are named, and the answer stays TensorFlow's.
  const TfConfig beside = parsed_config(R"({"cluster":{"worker":["a:1"]},"others":["b:1"]})");
  CHECK(beside.cluster()->to_text() == "ClusterSpec({'worker': ['a:1']})");
  CHECK(beside.left_out() == "the addresses in 'others', which stands beside the cluster");
  CHECK(parsed_config(R"({"cluster":{"worker":["a:1"]},"environment":"cloud"})").left_out().empty());
}

TEST_CASE("task.type becomes text") {
  const auto type_of = [](const std::string& value) { return *parsed_config(R"({"task":{"type":)" + value + "}}").task_type(); };
  CHECK(type_of("123456") == "123456");
  CHECK(type_of("-1") == "-1");
  CHECK(type_of("1.5") == "1.5");
  CHECK(type_of("2.0") == "2.0");
  CHECK(type_of("1e22") == "1e+22");
  CHECK(type_of("true") == "True");
  CHECK(type_of("18446744073709551615") == "18446744073709551615");
  CHECK(type_of("\"\"") == "");
  check_invalid(parsed_config(R"({"task":{"type":[]}})").task_type(), "task.type is an array");
}

TEST_CASE("task.index becomes an integer") {
  const auto index_of = [](const std::string& value) { return parsed_config(R"({"task":{"index":)" + value + "}}").task_id(); };
  CHECK(*index_of("0") == 0);
  CHECK(*index_of("\"1\"") == 1);
  CHECK(*index_of("\" 2 \"") == 2);
  CHECK(*index_of("\"+3\"") == 3);
  CHECK(*index_of("\"1_0\"") == 10);
  CHECK(*index_of("1.7") == 1);
  CHECK(*index_of("-0.5") == 0);
  CHECK(*index_of("true") == 1);
  CHECK(*index_of("-1") == -1);
  for (const std::string bad : {"null", "[]", "{}", "\"\"", "\"one\"", "\"1.7\"", "\"0x1\"", "2147483648", "-2147483649", "1e10", "1e300",
                                "18446744073709551615", "\"99999999999999999999\""}) {
    INFO(bad);
    check_invalid(index_of(bad), "task.index");
  }
}

TEST_CASE("each key is checked only when it is read") {
  const TfConfig config = parsed_config(R"({"cluster":5,"task":{"type":"worker","index":"x"},"rpc_layer":7,"session_master":[]})");
  CHECK(*config.task_type() == "worker");
  check_invalid(config.cluster(), "TF_CONFIG: cluster");
  check_invalid(config.task_id(), "task.index");
  check_invalid(config.rpc_layer(), "rpc_layer is a number");
  check_invalid(config.session_master(), "session_master is an array");
  check_invalid(parsed_config(R"({"task":[]})").task_type(), "task is an array");
  check_invalid(parsed_config(R"({"cluster":null})").cluster(), "cluster");
  check_invalid(parsed_config(R"({"cluster":{"worker":{"x":"a:1"}}})").cluster(), "cluster");
}

TEST_CASE("documents that are not a TF_CONFIG") {
  for (const std::string text : {"", " ", "{\"cluster\": ", "[]", "\"x\"", "null", "5", "{} x", "{'cluster': {}}", "{\"a\":\"\xff\"}"}) {
    INFO(text);
    check_invalid(TfConfig::parse(text), "TF_CONFIG");
  }
  CHECK(TfConfig::parse("{\"a\":" + nested(1000) + "}").error().code() == Errc::limit_exceeded);
  const std::string text = R"({"cluster":{"w":["a:1"]},"task":{"type":"w","index":0}})";
  for_each_prefix(text, [&](std::string_view part) { CHECK(TfConfig::parse(part).has_value() == (part.size() == text.size())); });
}

TEST_CASE("TPU_CONFIG") {
  const TpuConfig config = *TpuConfig::parse(R"({"tpu_node_name":"t","project":"p","zone":"z","x":1})");
  CHECK(config.tpu_node_name == "t");
  CHECK(config.project == "p");
  CHECK(config.zone == "z");
  const TpuConfig bare = *TpuConfig::parse(R"({"tpu_node_name":"t","project":"","zone":null})");
  CHECK(bare.project == std::nullopt);
  CHECK(bare.zone == std::nullopt);
  for (const std::string text : {"", "[]", "null", "{", "{}", R"({"tpu_node_name":""})", R"({"tpu_node_name":null})",
                                 R"({"tpu_node_name":5})", R"({"tpu_node_name":"t","project":5})", R"({"tpu_node_name":"t","zone":[]})"}) {
    INFO(text);
    check_invalid(TpuConfig::parse(text), "TPU_CONFIG");
  }
}
