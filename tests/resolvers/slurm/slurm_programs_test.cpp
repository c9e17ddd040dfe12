// Jobs by Slurm's programs, by a name, and the own job; targets that say nothing.
#include "resolvers/slurm/small_restd.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

TEST_CASE("without slurmrestd Slurm's programs are asked") {
  SlurmLoop t;
  t.programs->respond = [](const ProgramRequest& request) {
    const std::string what = request.words.at(request.words.size() - 2);
    return FakePrograms::Answer(Result<ProgramOutput>(FakePrograms::printed(
        what == "job" ? "scontrol: warning: a plugin is old\n" + one_job(running_fields)
                      : R"({"nodes":[)" + node_text("n1", R"("ALLOCATED")") + "," + node_text("n2", R"("ALLOCATED")") + "]}")));
  };
  const ClusterStatus status = value_of(t.run(t.job("slurm:job/7")->try_cluster_status()));
  CHECK(status.members.size() == 2);
  REQUIRE(t.programs->requests.size() == 2);
  CHECK(t.programs->requests[0].words == std::vector<std::string>{"scontrol", "--json", "-d", "show", "job", "7"});
  CHECK(t.programs->requests[1].words == std::vector<std::string>{"scontrol", "--json", "show", "nodes", "n[1-2]"});
}

TEST_CASE("a scontrol without JSON gives way to squeue and sinfo") {
  SlurmLoop t;
  t.programs->respond = [](const ProgramRequest& request) {
    if (request.words.front() == "scontrol")
      return FakePrograms::Answer(Result<ProgramOutput>(FakePrograms::printed("", 1, "scontrol: unrecognized option '--json'\n")));
    const std::string old = R"("job_state":"RUNNING","nodes":"n1","node_count":1,"array_task_id":null,"time_limit":null)";
    return FakePrograms::Answer(Result<ProgramOutput>(FakePrograms::printed(
        request.words.front() == "squeue" ? R"({"jobs":[{"job_id":6,"job_state":"RUNNING"},)" + one_job(old).substr(9)
                                          : R"({"nodes":[{"name":"n1","state":"mixed","state_flags":[]},{"name":"n9","state":"idle"}]})")));
  };
  const auto job = t.job("slurm:job/7");
  CHECK(value_of(t.run(job->try_cluster_status())).members.size() == 1);
  const std::size_t first = t.programs->requests.size();
  CHECK(t.run(job->try_cluster_status()));
  CHECK(t.programs->requests.size() == first + 3);  // JSON is not tried again; reservations are new
}

TEST_CASE("an older scontrol is read as lines, in UTC") {
  SlurmLoop t;
  t.programs->respond = [](const ProgramRequest& request) {
    const bool wants_json = std::find(request.words.begin(), request.words.end(), "--json") != request.words.end();
    if (request.words.front() == "scontrol" && wants_json)
      return FakePrograms::Answer(Result<ProgramOutput>(FakePrograms::printed("", 1, "scontrol: unrecognized option '--json'\n")));
    const std::string closed =
        R"("job_state":"PENDING","state_reason":"PartitionTimeLimit","partition":"short","nodes":"","node_count":1,"time_limit":60)";
    return FakePrograms::Answer(Result<ProgramOutput>(FakePrograms::printed(
        request.words.front() == "squeue" ? one_job(closed)
                                          : "PartitionName=short MaxNodes=UNLIMITED MaxTime=00:05:00 Nodes=n1 State=UP TotalNodes=1\n")));
  };
  const ClusterStatus status = value_of(t.run(t.job("slurm:job/7")->try_cluster_status()));
  CHECK_THAT(status.state.text, Contains("it asks for 60 minutes, partition short gives 5"));
  const ProgramRequest& last = t.programs->requests.back();
  CHECK(last.words == std::vector<std::string>{"scontrol", "-o", "show", "partition", "short"});
  // With _ALL nodes and jobs of hidden partitions are there as well.
  CHECK(last.variables == std::vector<std::pair<std::string, std::string>>{
                              {"TZ", "UTC"}, {"SLURM_BITSTR_LEN", "0"}, {"SCONTROL_ALL", "1"}, {"SQUEUE_ALL", "1"}, {"SINFO_ALL", "1"}});
}

TEST_CASE("programs that are missing, fail, hang or print nonsense are named") {
  SlurmLoop t;
  const auto answer = [&t](Result<ProgramOutput> result, Duration after = Duration::zero()) {
    t.programs->answers.clear();
    t.programs->answers.emplace_back(std::move(result)).after = after;
    return t.run(t.job("slurm:job/7")->try_cluster_status(CallOptions().timeout(10s)));
  };
  check_failure(answer(Failure(Errc::not_found, "no such program")), Errc::failed_precondition, "scontrol");
  check_failure(answer(Failure(Errc::limit_exceeded, "its output is too long")), Errc::limit_exceeded, "scontrol");
  check_failure(answer(FakePrograms::printed("", 1, "Unable to contact slurm controller (connect failure)\n")), Errc::unavailable,
                "scontrol");
  check_failure(answer(FakePrograms::printed("not JSON at all")), Errc::malformed_response, "scontrol");
  check_failure(answer(FakePrograms::printed("")), Errc::malformed_response, "scontrol");
  check_failure(answer(FakePrograms::printed("", 1, "slurm_load_jobs error: Invalid job id specified\n")), Errc::not_found, "no job 7");
  check_failure(answer(FakePrograms::printed(R"({"jobs":[]})")), Errc::not_found, "no job 7");
  check_failure(answer(FakePrograms::printed("{}"), 1h), Errc::response_timeout, "scontrol");
}

TEST_CASE("a name is looked up once, then its id is asked") {
  SmallRestd restd;
  SlurmLoop t;
  t.serve(restd);
  const auto job = t.job("slurm:job/train,restd=unix:/run/restd");
  CHECK(t.run(job->try_cluster_status()));
  CHECK(t.run(job->try_cluster_status()));
  CHECK(restd.asked_jobs == 1);
  check_failure(t.run(t.job("slurm:job/other,restd=unix:/run/restd")->try_cluster_status()), Errc::not_found, "no job other");
}

TEST_CASE("the job around this process is known by itself") {
  SmallRestd restd;
  SlurmLoop t(std::map<std::string, std::string, std::less<>>{{"SLURM_JOB_ID", "7"}});
  t.serve(restd);
  CHECK(t.run(t.job("slurm:job,restd=unix:/run/restd")->try_cluster_status()));
  restd.job = one_job(running_fields + R"(,"array_job_id":3,"array_task_id":2)");
  CHECK(t.run(t.job("slurm:job,restd=unix:/run/restd")->try_cluster_status()));
  SlurmLoop outside;
  outside.serve(restd);
  check_failure(outside.run(outside.job("slurm:job,restd=unix:/run/restd")->try_cluster_status()), Errc::failed_precondition,
                "SLURM_JOB_ID");
}

TEST_CASE("targets of Slurm jobs that say nothing are refused") {
  SlurmLoop t;
  const auto refusal = [&t](const std::string& target) {
    const auto made = make_resolver(t.runtime, target);
    return made ? "made" : made.error().what();
  };
  CHECK_THAT(refusal("slurm:job/"), Contains("names no job"));
  CHECK_THAT(refusal("slurm:4711"), Contains("slurm"));
  CHECK_THAT(refusal("slurm:job/7,order=rank"), Contains("order= goes with a step"));
  CHECK_THAT(refusal("slurm:user=ada"), Contains("user= goes with a job"));
  CHECK(refusal("slurm:restd=unix:/x") == "made");
  CHECK_THAT(refusal("slurm:job/7,job.ps=1"), Contains("goes with a step"));
  CHECK(refusal("slurm:job/7,port=1234,rpc_layer=") == "made");
  for (const char* const target : {"slurm:job/7,restd=unix:relative", "slurm:job/7,restd=ftp://x",
                                   "slurm:job/7,restd=unix:", "slurm:job/7_x", "slurm:job/7,token_file=/run/jwt"}) {
    INFO(target);
    const auto made = make_resolver(t.runtime, target);
    const bool is_refused = !made || !t.run((*made)->try_cluster_status());
    CHECK(is_refused);
  }
}
