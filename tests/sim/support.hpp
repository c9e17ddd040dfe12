// Requests to a simulated cloud without a transport.
#pragma once

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <string>

#include "rollcall/sim/cloud.hpp"
#include "support/result.hpp"

namespace rollcall::sim {

inline std::shared_ptr<Cloud> cloud_of(std::string_view text) {
  auto cloud = testing::value_of(Cloud::parse(text, "cloud.json"));
  cloud->start(SteadyTime{});
  return cloud;
}

inline SteadyTime second(double s) { return SteadyTime(Duration(static_cast<std::int64_t>(s * 1e9))); }

inline Request metadata_request(std::string target) {
  Request request;
  request.host = "metadata.google.internal";
  request.target = target.starts_with('/') ? target : "/computeMetadata/v1/" + target;
  request.headers.add("Metadata-Flavor", "Google");
  return request;
}

inline Reply ask_metadata(Cloud& cloud, std::string target, double at = 0) {
  return cloud.handle(metadata_request(std::move(target)), second(at));
}

inline Request https_request(std::string host, std::string target, const std::string& token) {
  Request request;
  request.is_https = true;
  request.host = std::move(host);
  request.target = std::move(target);
  if (!token.empty()) request.headers.add("Authorization", "Bearer " + token);
  return request;
}

inline Request api_request(std::string target, const std::string& token = "some-token") {
  return https_request("tpu.googleapis.com", std::move(target), token);
}

inline Reply ask_api(Cloud& cloud, std::string target, double at = 0) { return cloud.handle(api_request(std::move(target)), second(at)); }

inline boost::json::value json_of(const Reply& reply) {
  std::error_code error;
  boost::json::value value = boost::json::parse(reply.body, error);
  if (error) FAIL("not JSON: " << reply.body);
  return value;
}

inline std::string text_of(const boost::json::value& value) { return boost::json::serialize(value); }

inline std::string header(const Reply& reply, std::string_view name) { return std::string(reply.headers.get(name).value_or("(absent)")); }

/// The path of a zone's nodes.
inline std::string nodes_path(std::string_view rest = "", std::string_view version = "v2") {
  return "/" + std::string(version) + "/projects/example-proj/locations/us-central2-b/nodes" + std::string(rest);
}

}  // namespace rollcall::sim
