// Scripted faults: the requests that they match, and the replies that they make.
#include "sim/support.hpp"

namespace rollcall::sim {

namespace {
std::shared_ptr<Cloud> with_faults(const std::string& faults) {
  return cloud_of("{\"nodes\": [{\"name\": \"n\"}], \"faults\": [" + faults + "]}");
}
}  // namespace

TEST_CASE("a status is answered `times` times, then the normal reply") {
  const auto cloud = with_faults(
      R"({"match": {"route": "nodes.get"}, "status": 503, "times": 2, "headers": {"Retry-After": "3"}, "retry_delay": "1.5s"})");
  for (int i = 0; i < 2; ++i) {
    const Reply reply = ask_api(*cloud, nodes_path("/n"));
    CHECK(reply.status == 503);
    CHECK(header(reply, "Retry-After") == "3");
    CHECK(json_of(reply).at("error").at("status") == "UNAVAILABLE");
    CHECK(json_of(reply).at("error").at("details").as_array()[0].at("retryDelay") == "1.5s");
    CHECK(ask_api(*cloud, nodes_path()).status == 200);
  }
  CHECK(ask_api(*cloud, nodes_path("/n")).status == 200);
}

TEST_CASE("after, every, times, from and until choose among the matching requests") {
  const auto cloud = with_faults(R"({"match": {"path": "/v2/*"}, "status": 500, "after": 1, "every": 3, "times": 2})");
  std::string seen;
  for (int i = 0; i < 9; ++i) seen += ask_api(*cloud, nodes_path("/n")).status == 500 ? 'x' : '.';
  CHECK(seen == ".x..x....");
  const auto timed = with_faults(R"({"status": 500, "from": 10, "until": "20s"})");
  CHECK(ask_api(*timed, nodes_path("/n"), 9.9).status == 200);
  CHECK(ask_api(*timed, nodes_path("/n"), 10).status == 500);
  CHECK(ask_api(*timed, nodes_path("/n"), 20).status == 200);
}

TEST_CASE("rules match by method, host, path and query; the first that is due decides") {
  const auto cloud = with_faults(
      R"({"match": {"query": {"pageToken": "*"}}, "fault": "reset"}, {"match": {"host": "*.googleapis.com", "method": "GET"}, "delay": "250ms"},
    {"match": {"path": "/v2/projects/*/locations/*/nodes/n"}, "status": 429, "reason": "RATE_LIMIT_EXCEEDED", "times": 1}, {"match": {"route": "nodes.get"}, "status": 403, "message": "no", "times": 1})");
  CHECK(ask_api(*cloud, nodes_path("?pageToken=x")).fault.kind == FaultKind::reset);
  const Reply limited = ask_api(*cloud, nodes_path("/n"));
  CHECK(limited.status == 429);
  CHECK(limited.delay == std::chrono::milliseconds(250));
  CHECK(json_of(limited).at("error").at("details").as_array()[0].at("reason") == "RATE_LIMIT_EXCEEDED");
  CHECK(json_of(ask_api(*cloud, nodes_path("/n"))).at("error").at("message") == "no");
  CHECK(ask_api(*cloud, nodes_path("/n")).status == 200);
}

TEST_CASE("bodies can be given, and metadata errors look like the metadata server's") {
  const auto cloud = with_faults(
      R"({"match": {"route": "nodes.get"}, "status": 200, "body": "<html>log in</html>", "times": 1}, {"match": {"route": "nodes.get"}, "status": 200, "body": {"a": [1]}, "times": 1},
    {"match": {"route": "nodes.get"}, "status": 502}, {"match": {"route": "metadata *"}, "status": 503}, {"match": {"route": "token"}, "status": 429})");
  CHECK(header(ask_api(*cloud, nodes_path("/n")), "Content-Type") == "text/html; charset=UTF-8");
  CHECK(ask_api(*cloud, nodes_path("/n")).body == R"({"a":[1]})");
  CHECK(ask_api(*cloud, nodes_path("/n")).body.starts_with("<!DOCTYPE html>"));
  const Reply booting = ask_metadata(*cloud, "instance/zone");
  CHECK(booting.status == 503);
  CHECK(booting.body == "Service is currently unavailable");
  CHECK(header(booting, "Metadata-Flavor") == "Google");
  CHECK(ask_metadata(*cloud, "instance/service-accounts/default/token").body == "Rate limit exceeded");
}

TEST_CASE("an expired token is refused until a new one is fetched") {
  const auto cloud = with_faults(R"({"match": {"route": "nodes.get"}, "fault": "expired_token", "times": 1})");
  const auto token = [&] {
    return std::string(json_of(ask_metadata(*cloud, "instance/service-accounts/default/token")).at("access_token").as_string());
  };
  const std::string first = token();
  CHECK(cloud->handle(api_request(nodes_path("/n"), first), second(1)).status == 401);
  CHECK(cloud->handle(api_request(nodes_path("/n"), first), second(2)).status == 401);
  const std::string next = token();
  CHECK(next != first);
  CHECK(cloud->handle(api_request(nodes_path("/n"), next), second(3)).status == 200);
}

TEST_CASE("wire faults keep the normal reply, which the server corrupts") {
  const auto cloud = with_faults(R"({"fault": "truncate", "bytes": 10, "gzip": true, "chunked": true})");
  const Reply reply = ask_api(*cloud, nodes_path("/n"));
  CHECK(reply.status == 200);
  CHECK(reply.fault.kind == FaultKind::truncate);
  CHECK(reply.fault.bytes == 10u);
  CHECK(reply.is_gzip);
  CHECK(reply.is_chunked);
  CHECK(to_string(FaultKind::endless_chunk_extension) == "endless_chunk_extension");
}

}  // namespace rollcall::sim
