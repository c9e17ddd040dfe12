// Answers of servers and programs that are no answers: what they mean, and that both ways agree.
#include "resolvers/slurm/slurm_program_output.hpp"
#include "resolvers/slurm/small_restd.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

FakePrograms::Answer printed_answer(const std::string& output, int code = 0, const std::string& errors = {}) {
  return FakePrograms::Answer(Result<ProgramOutput>(FakePrograms::printed(output, code, errors)));
}

Failure failure_of_program(const std::string& errors) {
  return slurm_program_failure({"scontrol", "show", "job", "7"}, FakePrograms::printed("", 1, errors));
}

}  // namespace

TEST_CASE("a program's JSON is found among other lines") {
  const std::string json = R"({"jobs": []})";
  for (const std::string before : {"", "\n  ", "\xEF\xBB\xBF", "scontrol: warning: {old} plugin\n", "{motd} of today\n", "hi: "}) {
    for (const std::string after : {"", "\n", "\nscontrol: bye\n"}) {
      INFO(before << "|" << after);
      CHECK(json_in_output(before + json + after) == json);
    }
  }
  CHECK(json_in_output("{}") == "{}");
  CHECK(json_in_output("{\n \"a\": 1") == "{\n \"a\": 1");
  CHECK(json_in_output("JobId=7 JobName=x") == "JobId=7 JobName=x");
  CHECK(json_in_output(std::string(100'000, '{')).size() == 100'000);
}

TEST_CASE("what a failed program of Slurm says decides whether it may pass") {
  for (const char* const text :
       {"slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
        "slurm_load_jobs error: Socket timed out on send/recv operation", "slurm_load_jobs error: Zero Bytes were transmitted or received",
        "slurm_load_jobs error: Slurm backup controller in standby mode"}) {
    INFO(text);
    CHECK(failure_of_program(text).code() == Errc::unavailable);
  }
  CHECK(failure_of_program("slurm_load_jobs error: Access/permission denied").code() == Errc::permission_denied);
  CHECK(failure_of_program("error: Munge encode failed: Failed to access \"/run/munge/munge.socket.2\": Connection refused").code() ==
        Errc::unauthenticated);
  CHECK(failure_of_program("slurm_load_jobs error: Protocol authentication error").code() == Errc::unauthenticated);
  for (const char* const text : {"slurm_load_jobs error: Invalid job id specified", "Node n9 not found", "Partition closed not found"}) {
    INFO(text);
    CHECK(failure_of_program(text).code() == Errc::not_found);
  }
  for (const char* const text : {"scontrol: error: plugin data_parser/v0.0.42 not found", "bash: scontrol: command not found",
                                 "scontrol: error while loading shared libraries: libslurmfull.so: cannot open shared object file",
                                 "scontrol: fatal: Could not establish a configuration source"}) {
    INFO(text);
    CHECK(failure_of_program(text).code() == Errc::failed_precondition);
  }
}

TEST_CASE("an answer about other jobs, or with an error without a number, is not that there is no such job") {
  SmallRestd restd;
  SlurmLoop t;
  t.serve(restd);
  const auto status = [&t] { return t.run(t.job()->try_cluster_status(CallOptions().timeout(10s))); };
  restd.job = one_job(running_fields, 8);
  check_failure(status(), Errc::malformed_response, "other jobs");
  for (const char* const error : {R"({"error":"boom"})", R"("boom")", R"({"error_number":"x"})", "7"}) {
    INFO(error);
    restd.job = fmt::format(R"({{"jobs":[],"errors":[{}]}})", error);
    check_failure(status(), Errc::unavailable, "slurm:job/7: Slurm's error");
  }
  restd.job = R"({"jobs":[],"errors":[{"error_number":0,"error":"No error"}]})";
  check_failure(status(), Errc::not_found, "no job 7");
  restd.job = R"({"jobs":[],"errors":[{"error_number":1800,"error":"boom"}]})";
  const Result<ClusterStatus> away = status();
  REQUIRE_FALSE(away);
  CHECK_THAT(away.error().what(), Catch::StartsWith("slurm:job/7: ") && !Contains("Slurm job 7"));  // named once
  restd.job = "<html>";
  const Result<ClusterStatus> page = status();
  check_failure(page, Errc::malformed_response, "an HTML page");
  CHECK_FALSE(page.error().target().empty());
}

TEST_CASE("a server without the API is quoted") {
  SlurmLoop t;
  t.transport->respond = [](const HttpRequest&) { return SlurmAnswer(slurm_reply(404, "no such site", "text/plain")); };
  check_failure(t.run(t.job()->try_cluster_status()), Errc::unimplemented, "no such site");
}

TEST_CASE("nodes that are not answered for leave time for the job's own answer") {
  SmallRestd restd;
  SlurmLoop t;
  t.transport->minds_silence = true;
  t.transport->respond = [&restd](const HttpRequest& request) {
    SlurmAnswer answer = restd(request);
    if (request.url.target.find("/node") != std::string::npos) answer.after = 1h;
    return answer;
  };
  CHECK(value_of(t.run(t.job()->try_cluster_status(CallOptions().timeout(8s)))).members.size() == 2);
  SlurmLoop by_programs;
  by_programs.programs->respond = [](const ProgramRequest& request) {
    const bool is_job = std::find(request.words.begin(), request.words.end(), "job") != request.words.end();
    FakePrograms::Answer answer = printed_answer(is_job ? one_job(running_fields) : "{}");
    if (!is_job) answer.after = 1h;
    return answer;
  };
  CHECK(value_of(by_programs.run(by_programs.job("slurm:job/7")->try_cluster_status(CallOptions().timeout(8s)))).members.size() == 2);
}

TEST_CASE("programs find a job by its name as slurmrestd does") {
  SlurmLoop t;
  std::string lines;
  t.programs->respond = [&lines](const ProgramRequest& request) {
    if (request.words.front() == "squeue") return printed_answer(lines);
    const std::string id = request.words.back();
    if (request.words.at(request.words.size() - 2) != "job") return printed_answer(R"({"nodes":[]})");
    std::string job = one_job(running_fields, std::stoi(id));
    job.replace(job.find("train"), 5, "a,b|c");
    return printed_answer(job);
  };
  const auto found = [&t](const std::string& target) { return t.run(t.job(target)->try_cluster_status()); };
  lines = "7|RUNNING|a,b|c\n8|RUNNING|a\n9|COMPLETED|a,b|c\nnonsense\n|||\n";
  CHECK(value_of(found("slurm:job/a%2Cb|c")).members.size() == 2);
  const std::vector<std::string>& words = t.programs->requests.front().words;
  CHECK(std::none_of(words.begin(), words.end(), [](const std::string& word) { return word.starts_with("--name") || word == "--me"; }));
  lines = "7|RUNNING|a,b|c\n8|PENDING|a,b|c\n";
  check_failure(found("slurm:job/a%2Cb|c"), Errc::conflict, "2 jobs have the name");
  // One that lives among many that are over.
  lines = "7|RUNNING|a,b|c\n";
  for (int id = 100; id < 200; ++id) lines += std::to_string(id) + "|FAILED|a,b|c\n";
  CHECK(value_of(found("slurm:job/a%2Cb|c")).expected_source == "Slurm job 7");
  check_failure(found("slurm:job/other,user=ada"), Errc::not_found, "no job other");
  const std::vector<std::string>& last = t.programs->requests.back().words;
  CHECK(std::find(last.begin(), last.end(), "--name=other") != last.end());
  CHECK(std::find(last.begin(), last.end(), "--user=ada") != last.end());
}

TEST_CASE("what Slurm prints as a step, waiting tasks or a cluster leads to the job") {
  SmallRestd restd;
  SlurmLoop t;
  t.serve(restd);
  for (const char* const name : {"7.0", "7.batch", "7_[2-5%251]", "7;roll"}) {
    INFO(name);
    const auto status = t.run(t.job(std::string("slurm:job/") + name + ",restd=unix:/run/restd")->try_cluster_status());
    REQUIRE_FALSE(status);
    CHECK(status.error().code() == Errc::not_found);
    CHECK_THAT(status.error().hint(), Contains("slurm:job/7, slurm:job/7_N"));
  }
}
