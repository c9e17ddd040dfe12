// A small slurmrestd, and a Runtime that asks it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/base64.hpp"
#include "rollcall/slurm_job_resolver.hpp"
#include "rollcall/target_scheme.hpp"
#include "rollcall/wait.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

using namespace std::chrono_literals;

using SlurmAnswer = ScriptedTransport::Answer;

inline HttpResponse slurm_reply(int status, std::string body, std::string_view type = "application/json") {
  HttpResponse response;
  response.status = status;
  response.headers.add("content-type", type);
  response.body = std::move(body);
  return response;
}

inline std::string one_job(const std::string& fields, int id = 7) {
  return R"({"jobs":[{"job_id":)" + std::to_string(id) + R"(,"name":"train",)" + fields + R"(}],"errors":[]})";
}

inline const std::string running_fields =
    R"("job_state":["RUNNING"],"nodes":"n[1-2]","node_count":2,"gres_detail":["gpu:h100:8","gpu:h100:4"])";
inline const std::string pending_fields =
    R"("job_state":["PENDING"],"state_reason":"ReqNodeNotAvail","state_description":"ReqNodeNotAvail, May be reserved for other job",)"
    R"("nodes":"","node_count":2,"partition":"main","required_nodes":"n[1-2]")";

inline std::string node_text(const std::string& name, const std::string& states, const std::string& reason = {}) {
  return R"({"name":")" + name + R"(","address":"10.0.0.)" + name.substr(1) + R"(","state":[)" + states +
         R"(],"partitions":["main"],"reason":")" + reason + R"(","reason_set_by_user":"ada"})";
}

// A small slurmrestd of one version.
class SmallRestd {
 public:
  int version = 42;
  std::string job = one_job(running_fields);
  int job_status = 200;
  std::vector<std::string> nodes = {node_text("n1", R"("ALLOCATED")"), node_text("n2", R"("ALLOCATED")")};
  std::string token;  // empty: none is wanted
  std::size_t asked_jobs = 0;

  SlurmAnswer operator()(const HttpRequest& request) {
    const std::string root = "/slurm/v0.0." + std::to_string(version) + "/";
    const std::string& target = request.url.target;
    if (!token.empty() && request.headers.get("X-SLURM-USER-TOKEN").value_or("") != token)
      return SlurmAnswer(slurm_reply(
          511, R"({"errors":[{"description":"Unable to query","error_number":1007,"error":"Protocol authentication error"}]})"));
    if (!target.starts_with(root)) return SlurmAnswer(slurm_reply(404, "Unable find requested URL.", "text/plain"));
    const std::string path = target.substr(root.size());
    if (path.starts_with("job/")) return SlurmAnswer(slurm_reply(job_status, job));
    if (path == "jobs") {
      ++asked_jobs;
      return SlurmAnswer(slurm_reply(200, job));
    }
    if (path.starts_with("partition/"))
      return SlurmAnswer(slurm_reply(200, R"({"partitions":[{"name":"main","nodes":"n[1-2]"}],"errors":[]})"));
    if (path == "reservations") return SlurmAnswer(slurm_reply(200, R"({"reservations":[],"errors":[]})"));
    std::string list;
    for (const std::string& node : nodes) {
      const bool is_wanted = path == "nodes" || node.find(R"("name":")" + path.substr(path.find('/') + 1) + '"') != std::string::npos;
      if (is_wanted) list += (list.empty() ? "" : ",") + node;
    }
    return SlurmAnswer(slurm_reply(200, R"({"nodes":[)" + list + R"(],"errors":[]})"));
  }
};

inline std::string slurm_jwt(WallTime end, const std::string& user = "ada") {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(end.time_since_epoch()).count();
  return "eyJhbGciOiJIUzI1NiJ9." + base64url_encode(R"({"exp":)" + std::to_string(seconds) + R"(,"sun":")" + user + R"("})") +
         ".c2lnbmF0dXJl";
}

class SlurmLoop : public TestRuntime {
 public:
  using TestRuntime::TestRuntime;
  void serve(SmallRestd& restd) {
    transport->respond = [&restd](const HttpRequest& request) { return restd(request); };
  }
  std::shared_ptr<ClusterResolver> job(const std::string& target = "slurm:job/7,restd=unix:/run/restd") {
    return value_of(make_resolver(runtime, target));
  }
};

}  // namespace rollcall::testing
