// Jobs by slurmrestd: versions, tokens, refusals, and waiting.
#include "resolvers/slurm/small_restd.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

TEST_CASE("slurmrestd is asked with the newest version that it has, found once") {
  for (const int version : {36, 38, 42, 45}) {
    CAPTURE(version);
    SmallRestd restd;
    restd.version = version;
    SlurmLoop t;
    t.serve(restd);
    const auto job = t.job();
    const ClusterStatus status = value_of(t.run(job->try_cluster_status()));
    CHECK(status.state == Condition(MemberState::ready, "RUNNING"));
    CHECK(t.transport->requests.front().url.target == "/slurm/v0.0.45/job/7");
    REQUIRE(t.transport->requests.front().access);
    CHECK(t.transport->requests.front().access->socket_path == "/run/restd");
    CHECK_FALSE(t.transport->requests.front().headers.get("X-SLURM-USER-TOKEN"));
    t.transport->requests.clear();
    CHECK(value_of(t.run(job->try_cluster_spec())).to_json() == R"({"worker":["n1:8888","n2:8888"]})");
    CHECK(t.transport->requests.size() == 4);  // the job and its nodes and, as it is asked again, reservations
    restd.version = version == 45 ? 44 : version + 1;  // another slurmrestd is started there
    CHECK(t.run(job->try_cluster_status()));
  }
}

TEST_CASE("a server without Slurm's API is named") {
  SmallRestd restd;
  restd.version = 99;
  SlurmLoop t;
  t.serve(restd);
  const auto failure = t.run(t.job()->try_cluster_status());
  check_failure(failure, Errc::unimplemented, "v0.0.36 to v0.0.45");
  CHECK(failure.error().target() == "unix:/run/restd");
  t.transport->respond = [](const HttpRequest&) {
    return SlurmAnswer(slurm_reply(200, "<html><title>Welcome</title></html>", "text/html"));
  };
  check_failure(t.run(t.job()->try_cluster_status()), Errc::malformed_response, "Slurm");
  t.transport->respond = [](const HttpRequest&) {
    return SlurmAnswer(slurm_reply(404, "<html><title>Not here</title></html>", "text/html"));
  };
  check_failure(t.run(t.job()->try_cluster_status()), Errc::unimplemented, "v0.0.36 to v0.0.45");  // which says nothing about the job
  t.transport->respond = [](const HttpRequest&) { return SlurmAnswer(Failure(Errc::unreachable, "no socket").with_phase(Phase::connect)); };
  check_failure(t.run(t.job()->try_cluster_status()), Errc::unreachable, "no socket");
}

TEST_CASE("the members of a job have their own GPUs") {
  SmallRestd restd;
  SlurmLoop t;
  t.serve(restd);
  const ClusterStatus status = value_of(t.run(t.job()->try_cluster_status()));
  REQUIRE(status.members.size() == 2);
  CHECK(status.members[0].accelerators->count == 8);
  CHECK(status.members[1].accelerators->count == 4);
}

TEST_CASE("a drained node of a pending job is named in the wait") {
  SmallRestd restd;
  restd.job = one_job(pending_fields);
  restd.nodes = {node_text("n1", R"("IDLE")"), node_text("n2", R"("IDLE","DRAIN")", "gpu 3 fell off the bus")};
  SlurmLoop t;
  t.serve(restd);
  const auto late = t.run(try_wait_until_ready(t.job(), usually_ready, WaitOptions().timeout(5s)));
  check_failure(late, Errc::deadline_exceeded, "drained by ada: gpu 3 fell off the bus (node n2)");
  check_failure(t.run(t.job()->try_cluster_spec()), Errc::not_ready, "n2 is drained");
  const auto refused = t.run(try_wait_until_ready(t.job(), usually_ready, WaitOptions().timeout(50s).fail_if_unschedulable(true)));
  check_failure(refused, Errc::not_ready, "n2 is drained");
}

TEST_CASE("a pending job is looked at every few seconds, until it runs") {
  SmallRestd restd;
  restd.job = one_job(pending_fields);
  SlurmLoop t;
  t.serve(restd);
  const auto start = t.time->now();
  t.transport->respond = [&](const HttpRequest& request) {
    if (t.time->now() - start > 60s) restd.job = one_job(running_fields);
    return restd(request);
  };
  CHECK(t.run(try_wait_until_ready(t.job(), usually_ready, WaitOptions().timeout(10min))));
  CHECK(t.time->now() - start < 75s);
}

TEST_CASE("errors of Slurm are distinguished by their number, whatever the status") {
  SmallRestd restd;
  SlurmLoop t;
  t.serve(restd);
  for (const int status : {404, 500, 200}) {
    restd.job_status = status;
    restd.job =
        R"({"jobs":[],"errors":[{"description":"Unable to query JobId=7","error_number":2017,"error":"Invalid job id specified"}]})";
    check_failure(t.run(t.job()->try_cluster_status()), Errc::not_found, "no job 7");
  }
  restd.job_status = 500;
  restd.job = R"({"errors":[{"description":"Unable to query JobId=7","error_number":-1,"error":"Unspecified error"}]})";
  check_failure(t.run(t.job()->try_cluster_status()), Errc::unavailable, "Unable to query JobId=7");
  restd.job_status = 502;
  restd.job = R"({"errors":[{"description":"x","error_number":1800,"error":"Unable to contact slurm controller"}]})";
  check_failure(t.run(t.job()->try_cluster_status()), Errc::unavailable, "Unable to contact slurm controller");
}

TEST_CASE("a job that Slurm has forgotten says what it was") {
  SmallRestd restd;
  SlurmLoop t;
  t.serve(restd);
  const auto job = t.job();
  CHECK(t.run(job->try_cluster_status()));
  restd.job = R"({"jobs":[]})";
  check_failure(t.run(job->try_cluster_status()), Errc::not_found, "it was RUNNING when it was seen last");
}

TEST_CASE("a token goes into Slurm's two headers, with the user that it names") {
  SmallRestd restd;
  const TestRuntime clock;
  restd.token = slurm_jwt(clock.time->wall_now() + 1h);
  SlurmLoop t(std::map<std::string, std::string, std::less<>>{{"SLURM_JWT", restd.token}});
  t.serve(restd);
  CHECK(t.run(t.job("slurm:job/7,restd=http://127.0.0.1:6820")->try_cluster_status()));
  CHECK(t.transport->requests.back().headers.get("X-SLURM-USER-NAME") == "ada");
  CHECK(t.transport->requests.back().bearer.empty());
  CHECK(t.run(t.job("slurm:job/7,restd=http://127.0.0.1:6820,login=bob")->try_cluster_status()));
  CHECK(t.transport->requests.back().headers.get("X-SLURM-USER-NAME") == "bob");
  check_failure(t.run(t.job("slurm:job/7,restd=http://10.1.2.3:6820")->try_cluster_status()), Errc::refused_by_policy,
                "never sent over plain http");
}

TEST_CASE("a token that has ended is not sent, and one that is renewed is read again") {
  const TestRuntime clock;
  const std::string ended = slurm_jwt(clock.time->wall_now() - 3min);
  SmallRestd restd;
  restd.token = slurm_jwt(clock.time->wall_now() + 1h);
  SlurmLoop t({}, {}, nullptr, {{"/run/old", "SLURM_JWT=" + ended + "\n"}, {"/run/new", restd.token}, {"/run/none", "no token"}});
  t.serve(restd);
  const std::string root = "slurm:job/7,restd=http://127.0.0.1:6820,token_file=";
  const auto refused = t.run(t.job(root + "/run/old")->try_cluster_status());
  check_failure(refused, Errc::unauthenticated, "the token in /run/old ended on", "3 m");
  CHECK(t.transport->requests.empty());
  CHECK_THAT(refused.error().message(), !Contains(ended));
  CHECK(t.run(t.job(root + "/run/new")->try_cluster_status()));
  check_failure(t.run(t.job(root + "/run/none")->try_cluster_status()), Errc::unauthenticated, "holds no token");
  check_failure(t.run(t.job("slurm:job/7,restd=http://127.0.0.1:6820")->try_cluster_status()), Errc::unauthenticated,
                "SLURM_JWT is not set");
}

TEST_CASE("a program makes the token, and another one after a refusal") {
  const TestRuntime clock;
  SmallRestd restd;
  restd.token = slurm_jwt(clock.time->wall_now() + 1h);
  SlurmLoop t;
  t.serve(restd);
  t.programs->answer("SLURM_JWT=" + slurm_jwt(clock.time->wall_now() + 2h) + "\n");
  t.programs->answer("SLURM_JWT=" + restd.token + "\n");
  const auto job = t.job("slurm:job/7,restd=http://127.0.0.1:6820,token_command=scontrol+token");
  CHECK(t.run(job->try_cluster_status()));
  CHECK(t.programs->requests.size() == 2);
  CHECK(t.programs->requests[0].words == std::vector<std::string>{"scontrol", "token"});
}
