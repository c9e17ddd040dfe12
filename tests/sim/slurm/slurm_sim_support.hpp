// A small Slurm cluster without a transport.
#pragma once

#include <string>
#include <vector>

#include "sim/support.hpp"

namespace rollcall::sim {

inline constexpr const char* slurm_releases_of_tests[] = {"22.05", "24.11", "26.05"};

inline const std::string four_slurm_nodes = R"("nodes": [{"name": "n[1-4]", "gres": "gpu:h100:8"}])";

/// `rest` are further keys of the section, `outside` of the file.
inline std::string slurm_text(const std::string& jobs, const std::string& rest = four_slurm_nodes, const std::string& version = "24.11",
                              const std::string& outside = "") {
  return R"({"start_time": "2026-01-01T00:00:00Z", "slurm": {"version": ")" + version + R"(", )" + rest + R"(, "jobs": [)" + jobs + "]}" +
         (outside.empty() ? "" : ", " + outside) + "}";
}

inline std::shared_ptr<Cloud> slurm_cloud(const std::string& jobs, const std::string& rest = four_slurm_nodes,
                                          const std::string& version = "24.11", const std::string& outside = "") {
  return cloud_of(slurm_text(jobs, rest, version, outside));
}

/// The newest version of the API that the release serves.
inline std::string newest_rest(const std::string& release) {
  return release == "22.05" ? "v0.0.38" : release == "24.11" ? "v0.0.42" : "v0.0.45";
}

/// With a token that is good for a day.
inline Request slurm_request(const Cloud& cloud, const std::string& path, const std::string& version = "v0.0.42") {
  Request request;
  request.host = "127.0.0.1:6820";
  request.target = "/slurm/" + version + "/" + path;
  request.headers.add("X-SLURM-USER-NAME", "alice");
  request.headers.add("X-SLURM-USER-TOKEN", cloud.slurm_token(WallTime(std::chrono::seconds(1'767'225'600))));
  return request;
}

inline Reply ask_slurm(Cloud& cloud, const std::string& path, double at = 0, const std::string& version = "v0.0.42") {
  return cloud.handle(slurm_request(cloud, path, version), second(at));
}

/// The first record of the answer's list.
inline boost::json::object slurm_record(Cloud& cloud, const std::string& path, double at = 0, const std::string& version = "v0.0.42") {
  const Reply reply = ask_slurm(cloud, path, at, version);
  INFO(reply.body);
  REQUIRE(reply.status == 200);
  const boost::json::value answer = json_of(reply);
  for (const char* const key : {"jobs", "nodes", "partitions", "reservations"}) {
    const boost::json::value* const list = answer.as_object().if_contains(key);
    if (list && !list->as_array().empty()) return list->as_array().front().as_object();
  }
  FAIL("no record");
  return {};
}

/// A number that may be unset: null, 5, or {"set":…}.
inline std::int64_t slurm_number(const boost::json::value& value) {
  constexpr std::int64_t unset = -1;
  if (value.is_int64()) return value.as_int64();
  if (!value.is_object() || !value.at("set").as_bool()) return unset;
  return value.at("number").as_int64();
}

}  // namespace rollcall::sim
