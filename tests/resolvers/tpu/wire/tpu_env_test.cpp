// The description of a slice in a TPU VM's metadata: tpu-env and worker-network-endpoints.
#include "resolvers/tpu/wire/tpu_env.hpp"

#include "support/result.hpp"

using namespace rollcall;

namespace {

std::string shown(const Result<TpuHosts>& list) {
  if (!list) return std::string(to_string(list.error().code())) + ": " + list.error().message();
  std::string text;
  for (std::size_t i = 0; i < list->hosts.size(); ++i)
    text += (text.empty() ? "" : " ") + list->hosts[i] + (list->names.empty() ? "" : "=" + list->names[i]);
  return text;
}

std::string endpoints(std::string_view text) { return shown(parse_worker_network_endpoints(text, 4)); }

}  // namespace

TEST_CASE("tpu-env is read in both dialects") {
  const auto env = TpuEnv::parse(
      "ACCELERATOR_TYPE: 'v4-16'\r\nWORKER_ID: '1'\n\n# comment\nNODE_ID: plain\nURL: 'gcr.io/a:b'\nQUOTE: 'it''s'\n"
      "DOUBLE: \"x\"\nEMPTY: ''\nodd line\nNODE_ID: plain\n");
  REQUIRE(env);
  CHECK(env->value("ACCELERATOR_TYPE").value() == "v4-16");
  CHECK(env->value("WORKER_ID").value() == "1");
  CHECK_FALSE(env->value("EMPTY").value());
  CHECK_FALSE(env->value("TOPOLOGY").value());
  CHECK(env->values().at("URL") == "gcr.io/a:b");
  CHECK(env->values().at("QUOTE") == "it's");
  CHECK(env->values().at("DOUBLE") == "x");
  CHECK(env->values().at("NODE_ID") == "plain");
  const auto compute = TpuEnv::parse("TPU_WORKER_ID: '3'\nTPU_ACCELERATOR_TYPE: 'v6e-8'");
  CHECK(compute->value("WORKER_ID").value() == "3");
  CHECK(compute->value("ACCELERATOR_TYPE").value() == "v6e-8");
  CHECK(TpuEnv::parse("").value().values().empty());
}

TEST_CASE("a tpu-env that contradicts itself is refused") {
  CHECK(TpuEnv::parse("WORKER_ID: '0'\nTPU_WORKER_ID: '1'")->value("WORKER_ID").error().message() ==
        "tpu-env: WORKER_ID is '0', but TPU_WORKER_ID is '1'");
  CHECK_THAT(TpuEnv::parse("A: '0'\nA: '1'").error().message(), Catch::StartsWith("tpu-env: A is there twice, as '0' and '1'"));
  CHECK(TpuEnv::parse("A: '\x01'").error().code() == Errc::malformed_response);
  CHECK(TpuEnv::parse(std::string(65537, 'a')).error().code() == Errc::limit_exceeded);
  std::string many;
  for (int i = 0; i < 513; ++i) many += "K" + std::to_string(i) + ": 'v'\n";
  CHECK(TpuEnv::parse(many).error().code() == Errc::limit_exceeded);
}

TEST_CASE("worker-network-endpoints are read in both formats") {
  CHECK(endpoints("t1v-n-w-0:12345:10.130.0.26, t1v-n-w-1:12346:10.130.0.27\n") == "10.130.0.26=t1v-n-w-0 10.130.0.27=t1v-n-w-1");
  CHECK(endpoints("instance-20260826-215213") == "instance-20260826-215213=instance-20260826-215213");
  CHECK(endpoints("w-0:1:fd00::1,w-1:2:[fd00::2]") == "fd00::1=w-0 fd00::2=w-1");
  CHECK(endpoints("[fd00::1],10.0.0.1") == "fd00::1=fd00::1 10.0.0.1=10.0.0.1");
  CHECK_THAT(endpoints("ab:1:fd00::1"),
             Catch::Contains("element 0 is 'ab:1:fd00::1': an IPv6 address or name:uid:address, which is ambiguous"));
  for (const char* bad : {"", "a,,b", "a:b", "a:1:", ":1:10.0.0.1", "a b", "<html>", "a\nb"})
    CHECK_THAT(endpoints(bad), Catch::StartsWith("malformed_response: the metadata value worker-network-endpoints: element "));
  CHECK_THAT(endpoints("a,b,c,d,e"), Catch::StartsWith("limit_exceeded: worker-network-endpoints lists more than 4 hosts"));
}

TEST_CASE("lists of host names are read") {
  CHECK(shown(parse_host_names("X", "a.b,c-1, 10.0.0.1", 4)) == "a.b c-1 10.0.0.1");
  CHECK_THAT(shown(parse_host_names("X", "a,b:1", 4)), Catch::StartsWith("invalid_argument: X: element 1 is 'b:1', no host name"));
  CHECK_THAT(shown(parse_host_names("X", "a,b,c,d,e", 4)), Catch::StartsWith("limit_exceeded: X"));
}
