// Several jobs of one Slurm, looked at together: the questions that they share, and the same answers as one by one.
#include <fmt/format.h>

#include "readiness/follow.hpp"
#include "resolvers/slurm/rules/slurm_known_jobs.hpp"
#include "sim/slurm/slurm_sim_support.hpp"
#include "support/cloud_loop.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;
using rollcall::sim::four_slurm_nodes;
using rollcall::sim::slurm_releases_of_tests;
using rollcall::sim::slurm_text;

namespace {

std::string table_token(const std::string& text) {
  return value_of(sim::Cloud::parse(text))->slurm_token(WallTime(std::chrono::hours(24 * 365 * 30)));
}

class TableLoop : public CloudLoop {
 public:
  explicit TableLoop(const std::string& text) : CloudLoop(text, {{"SLURM_JWT", table_token(text)}}) {}

  std::shared_ptr<ClusterResolver> job(const std::string& name) {
    std::shared_ptr<ClusterResolver>& made = jobs_[name];
    if (!made) made = value_of(make_resolver(runtime, "slurm:job/" + name + ",restd=http://127.0.0.1:6820"));
    return made;
  }
  std::vector<Result<ClusterStatus>> look(const std::vector<std::string>& names) {
    std::vector<std::shared_ptr<ClusterResolver>> resolvers;
    for (const std::string& name : names) resolvers.push_back(job(name));
    auto ask = [resolvers](Call& inner, std::size_t i) { return resolvers[i]->do_cluster_status(inner); };
    auto script = [count = names.size(), ask](Call& call) { return ask_together<ClusterStatus>(call, count, CallSubject("look"), ask); };
    return value_of(run(run_call<std::vector<Result<ClusterStatus>>>(
        shared_impl_of(runtime), CallOptions().timeout(std::chrono::minutes(2)), CallSubject("looks"), script)));
  }
  std::uint64_t asked_again(std::string_view route) {
    const std::uint64_t all = asked(route);
    return all - std::exchange(seen_[std::string(route)], all);
  }

 private:
  std::map<std::string, std::shared_ptr<ClusterResolver>> jobs_;
  std::map<std::string, std::uint64_t> seen_;
};

std::string many_jobs(int count) {
  std::string jobs;
  for (int id = 1; id <= count; ++id) {
    jobs += fmt::format(R"({}{{"id": {}, "nodes": "n[1-2]", "timeline": [{{"at": 0, "state": "PENDING", "reason": "Priority"}},
      {{"at": {}, "state": "RUNNING"}}]}})",
                        id > 1 ? ", " : "", id, id == 3 ? 5 : 400);
  }
  return jobs;
}

std::vector<std::string> ids_to(int count) {
  std::vector<std::string> ids;
  for (int id = 1; id <= count; ++id) ids.push_back(std::to_string(id));
  return ids;
}

constexpr const char* all_kinds = R"x({"id": 7, "nodes": "n[1-2]", "state": "RUNNING"},
  {"id": 8, "required_nodes": "n4", "node_count": 1, "reason": "ReqNodeNotAvail"},
  {"id": 9, "dependency": "afterok:10(unfulfilled)", "reason": "Dependency"}, {"id": 10, "nodes": "n3", "state": "RUNNING"},
  {"id": 20, "array_job": 20, "array_tasks": "2-5%1", "reason": "JobArrayTaskLimit"},
  {"id": 21, "array_job": 20, "array_task": 0, "nodes": "n1", "state": "RUNNING"},
  {"id": 30, "het_job": 30, "nodes": "n1", "state": "RUNNING"},
  {"id": 31, "het_job": 30, "het_offset": 1, "nodes": "n[2-3]", "state": "RUNNING"},
  {"id": 40, "nodes": "n1", "timeline": [{"at": 0, "state": "FAILED", "exit_code": 3}]})x";

const std::string with_a_drained_node =
    R"("nodes": [{"name": "n[1-3]", "gres": "gpu:h100:8"}, {"name": "n4", "state": "DRAIN", "reason": "bad PSU", "reason_by": "bob"}])";

std::string words_of(const Result<ClusterStatus>& status) {
  if (!status) return fmt::format("{}: {}", to_string(status.error().code()), status.error().what());
  std::string words = status->state.text + fmt::format(" {}", status->expected);
  for (const Member& member : status->members)
    words += fmt::format("; {} {} {} {} {}", member.host, member.address, member.uid, member.state.text,
                         member.accelerators ? member.accelerators->count : -1);
  for (const Cause& cause : status->causes) words += fmt::format("; {} {} {}", cause.code, cause.text, cause.object);
  return words;
}

}  // namespace

TEST_CASE("slurm table: many jobs cost a question for all states, and one for each job whose state has changed") {
  TableLoop t(slurm_text(many_jobs(40)));
  const std::vector<std::string> ids = ids_to(40);
  for (const auto& status : t.look(ids)) CHECK(value_of(status).phase == ClusterPhase::queued);
  CHECK(t.asked_again("slurm.job") == 40);
  CHECK(t.asked_again("slurm.nodes") == 1);
  t.asked_again("slurm.jobs.state");  // by each version of the API until one is there
  t.advance_to(2);
  t.look(ids);
  CHECK(t.asked_again("slurm.jobs.state") == 1);
  CHECK(t.asked_again("slurm.job") == 0);
  CHECK(t.asked_again("slurm.nodes") == 1);  // 304
  CHECK(t.asked("slurm.partition") == 1);
  t.advance_to(6);
  const auto later = t.look(ids);
  CHECK(value_of(later[2]).state.text == "RUNNING");
  CHECK(value_of(later[3]).phase == ClusterPhase::queued);
  CHECK(t.asked_again("slurm.jobs.state") == 1);
  CHECK(t.asked_again("slurm.job") == 1);
  // The reasons of those that wait are asked for again, not all at once.
  t.advance_to(40);
  t.look(ids);
  CHECK(t.asked_again("slurm.job") == 39);
  CHECK(t.asked("slurm.node") == 0);
  CHECK(t.asked("slurm.jobs") == 0);
}

TEST_CASE("slurm table: hundreds of new jobs come by one list") {
  TableLoop t(slurm_text(many_jobs(300)));
  for (const auto& status : t.look(ids_to(300))) CHECK(value_of(status).phase == ClusterPhase::queued);
  CHECK(t.asked("slurm.jobs") == 1);
  CHECK(t.asked("slurm.job") == 0);
  t.advance_to(6);
  CHECK(value_of(t.look(ids_to(300))[2]).state.text == "RUNNING");
  CHECK(t.asked("slurm.jobs") == 1);
  CHECK(t.asked("slurm.job") == 1);
}

TEST_CASE("slurm table: the answers are those of a job that is looked at by itself, with every version") {
  const std::vector<std::string> names = {"7", "8", "9", "20_0", "20_3", "21", "30", "30+1", "40", "20", "99", "20_9"};
  for (const std::string release : slurm_releases_of_tests) {
    INFO(release);
    TableLoop together(slurm_text(all_kinds, with_a_drained_node, release));
    TableLoop alone(slurm_text(all_kinds, with_a_drained_node, release));
    for (int round = 0; round < 3; ++round) {
      const auto statuses = together.look(names);
      for (std::size_t i = 0; i < names.size(); ++i) {
        INFO(names[i]);
        CHECK(words_of(statuses[i]) == words_of(alone.look({names[i]}).front()));
      }
      together.advance_to(3 * (round + 1));
      alone.advance_to(3 * (round + 1));
    }
    CHECK(alone.asked("slurm.jobs.state") == 0);
  }
}

TEST_CASE("slurm table: a node that is drained later is named for all who need it") {
  TableLoop t(slurm_text(R"({"id": 1, "nodes": "n1", "state": "RUNNING"}, {"id": 2, "nodes": "n4", "state": "RUNNING"},
    {"id": 3, "required_nodes": "n4", "node_count": 1, "reason": "ReqNodeNotAvail"}, {"id": 4, "nodes": "n2", "state": "RUNNING"})",
                         R"("nodes": [{"name": "n[1-3]"}, {"name": "n4", "timeline": [{"at": 0, "state": "IDLE"},
                           {"at": 5, "state": "DRAIN", "reason": "bad PSU"}]}])"));
  const std::vector<std::string> ids = ids_to(4);
  CHECK(value_of(t.look(ids)[1]).members.front().state.text == "RUNNING");
  t.advance_to(6);
  const auto statuses = t.look(ids);
  CHECK_THAT(value_of(statuses[1]).members.front().state.text, Contains("bad PSU"));
  CHECK_THAT(value_of(statuses[2]).state.text, Contains("n4 is draining by root: bad PSU"));
  CHECK(value_of(statuses[0]).members.front().state.text == "RUNNING");
}

TEST_CASE("slurm table: a job that ends, is forgotten, and a controller that is away") {
  TableLoop t(slurm_text(R"({"id": 1, "nodes": "n1", "timeline": [{"at": 0, "state": "RUNNING"}, {"at": 10, "state": "COMPLETED"}]},
    {"id": 2, "nodes": "n2", "state": "RUNNING"}, {"id": 3, "nodes": "n3", "state": "RUNNING"}, {"id": 4, "nodes": "n4", "state": "RUNNING"})",
                         four_slurm_nodes + R"(, "min_job_age": "20s", "controller_down": [{"from": 100, "until": 200}])"));
  const std::vector<std::string> ids = ids_to(4);
  t.look(ids);
  t.advance_to(11);
  CHECK(value_of(t.look(ids)[0]).state.text == "COMPLETED");
  t.advance_to(60);
  check_failure(t.look(ids)[0], Errc::not_found, "it was COMPLETED when it was seen last");
  t.advance_to(110);
  for (const auto& status : t.look(ids)) check_failure(status, Errc::unavailable, "Slurm's error");
  t.advance_to(300);
  CHECK(value_of(t.look(ids)[1]).state.text == "RUNNING");
}

TEST_CASE("slurm table: which jobs a round asks for") {
  const auto record = [](std::int64_t id, const std::string& state) {
    SlurmJobRecord job;
    job.id = id;
    job.states = {state};
    return job;
  };
  const SteadyTime start{std::chrono::hours(1)};
  SlurmKnownJobs jobs;
  SlurmMarks marks;
  std::set<std::int64_t> wanted;
  for (std::int64_t id = 1; id <= 1000; ++id) {
    marks.add(std::to_string(id), "PENDING");
    wanted.insert(id);
  }
  CHECK(jobs.plan(wanted, &marks, true, start).by_list);
  const SlurmRoundPlan first = jobs.plan(wanted, &marks, false, start);
  CHECK_FALSE(first.by_list);
  CHECK(first.ids.size() == 500);
  for (const std::int64_t id : wanted) jobs.take(id, {record(id, "PENDING")}, &marks, start);
  CHECK(jobs.plan(wanted, &marks, true, start).ids.empty());
  CHECK(jobs.plan(wanted, &marks, true, start + std::chrono::seconds(31)).ids.size() == 64);
  SlurmMarks changed;
  for (std::int64_t id = 1; id <= 1000; ++id) changed.add(std::to_string(id), id == 5 ? "RUNNING" : "PENDING");
  CHECK(jobs.plan(wanted, &changed, true, start).ids == std::vector<std::int64_t>{5});
  jobs.forget_old(start + std::chrono::minutes(11));
  CHECK(jobs.size() == 0);
}
