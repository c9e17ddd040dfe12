#include "resolvers/tpu/tpu_api.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {
using TpuVariables = std::map<std::string, std::string, std::less<>>;
Result<TpuPlan> plan(TpuOptions options, TpuVariables variables = {}) {
  return plan_tpu(options, *fixed_environment(std::move(variables)));
}
}  // namespace

TEST_CASE("the name comes from the option, then the GKE variable, then TPU_NAME, then TPU_CONFIG") {
  TpuVariables all{
      {"KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", "grpc://10.0.0.1"}, {"TPU_NAME", "by-name"}, {"TPU_CONFIG", R"({"tpu_node_name":"by-config"})"}};
  CHECK(plan(TpuOptions("given"), all)->name == "given");
  CHECK(plan(TpuOptions(""), all)->kind == TpuKind::workers);
  CHECK(plan(TpuOptions(), all)->name == "grpc://10.0.0.1");
  all.erase("KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS");
  CHECK(plan(TpuOptions(), all)->name == "by-name");
  all.erase("TPU_NAME");
  CHECK(plan(TpuOptions(), all)->name == "by-config");
}

TEST_CASE("a variable that is set but empty ends the search") {
  CHECK(plan(TpuOptions(), {{"KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", ""}, {"TPU_NAME", "x"}}).error().code() == Errc::invalid_argument);
  CHECK(plan(TpuOptions(), {{"TPU_NAME", ""}}).error().code() == Errc::invalid_argument);
}

TEST_CASE("no name, an empty list and several names are refused") {
  CHECK(plan(TpuOptions()).error().code() == Errc::invalid_argument);
  CHECK(plan(TpuOptions("")).error().code() == Errc::invalid_argument);
  CHECK(plan(TpuOptions().names({})).error().code() == Errc::invalid_argument);
  CHECK(plan(TpuOptions().names({"a", "b"})).error().code() == Errc::unimplemented);
  CHECK(plan(TpuOptions().names({"a"}))->name == "a");
}

TEST_CASE("the kind of TPU by the form of a name") {
  CHECK(plan(TpuOptions("local"))->kind == TpuKind::local);
  CHECK(plan(TpuOptions("grpc://a:1,b"))->workers.size() == 2);
  const auto with_blanks = plan(TpuOptions(" grpc://a:1 , grpc://b:2 "));
  REQUIRE(with_blanks.has_value());
  CHECK(with_blanks->kind == TpuKind::workers);
  CHECK(with_blanks->workers == std::vector<Endpoint>{Endpoint("a", 1), Endpoint("b", 2)});
  CHECK(plan(TpuOptions(), {{"KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", "\tgrpc://a:1\n"}})->workers.size() == 1);
  CHECK(plan(TpuOptions("localhost:8470"))->kind == TpuKind::google);
  CHECK(plan(TpuOptions("/bns/x/y"))->kind == TpuKind::google);
  CHECK(plan(TpuOptions("uptc://x"))->kind == TpuKind::google);
  CHECK(plan(TpuOptions("trainer"))->kind == TpuKind::api);
  for (const char* const name : {"GRPC://a:1", "Grpc://a:1", " GRPC://a:1 , GRPC://b:2 "}) {  // read as names, which are invalid
    CHECK(plan(TpuOptions(name)).error().what().find("is not a TPU name") != std::string::npos);
  }
}

TEST_CASE("a full resource name brings project and zone, which options overrule") {
  const auto full = plan(TpuOptions("projects/p/locations/z/nodes/n"), {{"GOOGLE_CLOUD_PROJECT", "other"}});
  REQUIRE(full.has_value());
  CHECK(full->project == "p");
  CHECK(full->zone == "z");
  CHECK(full->node_id == "n");
  CHECK(plan(TpuOptions("projects/p/locations/z/nodes/n").zone("y"))->zone == "y");
}

TEST_CASE("project and zone by option, TPU_CONFIG and variables, in that order") {
  const TpuVariables variables{{"TPU_CONFIG", R"({"tpu_node_name":"n","project":"pc","zone":"zc"})"},
                               {"GOOGLE_CLOUD_PROJECT", "pe"},
                               {"CLOUDSDK_CORE_PROJECT", "ps"},
                               {"CLOUDSDK_COMPUTE_ZONE", "ze"}};
  CHECK(plan(TpuOptions(), variables)->project == "pc");
  CHECK(plan(TpuOptions().project("po"), variables)->project == "po");
  CHECK(plan(TpuOptions("x"), variables)->project == "pe");
  CHECK(plan(TpuOptions("x"), variables)->zone == "ze");
  CHECK(plan(TpuOptions("x"))->project.empty());
}

TEST_CASE("invalid names are refused and shown in a safe form") {
  for (const std::string name : {"a b", "a/b", "a?x=1", "../x", "..", "a\x1b[31m", "projects/p/locations/z/nodes/", "tpü"}) {
    CAPTURE(name);
    const auto refused = plan(TpuOptions(name));
    REQUIRE(refused.has_error());
    CHECK(refused.error().code() == Errc::invalid_argument);
    CHECK(refused.error().message().find('\x1b') == std::string::npos);
  }
  CHECK(plan(TpuOptions(std::string(10'000'000, 'x'))).error().message().size() < 1000);
  CHECK(plan(TpuOptions("x").project("a b")).error().code() == Errc::invalid_argument);
  CHECK(plan(TpuOptions("x").zone("a\nb")).error().code() == Errc::invalid_argument);
}

TEST_CASE("the coordinator cannot have the workers' job") {
  CHECK(plan(TpuOptions("x").coordinator_name("worker")).error().code() == Errc::invalid_argument);
  CHECK(plan(TpuOptions("x").coordinator_name("chief")).has_value());
}

TEST_CASE("a bad TPU_CONFIG is an error only when it is needed") {
  CHECK(plan(TpuOptions(), {{"TPU_CONFIG", "[]"}}).error().code() == Errc::invalid_argument);
  CHECK(plan(TpuOptions(), {{"TPU_CONFIG", "{}"}}).error().code() == Errc::invalid_argument);
  CHECK(plan(TpuOptions("x"), {{"TPU_CONFIG", "[]"}}).has_value());
}

TEST_CASE("an invalid value is reported with its variable") {
  const auto blames = [](std::map<std::string, std::string, std::less<>> variables, TpuOptions options = TpuOptions()) {
    const auto refused = plan_tpu(options, *fixed_environment(std::move(variables)));
    REQUIRE(refused.has_error());
    CHECK(refused.error().code() == Errc::invalid_argument);
    const std::string what = refused.error().what();
    return what.substr(0, what.find(':'));
  };
  CHECK(blames({{"TPU_NAME", "a b"}}) == "TPU_NAME");
  CHECK(blames({{"TPU_NAME", ""}}) == "TPU_NAME");
  CHECK(blames({{"TPU_NAME", "a/b"}}) == "TPU_NAME");
  CHECK(blames({{"TPU_NAME", std::string(2000, 'x')}}) == "TPU_NAME");
  CHECK(blames({{"KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", "grpc://10.0.0.1:99999"}}) == "KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS");
  CHECK(blames({{"TPU_CONFIG", R"({"tpu_node_name": "a b"})"}}) == "TPU_CONFIG");
  CHECK(blames({{"TPU_CONFIG", R"({"tpu_node_name": "a", "zone": "z z"})"}}) == "TPU_CONFIG");
  for (const std::string variable : {"GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT", "CLOUDSDK_COMPUTE_ZONE"}) {
    CHECK(blames({{variable, "a b"}}, TpuOptions("t")) == variable);
  }
  CHECK(blames({{"TPU_NAME", "t"}}, TpuOptions("t t")) == "'t t' is not a TPU name");
}
