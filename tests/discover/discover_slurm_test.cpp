// The Slurm jobs of a search: by slurmrestd and by squeue, with filters, arrays, components, GPUs, and answers that are none.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "discover/discover_support.hpp"
#include "resolvers/slurm/small_restd.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

const std::string slurm_list =
    R"({"jobs":[)"
    R"({"job_id":7,"name":"train","user_name":"ada","partition":"main","job_state":["RUNNING"],"nodes":"n[1-2]","node_count":2,)"
    R"j("gres_detail":["gpu:h100:8(IDX:0-7)","gpu:h100:4(IDX:0-3)"]},)j"
    R"({"job_id":8,"name":"wait","user_name":"bob","partition":"main,low","job_state":["PENDING"],"nodes":"","node_count":3,)"
    R"("tres_per_node":"gres/gpu:a100:2"},)"
    R"({"job_id":9,"name":"sweep","user_name":"ada","partition":"low","job_state":["PENDING"],"node_count":1,"array_job_id":9,)"
    R"("array_task_string":"2-5%1","tres_per_task":"gres/gpu=2"},)"
    R"({"job_id":10,"name":"sweep","user_name":"ada","partition":"low","job_state":["RUNNING"],"nodes":"n3","node_count":1,"array_job_id":9,)"
    R"("array_task_id":1},)"
    R"({"job_id":12,"name":"het","user_name":"ada","partition":"main","job_state":["RUNNING","CONFIGURING"],"nodes":"n4","node_count":1,)"
    R"("het_job_id":12,"het_job_offset":0},)"
    R"({"job_id":6,"name":"old","user_name":"ada","partition":"main","job_state":["FAILED"],"nodes":"n1","node_count":1}],"errors":[]})";

DiscoverOptions slurm_search(const std::string& keys) { return DiscoverOptions().slurm(keys).kinds({FoundKind::slurm_job}); }

Finds found_by(SlurmLoop& t, DiscoverOptions options, CallOptions call = {}) {
  return t.run(read_all(discover(t.runtime, std::move(options), std::move(call))));
}

Finds found_by_restd(const std::string& list, const DiscoverOptions& options) {
  SmallRestd restd;
  restd.job = list;
  SlurmLoop t;
  t.serve(restd);
  Finds finds = found_by(t, options);
  CHECK(restd.asked_jobs <= 1);
  return finds;
}

}  // namespace

TEST_CASE("Slurm's jobs are found by one list") {
  const Finds finds = found_by_restd(slurm_list, slurm_search("restd=unix:/run/restd"));
  REQUIRE(finds.found.size() == 6);
  CHECK(finds.missing.empty());
  const Found& train = finds.of("train");
  CHECK(train.kind == FoundKind::slurm_job);
  CHECK(train.target == "slurm:job/7,restd=unix:/run/restd");
  CHECK(train.state == "RUNNING");
  CHECK(train.health == "Ready");
  CHECK(train.user == "ada");
  CHECK(train.partition == "main");
  CHECK(train.members == 2);
  CHECK(train.accelerators == 12);
  CHECK(train.accelerator_type == "H100");
  CHECK(train.addresses == std::vector<std::string>{"n1:8888", "n2:8888"});
  const Found& wait = finds.of("wait");
  CHECK(wait.health == "NotReady");
  CHECK(wait.members == 3);
  CHECK(wait.accelerators == 6);
  CHECK(wait.partition == "main,low");
  CHECK(wait.addresses.empty());
  CHECK(finds.found[2].target == "slurm:job/9_2,restd=unix:/run/restd");
  CHECK_FALSE(finds.found[2].accelerators);  // so many a task, of which the number is not known
  CHECK(finds.found[3].target == "slurm:job/9_1,restd=unix:/run/restd");
  CHECK(finds.found[3].accelerators == 0);
  CHECK(finds.of("het").target == "slurm:job/12%2B0,restd=unix:/run/restd");
  CHECK(finds.of("het").health == "NotReady");
  CHECK(finds.of("old").health.empty());
}

TEST_CASE("Slurm's programs give the same finds as slurmrestd") {
  SlurmLoop t;
  t.programs->respond = [](const ProgramRequest&) {
    return FakePrograms::Answer(Result<ProgramOutput>(FakePrograms::printed("squeue: warning: old\n" + slurm_list + "\n")));
  };
  Finds programs = found_by(t, slurm_search(""));
  const Finds restd = found_by_restd(slurm_list, slurm_search("restd=unix:/run/restd"));
  REQUIRE(programs.found.size() == restd.found.size());
  for (std::size_t i = 0; i < restd.found.size(); ++i) {
    CHECK(programs.found[i].target + ",restd=unix:/run/restd" == restd.found[i].target);
    programs.found[i].target = restd.found[i].target;
    CHECK(programs.found[i] == restd.found[i]);
  }
  REQUIRE(t.programs->requests.size() == 2);
  CHECK(t.programs->requests[0].words == std::vector<std::string>{"squeue", "-h", "--states=all", "-o", "%A"});
  CHECK(t.programs->requests[1].words == std::vector<std::string>{"squeue", "--json", "--states=all"});
}

TEST_CASE("Slurm's jobs are filtered by user, partition and state") {
  const auto names = [](const std::string& filter) {
    return found_by_restd(slurm_list, slurm_search("restd=unix:/run/restd").filter(filter)).names();
  };
  CHECK(names("user=bob") == "slurm-job wait");
  CHECK(names("partition=low").find("train") == std::string::npos);
  CHECK(names("partition=*low") == "slurm-job sweep, slurm-job wait");
  CHECK(names("state=RUNNING*") == "slurm-job het, slurm-job sweep, slurm-job train");
  CHECK(names("user!=ada") == "slurm-job wait");
  CHECK(names("user=Ada").empty());
  SlurmLoop t;
  t.programs->respond = [](const ProgramRequest&) {
    return FakePrograms::Answer(Result<ProgramOutput>(FakePrograms::printed(slurm_list)));
  };
  CHECK(found_by(t, slurm_search("").filter("user=bob").filter("partition=main,low")).names() == "slurm-job wait");
  CHECK(t.programs->requests[0].words == std::vector<std::string>{"squeue", "-h", "--states=all", "-o", "%A", "--user=bob"});
  CHECK(t.programs->requests[1].words == std::vector<std::string>{"squeue", "--json", "--states=all", "--user=bob"});
}

TEST_CASE("many of Slurm's jobs are asked of squeue some at a time, each taken once") {
  constexpr int jobs = 1234;
  SlurmLoop t;
  std::size_t longest = 0;
  bool is_old = false;
  t.programs->respond = [&](const ProgramRequest& request) {
    if (request.words.front() == "scontrol") {
      return FakePrograms::Answer(Result<ProgramOutput>(is_old ? FakePrograms::printed("", 1, "scontrol: unrecognized option '--json'\n")
                                                               : FakePrograms::printed(R"({"reservations":[]})")));
    }
    std::vector<std::string> ids;
    for (int id = 1; id <= jobs; ++id) ids.push_back(std::to_string(id));
    if (request.words.at(1) == "-h")
      return FakePrograms::Answer(Result<ProgramOutput>(FakePrograms::printed(fmt::format("{}\n", fmt::join(ids, "\n")))));
    if (request.words.at(request.words.size() - 2) == "-j") {
      ids.clear();
      for (const std::string_view id : split(request.words.back(), ',')) ids.emplace_back(id);
      if (ids.back() != "1") ids.push_back("1");  // with a task its array comes
    }
    std::string list;
    for (const std::string& id : ids)
      list += (list.empty() ? "" : ",") + fmt::format(R"({{"job_id":{},"name":"train","job_state":["RUNNING"]}})", id);
    longest = std::max(longest, list.size());
    return FakePrograms::Answer(Result<ProgramOutput>(FakePrograms::printed(R"({"jobs":[)" + list + "]}")));
  };
  CHECK(found_by(t, slurm_search("")).found.size() == jobs);
  CHECK(t.programs->requests.size() == 5);  // ids, whether scontrol writes JSON, and three parts
  CHECK(longest < 30'000);
  is_old = true;
  SlurmLoop old;
  old.programs->respond = t.programs->respond;
  CHECK(found_by(old, slurm_search("")).found.size() == jobs);
  CHECK(old.programs->requests.size() == 3);
}

TEST_CASE("a Slurm that does not answer is a part that is missing") {
  const auto failure = [](const std::string& list, int status = 200) {
    SmallRestd restd;
    restd.job = list;
    SlurmLoop t;
    restd.job_status = status;
    t.transport->respond = [&restd](const HttpRequest& request) {
      if (request.url.target.ends_with("/jobs")) return SlurmAnswer(slurm_reply(restd.job_status, restd.job));
      return restd(request);
    };
    const Finds finds = found_by(t, slurm_search("restd=unix:/run/restd"));
    CHECK(finds.found.empty());
    REQUIRE(finds.missing.size() == 1);
    return finds.missing.front();
  };
  CHECK(failure(R"({"errors":[{"error_number":1800,"error":"Unable to contact"}]})", 502).code() == Errc::unavailable);
  CHECK(failure("<html>sign in</html>").code() == Errc::malformed_response);
  CHECK(failure(R"({"jobs":[{"job_id":1,"job_state":["RUNNING"]},{"job_id":"x"}]})").code() == Errc::malformed_response);
  CHECK(failure(R"({"jobs":[{"job_id":1,"job_state":["RUNNING"])").code() == Errc::malformed_response);
}

TEST_CASE("keys of a search that name a job, or say nothing, are refused") {
  for (const char* const keys : {"restd", "restd=ftp://x", "job.ps=1", "order=rank", "nonsense=1"}) {
    INFO(keys);
    SlurmLoop t;
    const Finds finds = found_by(t, slurm_search(keys));
    CHECK(finds.found.empty());
    CHECK(finds.missing.size() == 1);
  }
  CHECK(check_discovery(slurm_search("restd=https://slurm.example.com,token_file=/run/jwt,user=ada")));
}
