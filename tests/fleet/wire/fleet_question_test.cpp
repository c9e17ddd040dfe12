// Questions to a service, and the targets that they may be about.
#include "fleet/wire/fleet_question.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "fleet/wire/served_target.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::fleet;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

FleetQuestion fleet_question(std::string_view text) { return value_of(FleetQuestion::parse(text)); }
void check_not_asked(std::string_view text, const std::string& what, const std::string& hint = {}) {
  INFO(text);
  const Result<FleetQuestion> question = FleetQuestion::parse(text);
  check_failure(question, Errc::invalid_argument, what);
  CHECK_THAT(question.error().hint(), Catch::Contains(hint));
}
Result<void> served(std::string_view target) { return check_served(value_of(Target::parse(target))); }

}  // namespace

TEST_CASE("a question is a path and its parameters") {
  const FleetQuestion plain = fleet_question("tpu:trainer,project=p,zone=z");
  CHECK((plain.target.body == "trainer" && plain.view == View::status && plain.until == usually_ready && plain.wait == 0s));
  const FleetQuestion full = fleet_question(
      "kubernetes:train,job.worker=app%3Dx?view=task&until=state,endpoints&members=4&existence=awaited&self=%5B::1%5D:80&wait=60");
  CHECK((full.view == View::task && full.until == (Readiness::state | Readiness::endpoints) && full.members == 4));
  CHECK((full.awaits_existence && full.self == "[::1]:80" && full.wait == 60s));
  CHECK(fleet_question("tpu:a%2520b").target.body == "a b");
}

TEST_CASE("what is asked is asked so again") {
  std::mt19937 random(3);
  const auto pick = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < 3000; ++i) {
    Target target;
    target.scheme = "tpu";
    for (int length = pick(8) + 1; length > 0; --length)
      target.body.push_back(pick(2) ? static_cast<char>(pick(256)) : "a/%?&#+=,"[pick(9)]);
    target.options.emplace_back("zone", std::vector<std::string>{"z?&" + std::to_string(pick(9))});
    FleetQuestion question(target, static_cast<View>(pick(5)));
    if (pick(2)) question.until = Readiness::state;
    question.members = pick(3) * 1000;
    question.awaits_existence = pick(2) == 0;
    if (pick(2)) question.self = "[2001:db8::1]:8470";
    question.wait = std::chrono::seconds(pick(301));
    const std::string text = question.to_text();
    INFO(text);
    for (const char c : text) REQUIRE((c > ' ' && c < 0x7f));
    REQUIRE(fleet_question(text) == question);
  }
}

TEST_CASE("a refused question names its parameter") {
  check_not_asked("", "no scheme");
  check_not_asked("tpu:%zz", "two hexadecimal digits");
  check_not_asked("tpu:x?veiw=spec", "'veiw'", "view");
  check_not_asked("tpu:x?view=spec&view=spec", "view is given twice");
  check_not_asked("tpu:x?view=statsu", "'statsu'", "status");
  check_not_asked("tpu:x?view", "no value");
  check_not_asked("tpu:x?view=spec&", "no parameter");
  check_not_asked("tpu:x?until=reachable", "until", "state, health, endpoints");
  check_not_asked("tpu:x?until=stat", "until", "state");
  check_not_asked("tpu:x?members=65537", "members");
  check_not_asked("tpu:x?existence=yes", "existence");
  check_not_asked("tpu:x?wait=301", "300");
  check_not_asked("tpu:x?self=a%20b", "self");
  check_not_asked("tpu:x?self=%2Doption", "self");
  check_not_asked("tpu:x?%76iew=spec", "%76iew");
}

TEST_CASE("targets that mean the same to everybody are served") {
  for (const std::string_view fine : {"tpu:trainer,project=p,zone=z", "tpu:qr/trainer,slices=jobs", "tpu:projects/p/locations/z/nodes/n",
                                      "gce:workers,zone=z,port=8470,order=name", "kubernetes:train,job.worker=app=x,address=pod",
                                      "dns:trainer.train.svc.cluster.local,port=8470"})
    CHECK(served(fine));
}

TEST_CASE("targets of the client's own environment, and those that name servers or files, are not") {
  const auto refused = [](std::string_view target, const std::string& why) {
    INFO(target);
    check_failure(served(target), Errc::invalid_argument, why);
  };
  for (const std::string_view own : {"auto:", "slurm:", "mpi:", "file:/etc/passwd", "simple:job.worker=a:1", "tfconfig:", "sagemaker:"})
    refused(own, "own environment");
  refused("nosuch:x", "is no scheme");
  for (const std::string_view unnamed : {"tpu:", "tpu:zone=z", "kubernetes:", "dns:port=1"}) refused(unnamed, "names nothing");
  refused("tpu:local", "own machine");
  refused("tpu:grpc://10.0.0.1:8470", "addresses");
  refused("tpu:%20grpc://10.0.0.1:8470", "addresses");
  refused("tpu:localhost:1", "addresses");
  refused("kubernetes:.,job.worker=a=b", "namespace");
  for (const std::string_view key : {"endpoint", "discovery_url", "coordinator", "coordinator_address", "kubeconfig", "later"})
    refused("tpu:x," + std::string(key) + "=y", std::string(key));
  for (const std::string_view key : {"context", "kubeconfig", "api_server", "token_file", "location"})
    refused("kubernetes:x," + std::string(key) + "=y", std::string(key));
  refused("gce:x,endpoint=https://evil/", "endpoint");
  refused("tpu:x,job.worker=y", "job.worker");
}

TEST_CASE("a target has one text, with its place first and its jobs in order") {
  const auto text_of = [](std::string_view target) { return canonical_target(value_of(Target::parse(target))).to_text(); };
  CHECK(text_of("kubernetes:train,port=1,job.b=x=1,address=pod,job.a=x=2") == "kubernetes:train,address=pod,port=1,job.b=x=1,job.a=x=2");
  CHECK(text_of("tpu:trainer,api=v1,zone=z,job=w,project=p") == "tpu:trainer,project=p,zone=z,api=v1,job=w");
  CHECK(text_of("gce:g,port=1,region=r,address=pod,project=p") == "gce:g,project=p,region=r,address=pod,port=1");
}
