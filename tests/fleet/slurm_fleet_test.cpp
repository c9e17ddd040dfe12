// A service that follows the jobs of a Slurm: what that costs, and that it says what `slurm:job` says by itself.
#include <fmt/format.h>

#include "fleet/fleet_core.hpp"
#include "fleet/fleet_support.hpp"
#include "fleet/pinned_places.hpp"
#include "fleet/rights/rules/right_table.hpp"
#include "fleet/rules/source_key.hpp"
#include "fleet/service/service_resolvers.hpp"
#include "fleet/wire/served_target.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

std::string served_slurm(const std::string& jobs, const std::string& more = {}) {
  return R"({"start_time": "2026-01-01T00:00:00Z", "slurm": {"version": "24.11", "cluster": "roll",
    "nodes": [{"name": "n[1-3]", "gres": "gpu:h100:8"}, {"name": "n4", "state": "DRAIN", "reason": "bad PSU"}])" +
         more + R"(, "jobs": [)" + jobs + "]}}";
}

std::vector<FleetSlurm> one_slurm() {
  FleetSlurm slurm;
  slurm.cluster = "roll";
  slurm.restd = "http://127.0.0.1:6820";
  slurm.token_file = "/run/jwt";
  return {slurm};
}

class SlurmFleetLoop : public FleetLoop {
 public:
  explicit SlurmFleetLoop(const std::string& text) : FleetLoop(text, fleet_options(), {{"/run/jwt", token_of(text)}}) {
    fleet->close();
    fleet = fleet::make_fleet(runtime, fleet_options(), fleet::service_resolvers(one_slurm()));
  }
  static std::string token_of(const std::string& text) {
    return value_of(sim::Cloud::parse(text))->slurm_token(WallTime(std::chrono::hours(24 * 365 * 30)));
  }
};

constexpr const char* served_jobs = R"x({"id": 7, "nodes": "n[1-2]", "timeline": [{"at": 0, "state": "PENDING", "reason": "Resources"},
    {"at": 30, "state": "RUNNING"}, {"at": 90, "state": "FAILED", "exit_code": 3}]},
  {"id": 8, "required_nodes": "n4", "node_count": 1, "reason": "ReqNodeNotAvail"},
  {"id": 9, "dependency": "afterok:7(unfulfilled)", "reason": "Dependency"},
  {"id": 21, "array_job": 20, "array_task": 0, "nodes": "n1", "state": "RUNNING"},
  {"id": 20, "array_job": 20, "array_tasks": "1-5", "reason": "Priority"},
  {"id": 30, "het_job": 30, "nodes": "n1", "state": "RUNNING", "user": "bob"},
  {"id": 31, "het_job": 30, "het_offset": 1, "nodes": "n[2-3]", "state": "RUNNING", "user": "bob"})x";

bool is_served(const std::string& target) { return static_cast<bool>(fleet::check_served(value_of(Target::parse(target)))); }

}  // namespace

TEST_CASE("slurm service: jobs are followed with the words that a job by itself has") {
  SlurmFleetLoop t(served_slurm(served_jobs));
  const std::vector<std::string> names = {"7", "8", "9", "20_0", "20_3", "30"};
  std::vector<Ear> ears(names.size());
  std::vector<std::shared_ptr<fleet::Topic>> topics;
  std::vector<std::shared_ptr<ClusterResolver>> alone;
  for (std::size_t i = 0; i < names.size(); ++i) {
    topics.push_back(t.topic("slurm:job/" + names[i] + (i % 2 == 0 ? ",cluster=roll" : "")));
    topics.back()->listen(ears[i]);
    alone.push_back(value_of(make_resolver(t.runtime, "slurm:job/" + names[i] + ",restd=http://127.0.0.1:6820,token_file=/run/jwt")));
  }
  for (int seconds = 0; seconds < 120; seconds += 45) {
    t.pass(seconds == 0 ? 20 : 45);
    for (std::size_t i = 0; i < names.size(); ++i) {
      INFO(names[i] << " " << seconds);
      REQUIRE(topics[i]->known().status);
      const ClusterStatus direct = value_of(t.run(alone[i]->try_cluster_status()));
      CHECK(topics[i]->known().status->state.text == direct.state.text);
      CHECK(topics[i]->known().status->phase == direct.phase);
      CHECK(topics[i]->known().status->members == direct.members);
      CHECK(topics[i]->known().status->causes == direct.causes);
    }
  }
  CHECK_THAT(topics[0]->known().status->state.text, Contains("FAILED, exit code 3"));
}

TEST_CASE("slurm service: a thousand jobs cost a question a round, and those that change are seen within it") {
  std::string jobs;
  for (int id = 1; id <= 1000; ++id) {
    jobs += fmt::format(R"({}{{"id": {}, "nodes": "n[1-2]", "timeline": [{{"at": 0, "state": "PENDING", "reason": "Dependency"}}{}]}})",
                        id > 1 ? ", " : "", id, id == 500 ? R"(, {"at": 60, "state": "RUNNING"})" : "");
  }
  SlurmFleetLoop t(served_slurm(jobs));
  std::vector<Ear> ears(1000);
  std::vector<std::shared_ptr<fleet::Topic>> topics;
  for (int id = 1; id <= 1000; ++id) {
    topics.push_back(t.topic(fmt::format("slurm:job/{},cluster=roll", id)));
    topics.back()->listen(ears[static_cast<std::size_t>(id - 1)]);
  }
  t.pass(55);
  for (const auto& topic : topics) REQUIRE(topic->known().status);
  CHECK(t.asked("slurm.jobs") == 1);
  const std::uint64_t states = t.asked("slurm.jobs.state");
  t.pass(20);
  CHECK(topics[499]->known().status->state.text == "RUNNING");
  CHECK(t.asked("slurm.jobs.state") - states <= 12);
  CHECK(t.asked("slurm.jobs") == 1);
  CHECK(t.fleet->sources().size() == 1);
  CHECK(t.fleet->sources().front().key == "slurm/roll");
}

TEST_CASE("slurm service: a waiting job that starts is seen within seconds, not at the pace of a queue") {
  SlurmFleetLoop t(served_slurm(R"({"id": 7, "nodes": "n1", "timeline": [{"at": 0, "state": "PENDING", "reason": "Priority"},
    {"at": 41, "state": "RUNNING"}]})"));
  Ear ear;
  const auto topic = t.topic("slurm:job/7");
  topic->listen(ear);
  t.pass(40);
  CHECK(topic->known().status->phase == ClusterPhase::queued);
  t.pass(12);
  CHECK(topic->known().status->phase == ClusterPhase::running);
}

TEST_CASE("slurm service: the cluster is the settings', and a job of another one is refused") {
  SlurmFleetLoop t(served_slurm(R"({"id": 7, "nodes": "n1", "state": "RUNNING"})"));
  check_failure(t.fleet->topic(value_of(Target::parse("slurm:job/7,cluster=prod"))), Errc::invalid_argument, "no Slurm cluster 'prod'");
  CHECK(t.fleet->topic(value_of(Target::parse("slurm:job/7"))).has_value());
  std::vector<FleetSlurm> two = one_slurm();
  two.push_back(two.front());
  two.back().cluster = "other";
  const fleet::ResolverMaker make = fleet::service_resolvers(two);
  check_failure(make(t.runtime, "slurm:job/7"), Errc::invalid_argument, "names none");
  const auto other = value_of(make(t.runtime, "slurm:job/7,cluster=other"));
  check_failure(t.run(other->try_cluster_status()), Errc::invalid_argument, "its cluster is 'roll', not 'other'");
}

TEST_CASE("slurm service: which targets are served") {
  for (const char* const target : {"slurm:job/4711", "slurm:job/4711_3,cluster=roll", "slurm:job/12+1,port=1", "slurm:job/*", "slurm:*"}) {
    INFO(target);
    CHECK(is_served(target));
  }
  for (const char* const target :
       {"slurm:", "slurm:job", "slurm:job/", "slurm:job/trainer", "slurm:order=rank", "slurm:job/7,restd=https://evil.example",
        "slurm:job/7,token_file=/etc/passwd", "slurm:job/7,token_command=id", "slurm:job/7,user=bob", "slurm:job/7,probe_nodes=true"}) {
    INFO(target);
    CHECK_FALSE(is_served(target));
  }
  CHECK(fleet::source_key(value_of(Target::parse("slurm:job/7,port=1,cluster=roll"))) == "slurm/roll");
  const auto pattern = value_of(fleet::TargetPattern::parse("slurm:job/*,cluster=ro*"));
  CHECK(pattern.matches(value_of(Target::parse("slurm:job/7,cluster=roll"))));
  CHECK_FALSE(pattern.matches(value_of(Target::parse("slurm:job/7"))));
}

TEST_CASE("slurm service: the jobs of a place are followed, by user and partition, until they end") {
  SlurmFleetLoop t(served_slurm(served_jobs));
  FleetPlace place;
  place.kind = FleetPlace::Kind::slurm;
  place.cluster = "roll";
  fleet::PinnedPlaces places(t.fleet, one_slurm());
  places.follow({place});
  t.pass(10);
  CHECK(places.troubles().empty());
  std::vector<std::string> targets;
  for (const auto& topic : t.fleet->topics()) targets.push_back(topic->target());
  CHECK(targets == std::vector<std::string>{"slurm:job/20_0,cluster=roll", "slurm:job/20_1,cluster=roll", "slurm:job/30,cluster=roll",
                                            "slurm:job/7,cluster=roll", "slurm:job/8,cluster=roll", "slurm:job/9,cluster=roll"});
  place.users = {"bob"};
  places.follow({place});
  t.pass(10);
  CHECK(places.targets() == 1);
  place.users = {};
  place.partitions = {"low"};
  places.follow({place});
  t.pass(10);
  CHECK(places.targets() == 0);
  place.partitions = {"main", "low"};
  places.follow({place});
  t.pass(120);
  CHECK(places.targets() == 5);  // job 7 is over
  fleet::RightTable table;
  table.distinguishes_clients = true;
  table.followed.push_back(place);
  CHECK_FALSE(table.is_allowed(value_of(Target::parse("slurm:job/7,cluster=roll"))));
  table.followed.front().partitions.clear();
  CHECK(table.is_allowed(value_of(Target::parse("slurm:job/7,cluster=roll"))));
  CHECK_FALSE(table.is_allowed(value_of(Target::parse("slurm:job/7,cluster=other"))));
}

TEST_CASE("slurm service: a place is listed once, and then only new jobs and those that have changed are asked for") {
  std::string jobs;
  for (int id = 1; id <= 100; ++id) jobs += fmt::format(R"({{"id": {}, "nodes": "n1", "state": "RUNNING"}}, )", id);
  jobs += R"({"id": 101, "nodes": "n2", "timeline": [{"at": 0, "state": "DELETED"}, {"at": 400, "state": "RUNNING"}]},
    {"id": 102, "nodes": "n3", "timeline": [{"at": 0, "state": "RUNNING"}, {"at": 450, "state": "COMPLETED"}]},
    {"id": 103, "partition": "low", "timeline": [{"at": 0, "state": "PENDING", "reason": "Priority"},
      {"at": 400, "state": "PENDING", "reason": "Priority", "raw": {"partition": "main"}}]})";
  SlurmFleetLoop t(served_slurm(jobs, R"(, "min_job_age": "20s")"));
  FleetPlace place;
  place.kind = FleetPlace::Kind::slurm;
  place.cluster = "roll";
  place.partitions = {"main"};
  fleet::PinnedPlaces places(t.fleet, one_slurm());
  places.follow({place});
  t.pass(380);
  CHECK(places.troubles().empty());
  CHECK(places.targets() == 101);
  const std::uint64_t lists = t.asked("slurm.jobs");
  CHECK(lists <= 2);  // one for the place, and one for its jobs at first
  CHECK_FALSE(t.fleet->has_topic(value_of(Target::parse("slurm:job/101,cluster=roll"))));
  t.pass(100);
  CHECK(t.fleet->has_topic(value_of(Target::parse("slurm:job/101,cluster=roll"))));
  t.pass(400);
  CHECK(places.targets() == 102);  // one has come, one is over, and one has moved to the place's partition
  CHECK(places.troubles().empty());
  CHECK(t.asked("slurm.jobs") == lists);
}

TEST_CASE("slurm service: a place of a Slurm that does not list states alone is listed whole") {
  SlurmFleetLoop t(R"({"start_time": "2026-01-01T00:00:00Z", "slurm": {"version": "22.05", "cluster": "roll",
    "nodes": [{"name": "n1"}], "jobs": [{"id": 1, "nodes": "n1", "timeline": [{"at": 0, "state": "DELETED"}, {"at": 100, "state": "RUNNING"}]}]}})");
  FleetPlace place;
  place.kind = FleetPlace::Kind::slurm;
  place.cluster = "roll";
  fleet::PinnedPlaces places(t.fleet, one_slurm());
  places.follow({place});
  t.pass(90);
  CHECK(places.targets() == 0);
  t.pass(90);
  CHECK(places.targets() == 1);
  CHECK(places.troubles().empty());
}
