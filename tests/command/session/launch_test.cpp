// `launch`: a given or resolved cluster, in each form of launch contracts.
#include "base/base64.hpp"
#include "command/session/client.hpp"

using namespace rollcall;
using Catch::Contains;
using rollcall::testing::Client;

namespace {

constexpr std::string_view two_hosts = R"("cluster":{"worker":["10.0.0.1:8470","10.0.0.2:8470"]},"task":{"job":"worker","index":1})";

std::string asked(Client& client, std::string_view form, std::string_view more) {
  client.ask("5", "launch", fmt::format(R"({{"format":"{}",{}}})", form, more));
  return client.read();
}

std::string text_of(const boost::json::value& answer, std::string_view member) {
  return std::string(answer.at("result").at(member).as_string());
}

}  // namespace

TEST_CASE("a given cluster is rendered in every form, as by the library, without requests") {
  Client client;
  LaunchFacts facts(ClusterSpec::from_json(R"({"worker":["10.0.0.1:8470","10.0.0.2:8470"]})").value());
  facts.task = LaunchedTask("worker", 1);
  facts.accelerator_type = AcceleratorType::parse("v4-16").value();
  for (const LaunchFormatFacts& form : launch_formats()) {
    INFO(to_string(form.format));
    const Result<std::string> text = render_launch(form.format, facts);
    const boost::json::value reported =
        boost::json::parse(asked(client, to_string(form.format), fmt::format(R"({},"accelerator_type":"v4-16")", two_hosts)));
    CHECK(reported.as_object().contains("result") == text.has_value());
    if (!text) {
      CHECK(std::string_view(reported.at("error").at("data").at("code").as_string()) == to_string(text.error().code()));
    } else if (form.is_binary) {
      CHECK(base64_decode(text_of(reported, "base64")) == *text);
    } else {
      CHECK(text_of(reported, "text") == *text);
    }
    const Result<EnvironmentVariables> variables = launch_environment(form.format, facts);
    client.ask("6", "launch",
               fmt::format(R"({{"format":"{}","environment":true,"accelerator_type":"v4-16",{}}})", to_string(form.format), two_hosts));
    const boost::json::value answer = client.read_one();
    CHECK(answer.as_object().contains("result") == variables.has_value());
    if (!variables) continue;
    EnvironmentVariables listed;
    for (const auto& variable : answer.at("result").at("environment").as_object())
      listed.emplace_back(variable.key(), std::string(variable.value().as_string()));
    CHECK(listed == *variables);
  }
}

TEST_CASE("what the request says of a launch reaches the form") {
  Client client;
  CHECK_THAT(asked(client, "torch-env", fmt::format(R"({},"coordinator_port":7)", two_hosts)), Contains(R"(MASTER_PORT=7\n)"));
  CHECK_THAT(asked(client, "torch-env", fmt::format(R"({},"coordinator_port":"task")", two_hosts)), Contains(R"(MASTER_PORT=8470\n)"));
  CHECK_THAT(asked(client, "torchrun", fmt::format(R"({},"slots":4)", two_hosts)), Catch::Matches(".*--nproc.per.node=4 .*\\n"));
  const std::string derived = asked(client, "torchrun", fmt::format(R"({},"coordinator_port":"derived")", two_hosts));
  CHECK(asked(client, "torchrun", fmt::format(R"({},"coordinator_port":"derived","job_id":"run-7")", two_hosts)) != derived);
  CHECK(asked(client, "plain", R"("cluster":{"a":["x:1"],"b":["y:1"]},"jobs":["b","a"],"name":"of all")") ==
        R"({"jsonrpc":"2.0","id":5,"result":{"text":"y:1\nx:1\n"}})"
        "\n");
}

TEST_CASE("targets are asked, and tell which task this host is") {
  Client client;
  CHECK_THAT(asked(client, "plain", R"("targets":["tpu:half"])"), Contains(R"({"text":"127.83.1.5:8470\n127.83.1.6:8470\n"})"));
  CHECK_THAT(asked(client, "torch-env", R"("targets":["simple:job.worker=a:1+b:1,type=worker,task=1"],"environment":true)"),
             Contains(R"({"environment":{"MASTER_ADDR":"a","MASTER_PORT":"29500","RANK":"1","WORLD_SIZE":"2",)"));
  const boost::json::value answer = boost::json::parse(asked(client, "plain", R"("targets":["tpu:nobody"])"));
  CHECK(answer.at("error").at("code") == -32000);
  CHECK(answer.at("error").at("data").at("target") == "tpu:nobody");
}

TEST_CASE("wrong parameters of a launch are refused by name; a form that cannot be made is a failure") {
  Client client;
  for (const auto& [params, refusal] : {
           std::pair(R"({"cluster":{}})", "9 -32602: format is missing"),
           std::pair(R"({"format":"torchrnu","cluster":{}})", "9 -32602: format: 'torchrnu' is no form of a cluster"),
           std::pair(R"({"format":"plain"})", "9 -32602: give either targets or cluster"),
           std::pair(R"({"format":"plain","targets":["tpu:a"],"cluster":{}})", "9 -32602: give either targets or cluster"),
           std::pair(R"({"format":"plain","targets":["tpx:a"]})", "9 -32602: 'tpx:a' has an unknown scheme"),
           std::pair(R"({"format":"plain","cluster":["a:1"]})", "9 -32602: cluster: a cluster must be a JSON object of jobs"),
           std::pair(R"({"format":"plain","cluster":{"a":"b:1"}})", "9 -32602: cluster: "),
           std::pair(R"({"format":"plain","cluster":{},"task":"worker:1"})", "9 -32602: task: is no task; accepted is {"),
           std::pair(R"({"format":"plain","cluster":{},"task":{"job":"a","index":-1}})",
                     "9 -32602: task: index: is no whole number from 0"),
           std::pair(R"({"format":"plain","cluster":{},"task":{"job":"a","index":1,"of":2}})", "9 -32602: task: unknown member 'of'"),
           std::pair(R"({"format":"plain","cluster":{},"jobs":"a"})", "9 -32602: jobs: is a text, not a list of texts"),
           std::pair(R"({"format":"plain","cluster":{},"coordinator_port":0})", "9 -32602: coordinator_port: '0' is no port"),
           std::pair(R"({"format":"plain","cluster":{},"coordinator_port":"any"})", "9 -32602: coordinator_port: 'any' is no port"),
           std::pair(R"({"format":"plain","cluster":{},"job_id":"a b"})", "9 -32602: job_id: 'a b' is no job id"),
           std::pair(R"({"format":"plain","cluster":{},"slots":0})", "9 -32602: slots: is no whole number from 1 to 65536"),
           std::pair(R"({"format":"plain","cluster":{},"accelerator_type":"v99-1"})", "9 -32602: accelerator_type: "),
           std::pair(R"({"format":"plain","cluster":{},"name":"a\nb"})", "9 -32602: name: "),
           std::pair(R"({"format":"plain","cluster":{}})", "9 -32000: "),
           std::pair(R"({"format":"plain","cluster":{"a":["b:1"]},"environment":true})", "9 -32000: plain is no environment of a program"),
           std::pair(R"({"format":"torch-env","cluster":{"a":["b:1"]}})", "9 -32000: "),
           std::pair(R"({"format":"torch-env","cluster":{"a":["-b:1"]},"task":{"job":"a","index":0}})",
                     "9 -32000: a 0: invalid address '-b:1'"),
       }) {
    INFO(params);
    client.ask("9", "launch", params);
    CHECK_THAT(client.refusal(), Catch::StartsWith(refusal));
  }
}
