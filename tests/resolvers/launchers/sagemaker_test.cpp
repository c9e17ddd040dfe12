// The SageMaker resolver and its target.
#include "rollcall/sagemaker_resolver.hpp"

#include "support/result.hpp"
#include "support/spec_text.hpp"
#include "support/test_runtime.hpp"

using namespace rollcall;
using rollcall::testing::spec_text;
using rollcall::testing::TestRuntime;

namespace {

std::map<std::string, std::string, std::less<>> sagemaker_job(std::string hosts, std::string current) {
  return {{"SM_HOSTS", std::move(hosts)}, {"SM_CURRENT_HOST", std::move(current)}};
}

std::string sagemaker_answer(const std::string& target, std::map<std::string, std::string, std::less<>> variables) {
  TestRuntime t(std::move(variables));
  return spec_text(t, t.runtime, target);
}

}  // namespace

TEST_CASE("SageMaker's hosts are sorted as text") {
  const auto job = sagemaker_job(R"(["algo-2","algo-10","algo-1"])", "algo-2");
  CHECK(sagemaker_answer("sagemaker:", job) == R"({"worker":["algo-1:2223","algo-10:2223","algo-2:2223"]})");
  CHECK(sagemaker_answer("sagemaker:port=9", sagemaker_job(R"(["a","fd00::1"])", "a")) == R"({"worker":["a:9","[fd00::1]:9"]})");
  CHECK(sagemaker_answer("sagemaker:", sagemaker_job(R"(["a","b"])", "c")) == "{}");
  CHECK(sagemaker_answer("sagemaker:", sagemaker_job("", "")) == "{}");
  TestRuntime t(job);
  const auto resolver = make_sagemaker_resolver(t.runtime);
  CHECK((resolver->task_type() == "worker" && resolver->task_id() == 2 && !resolver->rpc_layer() && !resolver->environment()));
  CHECK(t.run(resolver->master()) == "algo-2:2223");
  CHECK(t.run(resolver->master("worker", 0, "grpc")) == "grpc://algo-1:2223");
  CHECK(t.run(resolver->try_master("ps", 0)).error().code() == Errc::not_found);
}

TEST_CASE("a current host that SageMaker does not list is named, and so are those that it lists") {
  TestRuntime t(sagemaker_job(R"(["algo-1","algo-2"])", "algo-9"));
  const auto resolver = make_sagemaker_resolver(t.runtime);
  CHECK(t.run(resolver->try_cluster_spec()).value().empty());
  CHECK(t.log->lines == std::vector<std::string>{"call_started", "left_out failed_precondition", "call_finished"});
  const auto thrown = [&](auto ask) -> std::string {
    try {
      ask();
    } catch (const ResolveError& error) {
      return error.failure().what();
    }
    return "";
  };
  const std::string expected = "SM_CURRENT_HOST is 'algo-9', which is not among SM_HOSTS: algo-1, algo-2";
  CHECK(thrown([&] { static_cast<void>(resolver->task_type()); }) == expected);
  CHECK(thrown([&] { static_cast<void>(resolver->task_id()); }) == expected);
}

TEST_CASE("SageMaker's master of one host is the host itself") {
  TestRuntime t(sagemaker_job(R"(["a"])", "a"));
  CHECK(t.run(make_sagemaker_resolver(t.runtime)->master("worker", 7, "grpc")).empty());
}

TEST_CASE("wrong values of SageMaker's variables are named") {
  CHECK_THAT(sagemaker_answer("sagemaker:", {}), Catch::Contains("failed_precondition") && Catch::Contains("SM_HOSTS is not set"));
  CHECK_THAT(sagemaker_answer("sagemaker:", {{"SM_HOSTS", "[]"}}), Catch::Contains("SM_CURRENT_HOST is not set"));
  for (const auto& [value, why] : std::initializer_list<std::pair<const char*, const char*>>{{"{}", "is an object, not an array"},
                                                                                             {"null", "is null"},
                                                                                             {"\"a\"", "is a text"},
                                                                                             {"[1]", "[0] is a number"},
                                                                                             {"[\"\"]", "[0] is no host name"},
                                                                                             {"[\"a\\nb\"]", "'a\\x0ab'"},
                                                                                             {"[\"a\"", "SM_HOSTS"},
                                                                                             {" ", "SM_HOSTS"},
                                                                                             {"[[]]", "[0] is an array"}}) {
    CAPTURE(value);
    CHECK_THAT(sagemaker_answer("sagemaker:", sagemaker_job(value, "a")), Catch::Contains("invalid_argument: ") && Catch::Contains(why));
  }
  std::string many = "[";
  for (int i = 0; i < 70000; ++i) many += i == 0 ? "\"a\"" : ",\"a\"";
  CHECK_THAT(sagemaker_answer("sagemaker:", sagemaker_job(many + "]", "a")), Catch::Contains("limit_exceeded"));
  for (const auto& [target, why] :
       std::initializer_list<std::pair<const char*, const char*>>{{"sagemaker:x", "takes no name"},
                                                                  {"sagemaker:port=0", "not a port"},
                                                                  {"sagemaker:port=70000", "not a port"},
                                                                  {"sagemaker:task=x", "not a task"},
                                                                  {"sagemaker:ports=1", "did you mean port="}}) {
    CHECK_THAT(sagemaker_answer(target, {}), Catch::Contains(why));
  }
  TestRuntime t(sagemaker_job(R"(["a"])", "a"));
  SageMakerOptions options;
  options.port(0);
  CHECK(t.run(make_sagemaker_resolver(t.runtime, options)->try_cluster_spec()).error().code() == Errc::invalid_argument);
}
