// A scheme of a program's own is served, waited for, doctored and completed as the library's are: one folder (tests/resolvers/toy) and the
// line of AddedScheme.
#include <catch2/catch.hpp>

#include "command/arguments/completions.hpp"
#include "command/arguments/targets.hpp"
#include "fleet/http/fleet_http.hpp"
#include "fleet/wire/served_target.hpp"
#include "resolvers/toy/toy_target.hpp"
#include "rollcall/doctor.hpp"
#include "rollcall/wait.hpp"
#include "sim/serve/handler_transport.hpp"
#include "support/cloud_loop.hpp"
#include "support/result.hpp"
#include "support/scripted_transport.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace {

// A service without a cloud, and its clients.
class ToyService : public CloudLoop {
 public:
  ToyService()
      : CloudLoop("{}"), fleet(fleet::make_fleet(runtime, {})), service(std::make_shared<fleet::FleetHttp>(fleet)), http(make_http()) {}
  ~ToyService() {
    service->entry()->close();
    fleet->close();
    poll();
  }

  Result<HttpResponse> get(const std::string& path) {
    ExchangeOptions patient;
    patient.response_timeout = 10min;
    return run(http->send(HttpRequest(value_of(Url::parse("http://127.0.0.1:7070" + path))), patient));
  }
  /// A program that asks the service.
  Runtime client() {
    RuntimeOptions options;
    options.http = http;
    options.time = time;
    options.random_seed = 1;
    options.environment = fixed_environment({{"ROLLCALL_SERVER", "http://127.0.0.1:7070"}});
    options.files = fixed_files({});
    return Runtime(io.get_executor(), std::move(options));
  }

  std::shared_ptr<fleet::Fleet> fleet;
  std::shared_ptr<fleet::FleetHttp> service;
  std::shared_ptr<sim::HandlerTransport> http;

 private:
  std::shared_ptr<sim::HandlerTransport> make_http() { return sim::make_handler_transport(io.get_executor(), service->handler(), time); }
};

Result<void> is_served(std::string_view target) { return fleet::check_served(value_of(Target::parse(target))); }

}  // namespace

TEST_CASE("a scheme is known while its AddedScheme lives", "[toy]") {
  CHECK(find_scheme("toy") == nullptr);
  CHECK(command::check_scheme("toy:upper").has_error());
  {
    const AddedScheme added(toy_scheme);
    CHECK(find_scheme("toy") == &toy_scheme);
    CHECK(find_scheme_rules("toy") == &toy_rules);
    CHECK(target_schemes().back() == &toy_scheme);
    CHECK(command::check_scheme("toy:upper"));
    CHECK(is_served("toy:upper,robots=3"));
  }
  CHECK(find_scheme("toy") == nullptr);
  CHECK(find_scheme_rules("toy") == nullptr);
}

TEST_CASE("an added scheme replaces the library's of its name, and several are independent", "[toy]") {
  TargetScheme scheme = toy_scheme;
  scheme.name = "dns";
  scheme.rules = nullptr;
  const std::size_t before = target_schemes().size();
  const std::size_t rules_before = scheme_rules().size();
  const TargetScheme* const library = find_scheme("dns");
  auto first = std::make_unique<AddedScheme>(scheme);
  const AddedScheme second(toy_scheme);
  CHECK(find_scheme("dns") == &scheme);
  CHECK(target_schemes().size() == before + 1);
  CHECK(is_served("dns:a.test").has_error());  // without rules it is not served, though the library's is
  CHECK(scheme_rules().size() == rules_before);
  first.reset();
  CHECK(is_served("dns:a.test"));
  CHECK(find_scheme("dns") == library);
  CHECK(find_scheme("toy") == &toy_scheme);
}

TEST_CASE("a service answers for targets of an added scheme, by its rules", "[toy]") {
  const AddedScheme added(toy_scheme);
  ToyService t;
  const HttpResponse spec = value_of(t.get("/v1/clusters/toy:upper,robots=3?view=spec"));
  CHECK(spec.status == 200);
  CHECK_THAT(spec.body, Contains("upper-2.toys.test:1"));
  const HttpResponse child = value_of(t.get("/v1/clusters/toy:mine?view=spec"));
  CHECK(child.status == 400);
  CHECK_THAT(child.body, Contains("the shelf of the client's child") && Contains("kubernetes:, slurm:, dns: and toy: targets"));
  CHECK(value_of(t.get("/v1/clusters/toy:upper,diary=x?view=spec")).status == 400);
  CHECK_THAT(value_of(t.get("/v1/clusters")).body, Contains("toy:upper,robots=3"));
}

TEST_CASE("a program waits for an added scheme's cluster, on its own and by a service", "[toy]") {
  const AddedScheme added(toy_scheme);
  ToyService t;
  for (const Runtime& runtime : {t.runtime, t.client()}) {
    const auto cluster = value_of(make_resolver(runtime, "toy:upper,after=100,task=1"));
    const SteadyTime begun = t.time->now();
    const ClusterStatus status = value_of(t.run(try_wait_until_ready(cluster, usually_ready, WaitOptions().timeout(10min))));
    CHECK(status.members.size() == 2);
    CHECK(t.time->now() - begun >= 100s);
    CHECK(value_of(value_of(t.run(cluster->try_cluster_spec())).job_tasks("robot")).size() == 2);
  }
  // What concerns the client alone is not part of what the service follows.
  CHECK_THAT(value_of(t.get("/v1/clusters")).body, Contains("\"toy:upper,after=100\""));
}

TEST_CASE("doctor looks at an added scheme's service with its own checks", "[toy]") {
  const AddedScheme added(toy_scheme);
  VirtualLoop t;
  RuntimeOptions parts;
  const auto transport = std::make_shared<ScriptedTransport>(std::make_shared<TimerQueue>(t.time, t.io.get_executor()));
  for (int i = 0; i < 3; ++i) transport->answers.emplace_back(ScriptedTransport::reply(404, "{}"));
  parts.http = transport;
  parts.time = t.time;
  parts.environment = fixed_environment({{"METADATA_SERVER_DETECTION", "none"}});
  parts.files = fixed_files({});
  const Runtime runtime(t.io.get_executor(), std::move(parts));
  const DoctorReport report = value_of(t.run(try_doctor(runtime, DoctorOptions().target("toy:upper"))));
  const auto found = [&report](std::string_view name) {
    for (const DoctorCheck& check : report.checks) {
      if (check.name == name) return std::string(to_string(check.outcome)) + ": " + check.found;
    }
    return std::string("none");
  };
  CHECK(found("batteries") == "warning: two are low");
  CHECK_THAT(found("target"), Contains("2 of 2 members are ready"));
  CHECK_THAT(found("token"), Contains("skipped"));
  CHECK(found("project") == "none");
  REQUIRE_FALSE(transport->requests.empty());
  CHECK(transport->requests.front().url.host == "shop.toys.test");
}

TEST_CASE("an added scheme and its keys are completed", "[toy]") {
  const auto offered = [](const std::vector<std::string>& words) {
    std::vector<std::string> out;
    for (const command::Candidate& one : command::complete(words).candidates) out.push_back(one.word);
    return out;
  };
  CHECK(offered({"spec", "to"}).empty());
  const AddedScheme added(toy_scheme);
  CHECK(offered({"spec", "to"}) == std::vector<std::string>{"toy:"});
  CHECK(offered({"spec", "toy:upper,ro"}) == std::vector<std::string>{"toy:upper,robots="});
}
