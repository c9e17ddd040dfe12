// Requests to the simulated sign-in: any form, JSON document, assertion, subject token or access token is answered or refused with a
// bounded message, and only issued tokens are accepted.
#include "base/url.hpp"
#include "check.hpp"
#include "rollcall/sim/cloud.hpp"

namespace {

using namespace rollcall;

std::shared_ptr<sim::Cloud> sign_in_cloud() {
  static const auto made = sim::Cloud::parse(
      R"({"api": {"tokens": ["t"]}, "sign_in": {"users": [{"refresh_token": "r"}], "service_accounts": [{"email": "a@b", "actors": ["a@b"]}],
          "providers": [{"audience": "c"}], "aws": {}}, "nodes": [{"name": "n"}], "kubernetes": {"users": [{"name": "user@example.com"}]}})");
  return *made;
}

int ask(std::string method, std::string target, std::string_view type, std::string body, std::string_view token = "t") {
  sim::Request request;
  request.method = std::move(method);
  request.host = "localhost";
  request.target = std::move(target);
  request.body = std::move(body);
  request.headers.add("Content-Type", type);
  request.headers.add("Authorization", "Bearer " + std::string(token));
  request.headers.add("X-aws-ec2-metadata-token", token);
  const sim::Reply reply = sign_in_cloud()->handle(request, SteadyTime(std::chrono::seconds(9)));
  require(reply.body.size() < 8 * 4096 && !reply.hold);
  return reply.status;
}

void run_sign_in(std::string_view text) noexcept {
  constexpr std::string_view form = "application/x-www-form-urlencoded";
  constexpr std::string_view json = "application/json";
  const std::string body(text);
  const std::string encoded = percent_encode(text, "");
  for (const char* const target : {"/token", "/v1/token", "/v1/oauthtoken"}) ask("POST", target, form, body);
  ask("POST", "/token", form, "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer&assertion=" + encoded);
  ask("POST", "/v1/token", form,
      "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&requested_token_type=urn:ietf:params:oauth:token-type:access_token&"
      "audience=c"
      "&subject_token_type=urn:ietf:params:aws:token-type:aws4_request&subject_token=" +
          encoded);
  ask("POST", "/v1/projects/-/serviceAccounts/a@b:generateAccessToken", json, body);
  ask("POST", "/v1/projects/example-proj:testIamPermissions", json, body);
  ask("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", json, body);
  require(ask("GET", "/latest/meta-data/placement/availability-zone", "", "", text) == 401);
  ask("GET", "/v2/projects/example-proj/locations/us-central2-b/nodes/n", "", "", text);
  ask("GET", "/api/v1/namespaces/default/pods", "", "", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size > 4096) return 0;
  run_sign_in(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
