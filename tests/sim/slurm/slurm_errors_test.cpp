// How the simulated slurmrestd refuses: versions, tokens, names, an absent slurmctld, and faults.
#include "sim/slurm/slurm_sim_support.hpp"

namespace rollcall::sim {
namespace {

int slurm_status_of(Cloud& cloud, const std::string& path, double at = 0, const std::string& version = "v0.0.42") {
  return ask_slurm(cloud, path, at, version).status;
}

boost::json::object slurm_error_in(const Reply& reply) { return json_of(reply).at("errors").as_array().front().as_object(); }

std::string refusal(Cloud& cloud, const Request& request, double at = 0) {
  const Reply reply = cloud.handle(request, second(at));
  if (header(reply, "Content-Type") == "text/plain") return std::to_string(reply.status) + " " + reply.body;
  const auto answer = json_of(reply);
  const auto& errors = answer.at("errors").as_array();
  if (errors.empty()) return std::to_string(reply.status);
  const boost::json::object& error = errors.front().as_object();
  const boost::json::value& number = error.contains("errno") ? error.at("errno") : error.at("error_number");
  return std::to_string(reply.status) + " " + text_of(number) + " " + std::string(error.at("error").as_string());
}

}  // namespace

TEST_CASE("slurmrestd: each release serves its own versions of the API") {
  struct Served {
    const char* release;
    int oldest;
    int newest;
  };
  for (const Served served : {Served{"22.05", 36, 38}, Served{"24.11", 40, 42}, Served{"26.05", 42, 45}}) {
    const auto cloud = slurm_cloud(R"({"id": 7})", four_slurm_nodes, served.release);
    for (int version = 35; version <= 46; ++version) {
      CAPTURE(served.release, version);
      const Reply reply = ask_slurm(*cloud, "job/7", 0, "v0.0." + std::to_string(version));
      const bool is_served = version >= served.oldest && version <= served.newest;
      CHECK(reply.status == (is_served ? 200 : 404));
      if (!is_served) CHECK(header(reply, "Content-Type") == "text/plain");
    }
    CHECK(slurm_status_of(*cloud, "nope", 0, newest_rest(served.release)) == 404);
    CHECK(slurm_status_of(*cloud, "job", 0, newest_rest(served.release)) == 404);
    CHECK(slurm_status_of(*cloud, "nodes/n1", 0, newest_rest(served.release)) == 404);
    CHECK(slurm_status_of(*cloud, "jobs/", 0, newest_rest(served.release)) == 200);
  }
}

TEST_CASE("slurmrestd: tokens") {
  const WallTime start(std::chrono::seconds(1'767'225'600));
  for (const std::string release : slurm_releases_of_tests) {
    CAPTURE(release);
    const bool is_old = release == "22.05";
    const std::string refused = is_old ? "500 -1 Unspecified error" : "511 1007 Protocol authentication error";
    const auto cloud = slurm_cloud(R"({"id": 7})", four_slurm_nodes + R"(, "token_lifetime": "30m")", release);
    const Request good = slurm_request(*cloud, "job/7", newest_rest(release));
    CHECK(refusal(*cloud, good) == "200");
    CHECK(refusal(*cloud, good, 1801) == refused);  // Slurm never says that it has expired
    Request request = good;
    request.headers = HeaderList();
    CHECK(refusal(*cloud, request) == "401 Authentication failure");
    const std::string token = cloud->slurm_token(start);
    request.headers.add("X-SLURM-USER-TOKEN", token);
    CHECK(refusal(*cloud, request) == (is_old ? "401 Authentication failure" : "200"));
    request.headers.add("X-SLURM-USER-NAME", "bob");
    CHECK(refusal(*cloud, request) == refused);
    request.headers = HeaderList();
    request.headers.add("Authorization", "Bearer " + token);
    CHECK(refusal(*cloud, request) == (is_old ? "401 Authentication failure" : "200"));
    request.headers = HeaderList();
    request.headers.add("X-SLURM-USER-NAME", "alice");
    request.headers.add("X-SLURM-USER-TOKEN", "abc");
    CHECK(refusal(*cloud, request) == refused);
    request.target = "/slurm/" + newest_rest(release) + "/ping";
    CHECK(refusal(*cloud, request) == (is_old ? refused : "200"));
    if (!is_old) CHECK(json_of(cloud->handle(request, second(0))).at("pings").at(0).at("responding") == false);
  }
  CHECK(cloud_of("{}")->slurm_token(start).empty());
}

TEST_CASE("slurmrestd: names that are not there") {
  const auto older = slurm_cloud(R"({"id": 7})", four_slurm_nodes, "22.05");
  const auto ask_older = [&](const std::string& path) { return refusal(*older, slurm_request(*older, path, "v0.0.38")); };
  CHECK(ask_older("job/99") == "500 2017 Invalid job id specified");
  CHECK(ask_older("job/train") == "400 9002 Jobs description entry not found, empty or not dictionary or list");
  CHECK(ask_older("node/zz") == "500 2018 Invalid node name specified");
  CHECK(ask_older("partition/zz") == "500 2000 Invalid partition name specified");
  CHECK(ask_older("reservation/zz") == "500 2053 Requested reservation is invalid");
  const auto newer = slurm_cloud(R"({"id": 7})");
  const auto ask_newer = [&](const std::string& path) { return refusal(*newer, slurm_request(*newer, path)); };
  CHECK(ask_newer("job/99") == "404 2017 Invalid job id specified");
  CHECK(ask_newer("job/train") == "422 9000 Query empty or not RFC7320 compliant");
  CHECK(ask_newer("node/zz") == "200 0 No error");
  CHECK(ask_newer("partition/zz") == "422 9000 Query empty or not RFC7320 compliant");
  CHECK(ask_newer("reservation/zz") == "422 9000 Query empty or not RFC7320 compliant");
  const auto newest = slurm_cloud(R"({"id": 7})", four_slurm_nodes, "26.05");
  const auto absent = json_of(ask_slurm(*newest, "partition/zz", 0, "v0.0.45")).as_object();
  CHECK(absent.at("errors").as_array().empty());
  CHECK(absent.at("warnings").at(0).at("description") == "Unable to find partition zz");
  CHECK_FALSE(absent.contains("partitions"));
  CHECK(ask_slurm(*older, "job/99", 0, "v0.0.38").body.ends_with("  ],\n  \"jobs\": [\n  ]\n}"));  // as 22.05 writes an empty list
  const Reply reply = ask_slurm(*newer, "job/99");
  CHECK(header(reply, "Connection") == "Close");
  CHECK(slurm_error_in(reply).at("description") == "Unable to query JobId=99");
  CHECK(json_of(reply).at("jobs").as_array().empty());
}

TEST_CASE("slurmrestd: an absent slurmctld is not an unknown job") {
  const std::string down = four_slurm_nodes + R"(, "controller_down": [{"from": "10s", "until": "20s"}])";
  for (const std::string release : slurm_releases_of_tests) {
    CAPTURE(release);
    const bool is_old = release == "22.05";
    const auto cloud = slurm_cloud(R"({"id": 7})", down, release);
    const std::string version = newest_rest(release);
    for (const double fine : {0, 9, 20}) CHECK(slurm_status_of(*cloud, "job/7", fine, version) == 200);
    const Reply one = ask_slurm(*cloud, "job/7", 12, version);
    CHECK(one.status == 500);
    CHECK(one.delay == std::chrono::seconds(18));
    CHECK(slurm_error_in(one).at("error_number") == -1);
    CHECK(slurm_error_in(one).at("description") == (is_old ? "Unable to find JobId=7" : "Unable to query JobId=7"));
    const Reply list = ask_slurm(*cloud, "nodes", 12, version);
    CHECK(list.status == (is_old ? 500 : 502));
    CHECK(list.delay == std::chrono::seconds(9));
    const Reply partitions = ask_slurm(*cloud, "partitions", 12, version);
    CHECK(partitions.status == (is_old ? 500 : 502));
    CHECK(json_of(partitions).at("errors").as_array().size() == (is_old ? 1u : 0u));
    const Reply ping = ask_slurm(*cloud, "ping", 12, version);
    CHECK(ping.status == (is_old ? 500 : 200));
    CHECK(ping.delay == std::chrono::seconds(is_old ? 9 : 0));
  }
  CHECK_FALSE(Cloud::parse(R"({"slurm": {"controller_down": [{"from": 5, "until": 5}]}})"));
}

TEST_CASE("slurmrestd: faults") {
  const std::string job = R"({"id": 7})";
  const auto faulty = [&](const std::string& rule, const std::string& path = "job/7") {
    const auto cloud = slurm_cloud(job, four_slurm_nodes, "24.11", "\"faults\": [" + rule + "]");
    return ask_slurm(*cloud, path);
  };
  CHECK(slurm_error_in(faulty(R"({"match": {"route": "slurm.job"}, "status": 404})")).at("error_number") == 2017);
  CHECK(slurm_error_in(faulty(R"({"match": {"route": "slurm.*"}, "status": 502})")).at("error_number") == 1800);
  CHECK(slurm_error_in(faulty(R"({"match": {"route": "slurm.nodes"}, "status": 511})", "nodes")).at("error_number") == 1007);
  const Reply said = faulty(R"({"match": {"route": "slurm.job"}, "status": 500, "message": "out of order"})");
  CHECK(slurm_error_in(said).at("description") == "out of order");
  CHECK(faulty(R"({"match": {"route": "slurm.job"}, "status": 401})").body == "Authentication failure");
  CHECK(header(faulty(R"({"match": {"route": "slurm.jobs"}, "status": 404})", "jobs"), "Content-Type") == "text/plain");
  CHECK(faulty(R"({"match": {"route": "slurm.job"}, "status": 503})").body.find("<html") != std::string::npos);  // a proxy
  CHECK(faulty(R"({"match": {"route": "slurm.job"}, "status": 200, "body": "<html>Welcome</html>"})").body == "<html>Welcome</html>");
  CHECK(faulty(R"({"match": {"route": "slurm.job"}, "delay": "3s"})").delay == std::chrono::seconds(3));
  CHECK(faulty(R"({"match": {"route": "slurm.job"}, "fault": "reset"})").fault.kind == FaultKind::reset);
  CHECK(slurm_error_in(faulty(R"({"match": {"route": "slurm.job"}, "fault": "expired_token"})")).at("error_number") == 1007);
  CHECK_FALSE(Cloud::parse(R"({"faults": [{"match": {"route": "slurm.jobz"}, "status": 500}]})"));
}

TEST_CASE("slurmrestd is read-only, and absent where the file has no section") {
  const auto cloud = slurm_cloud(R"({"id": 7})");
  Request request = slurm_request(*cloud, "job/7");
  request.method = "DELETE";
  CHECK(cloud->handle(request, second(0)).status == 501);
  const auto other = cloud_of("{}");
  request.method = "GET";
  const Reply reply = other->handle(request, second(0));
  CHECK(reply.status == 404);
  CHECK(header(reply, "Content-Type").starts_with("text/html"));
  CHECK(other->counts().at("slurm.job") == 1);
}

}  // namespace rollcall::sim
