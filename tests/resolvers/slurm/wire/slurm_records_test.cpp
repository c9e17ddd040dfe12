// The records of Slurm's answers, in the forms of three versions, and answers that are none.
#include "resolvers/slurm/slurm_samples.hpp"
#include "resolvers/slurm/wire/slurm_pairs.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

Result<std::vector<SlurmJobRecord>> read_jobs_text(const std::string& text) {
  return read_slurm_text<SlurmJobRecord>("the job", "jobs", text, read_slurm_job, ParseLimits());
}

Result<std::vector<SlurmNodeRecord>> read_nodes_text(const std::string& text) {
  return read_slurm_text<SlurmNodeRecord>("the nodes", "nodes", text, read_slurm_node, ParseLimits());
}

}  // namespace

TEST_CASE("a running job of three versions of Slurm has the same record") {
  for (const std::string& version : slurm_versions()) {
    INFO(version);
    const SlurmJobRecord job = slurm_job_named(slurm_jobs_of(version, "job.running"), "trainer");
    CHECK(job.id == 11);
    CHECK(job.base() == "RUNNING");
    CHECK(job.nodes == "n[1-2]");
    CHECK(job.node_count == 2);
    CHECK(job.tasks == 4);
    CHECK(job.tasks_per_node == 2);
    CHECK(job.user == "root");
    CHECK(job.partitions == std::vector<std::string>{"main"});
    CHECK(job.gres_detail == std::vector<std::string>{"gpu:h100:8(IDX:0-7)", "gpu:h100:8(IDX:0-7)"});
    CHECK_FALSE(job.time_limit);
    CHECK_FALSE(job.array_job);
    CHECK(job.reason.empty());
    CHECK_FALSE(job.is_over());
  }
}

TEST_CASE("states, ends and flags of jobs are the same in three versions of Slurm") {
  for (const char* const version : {"22.05", "24.11"}) {
    INFO(version);
    const std::vector<SlurmJobRecord> jobs = slurm_jobs_of(version, "jobs.pending");
    CHECK(slurm_job_named(jobs, "failing").exit_code == 3);
    CHECK(slurm_job_named(jobs, "failing").is_over());
    CHECK(slurm_job_named(jobs, "signalled").signal == 11);
    CHECK(slurm_job_named(jobs, "paused").base() == "SUSPENDED");
    CHECK(slurm_job_named(jobs, "cloud").base() == "RUNNING");
    CHECK(slurm_job_named(jobs, "cloud").is("CONFIGURING"));
    CHECK(slurm_job_named(jobs, "sweep").array_job == 1);
    CHECK(slurm_job_named(jobs, "het").het_job == 12);
    CHECK(slurm_job_named(jobs, "short-time").time_limit == 60);
    CHECK(slurm_job_named(jobs, "held").reason == "JobHeldUser");
    CHECK(slurm_job_named(jobs, "excluded").excluded_nodes == "n1");
  }
}

TEST_CASE("nodes of three versions of Slurm have the same record") {
  for (const std::string& version : slurm_versions()) {
    INFO(version);
    const auto nodes = read_slurm_sample<SlurmNodeRecord>(version, "nodes", "nodes", read_slurm_node);
    const auto named = [&nodes](const std::string& name) {
      return *std::find_if(nodes.begin(), nodes.end(), [&name](const SlurmNodeRecord& node) { return node.name == name; });
    };
    CHECK(named("n3").is("DRAIN"));
    CHECK(named("n3").reason == "gpu 3 fell off the bus (Xid 79)");
    CHECK(named("n3").reason_by == "root");
    CHECK(named("n3").reason_at);
    CHECK(named("n5").is("DOWN"));
    CHECK(named("n1").address == "127.0.1.1");
    CHECK(named("n1").port > 16'000);
    CHECK(named("n1").features == std::vector<std::string>{"odd"});
    CHECK(named("n1").gres == "gpu:h100:8");
    CHECK(named("n1").memory == 1000);
    CHECK_THAT(named("n1").partitions, Catch::VectorContains(std::string("main")));
  }
}

TEST_CASE("partitions and reservations of two forms have the same record") {
  for (const char* const version : {"22.05", "24.11"}) {
    INFO(version);
    const auto partitions = read_slurm_sample<SlurmPartition>(version, "partitions", "partitions", read_slurm_partition);
    const auto named = [&partitions](const std::string& name) {
      return *std::find_if(partitions.begin(), partitions.end(), [&name](const SlurmPartition& one) { return one.name == name; });
    };
    CHECK(named("short").max_minutes == 5);
    CHECK_FALSE(named("short").max_nodes);
    CHECK(named("short").total_nodes == 1);
    CHECK_FALSE(named("cloud").max_minutes);
    CHECK_FALSE(named("cloud").max_nodes);
    CHECK(named("cloud").nodes == "c[1-3]");
    CHECK(named("closed").states == std::vector<std::string>{"DOWN"});
    const auto reservations = read_slurm_sample<SlurmReservation>(version, "reservations", "reservations", read_slurm_reservation);
    CHECK(reservations.front().name == "later");
    CHECK(reservations.front().nodes == "n6");
    CHECK(reservations.front().start);
  }
}

TEST_CASE("a number of Slurm's may be written in each form") {
  for (const char* const number : {"7", "\"7\"", "7.0", R"({"set":true,"infinite":false,"number":7})"}) {
    INFO(number);
    const auto jobs = value_of(read_jobs_text(std::string(R"({"jobs":[{"job_id":)") + number + R"(,"job_state":"RUNNING"}]})"));
    CHECK(jobs.at(0).id == 7);
  }
  for (const char* const limit :
       {"null", "-1", "4294967295", "4294967294", R"({"set":false,"infinite":true,"number":0})", R"({"set":false})", "0"}) {
    INFO(limit);
    const auto jobs =
        value_of(read_jobs_text(std::string(R"({"jobs":[{"job_id":7,"job_state":["RUNNING"],"time_limit":)") + limit + "}]}"));
    CHECK_FALSE(jobs.at(0).time_limit);
  }
}

TEST_CASE("a wait status that is no signal is none") {
  const auto end = [](const std::string& status) {
    const auto jobs = value_of(read_jobs_text(R"({"jobs":[{"job_id":7,"job_state":"FAILED","exit_code":)" + status + "}]}"));
    return std::pair(jobs.at(0).exit_code, jobs.at(0).signal);
  };
  CHECK(end("768") == std::pair(3, 0));
  CHECK(end("15") == std::pair(0, 15));
  CHECK(end("125") == std::pair(0, 0));
  CHECK(end(R"({"return_code":{"set":true,"infinite":false,"number":3},"signal":{"id":{"set":true,"infinite":false,"number":9}}})") ==
        std::pair(3, 9));
}

TEST_CASE("an answer that is none of Slurm's is named") {
  check_failure(read_jobs_text("<html><title>Not here</title></html>"), Errc::malformed_response, "the job");
  check_failure(read_jobs_text(""), Errc::malformed_response, "the job");
  check_failure(read_jobs_text("{}"), Errc::malformed_response, "no list jobs");
  check_failure(read_jobs_text("[]"), Errc::malformed_response, "no list jobs");
  check_failure(read_jobs_text(R"({"jobs":{}})"), Errc::malformed_response, "no list jobs");
  check_failure(read_jobs_text(R"({"jobs":[5]})"), Errc::malformed_response, "not an object");
  check_failure(read_jobs_text(R"({"jobs":[{}]})"), Errc::malformed_response, "jobs[0].job_id is missing");
  check_failure(read_jobs_text(R"({"jobs":[{"job_id":[1],"job_state":"RUNNING"}]})"), Errc::malformed_response, "jobs[0].job_id is");
  check_failure(read_jobs_text(R"({"jobs":[{"job_id":1,"job_state":7}]})"), Errc::malformed_response, "jobs[0].job_state is");
  check_failure(read_jobs_text(R"({"jobs":[{"job_id":1,"job_state":["RUNNING"],"nodes":{}}]})"), Errc::malformed_response,
                "jobs[0].nodes is");
  check_failure(read_jobs_text(R"({"jobs":[{"job_id":1,"job_state":["RUNNING"])"), Errc::malformed_response, "ends within jobs[0]");
  check_failure(read_nodes_text(R"({"nodes":[{"name":"a","state":["IDLE"]},{"name":""}]})"), Errc::malformed_response, "nodes[1].name");
}

TEST_CASE("an answer of Slurm's may come in any pieces") {
  const std::string text = read_sample("slurm/24.11/nodes.json");
  const auto whole = value_of(read_nodes_text(text));
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{4096}}) {
    std::vector<std::string> names;
    SlurmListFeed feed(
        "the nodes", "nodes",
        [&names](const SlurmObject& node) {
          names.push_back(node.text("name"));
          return std::size_t{0};
        },
        ParseLimits());
    for (std::size_t at = 0; at < text.size(); at += step) CHECK(feed.feed(std::string_view(text).substr(at, step)));
    CHECK(feed.finish());
    REQUIRE(names.size() == whole.size());
    CHECK(names.back() == whole.back().name);
  }
  for_each_prefix(
      R"({"errors":[{"error_number":2017,"description":"x\"y"}],"jobs":[{"job_id":1,"job_state":["A"]} , {"job_id":2,"job_state":["B"]}],"z":{"jobs":[3]}})",
      [](std::string_view prefix) { read_slurm_text<SlurmJobRecord>("the job", "jobs", prefix, read_slurm_job, ParseLimits()); });
}

TEST_CASE("the errors of an answer are kept, in the place of a list, too") {
  std::vector<SlurmError> errors;
  const auto jobs = read_slurm_text<SlurmJobRecord>("the job", "jobs", R"({"errors":[{"description":"Unable to query","error_number":2017,
      "error":"Invalid job id specified"},{"error_number":0,"error":"No error"}],"jobs":[]})",
                                                    read_slurm_job, ParseLimits(), &errors);
  CHECK(jobs);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].number == 2017);
  CHECK(errors[0].text == "Unable to query: Invalid job id specified");
  CHECK(read_slurm_text<SlurmJobRecord>("the job", "jobs", R"({"errors":[{"errno":-1,"error":"Unspecified error"}]})", read_slurm_job,
                                        ParseLimits(), &errors));
  CHECK(errors.at(0).number == -1);
}

TEST_CASE("more nodes than the limit are refused") {
  std::string text = R"({"nodes":[)";
  for (int i = 0; i < 20; ++i) text += (i > 0 ? "," : "") + std::string(R"({"name":"n","state":"idle"})");
  ParseLimits limits;
  limits.max_nodes = 10;
  check_failure(read_slurm_text<SlurmNodeRecord>("the nodes", "nodes", text + "]}", read_slurm_node, limits), Errc::limit_exceeded,
                "more than 10 nodes");
  limits.max_nodes = 100;
  limits.max_memory = 10'000;
  check_failure(read_slurm_text<SlurmNodeRecord>("the nodes", "nodes", text + "]}", read_slurm_node, limits), Errc::limit_exceeded,
                "the nodes");
}

TEST_CASE("partitions and reservations as lines of an older scontrol") {
  const auto partitions = value_of(read_partition_lines(
      "scontrol: warning: a plugin is old\n"
      "PartitionName=short AllowGroups=ALL Default=NO MaxNodes=UNLIMITED MaxTime=00:05:00 Nodes=n1 State=UP TotalCPUs=16 TotalNodes=1\n"
      "PartitionName=big MaxNodes=4 MaxTime=5-00:00:00 Nodes=(null) State=DOWN TotalNodes=0\nPartitionName=any MaxNodes=UNLIMITED "
      "MaxTime=UNLIMITED State=INACTIVE\n"));
  REQUIRE(partitions.size() == 3);
  CHECK(partitions[0].name == "short");
  CHECK(partitions[0].max_minutes == 5);
  CHECK_FALSE(partitions[0].max_nodes);
  CHECK(partitions[0].total_nodes == 1);
  CHECK(partitions[1].max_minutes == 7200);
  CHECK(partitions[1].max_nodes == 4);
  CHECK(partitions[1].nodes.empty());
  CHECK(partitions[1].states == std::vector<std::string>{"DOWN"});
  CHECK_FALSE(partitions[2].max_minutes);
  check_failure(read_partition_lines("PartitionName=x MaxTime=soon\n"), Errc::malformed_response, "MaxTime=soon");
  CHECK(value_of(read_partition_lines("")).empty());
  const auto reservations =
      value_of(read_reservation_lines("ReservationName=later StartTime=2026-11-26T14:24:50 EndTime=2026-11-26T15:24:50 Duration=01:00:00\n"
                                      "ReservationName=service StartTime=2026-11-26T14:24:50 EndTime=2026-11-26T15:24:50 Nodes=n6 "
                                      "Flags=MAINT,IGNORE_JOBS\nNo reservations in "
                                      "the system\n"));
  REQUIRE(reservations.size() == 2);
  CHECK(reservations[1].nodes == "n6");
  CHECK(reservations[1].flags == std::vector<std::string>{"MAINT", "IGNORE_JOBS"});
  CHECK(reservations[1].start == WallTime(std::chrono::seconds(1'795'703'090)));
}
