// Impersonation of a service account, missing permissions, reviews of access, and the keys of a machine of AWS.
#include "sim/sign_in_support.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view accounts = R"({"api": {"tokens": []}, "sign_in": {"missing_permissions": ["tpu.nodes.list"],
  "users": [{"name": "ada@example.com", "refresh_token": "ada"}, {"name": "bob@example.com", "refresh_token": "bob", "missing_permissions": ["tpu.nodes.get"]}],
  "service_accounts": [{"email": "launcher@p", "actors": ["ada@example.com"], "missing_permissions": []}, {"email": "deep@p", "actors": ["launcher@p"]}]},
  "nodes": [{"name": "n"}], "compute": {"instances": [{"name": "i"}]}, "kubernetes": {"namespace": "train", "users": [
    {"name": "ada@example.com", "rules": [{"namespaces": ["train"], "verbs": ["get", "list"]}]}, {"name": "admin", "token": "admin"}]}})";

std::string token_of(Cloud& cloud, const std::string& user) {
  return token_in(ask_oauth(cloud, "grant_type=refresh_token&refresh_token=" + user));
}

Reply act_as(Cloud& cloud, const std::string& account, const std::string& token,
             const std::string& body = R"({"scope": ["x"], "delegates": [], "lifetime": "1800s"})") {
  return cloud.handle(
      json_question("iamcredentials.googleapis.com", "/v1/projects/-/serviceAccounts/" + account + ":generateAccessToken", body, token),
      second(0));
}

std::string granted(Cloud& cloud, const std::string& token) {
  const std::string body = R"({"permissions": ["tpu.nodes.get", "tpu.nodes.list"]})";
  const Reply reply = cloud.handle(
      json_question("cloudresourcemanager.googleapis.com", "/v1/projects/example-proj:testIamPermissions", body, token), second(0));
  REQUIRE(reply.status == 200);
  return text_of(json_of(reply));
}

Reply review(Cloud& cloud, const std::string& token, const std::string& attributes) {
  return cloud.handle(json_question("127.0.0.1:6443", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                                    R"({"kind": "SelfSubjectAccessReview", "spec": {)" + attributes + "}}", token),
                      second(0));
}

}  // namespace

TEST_CASE("sign-in: callers that may impersonate a service account get its token") {
  const auto cloud = cloud_of(accounts);
  const Reply reply = act_as(*cloud, "launcher@p", token_of(*cloud, "ada"));
  REQUIRE(reply.status == 200);
  CHECK(json_of(reply).at("expireTime") == "2026-01-01T00:30:00Z");
  const std::string token(json_of(reply).at("accessToken").as_string());
  CHECK(cloud->handle(api_request(nodes_path(), token), second(1799)).status == 200);
  CHECK(cloud->handle(api_request(nodes_path(), token), second(1800)).status == 401);
  const Reply refused = act_as(*cloud, "launcher@p", token_of(*cloud, "bob"));
  CHECK(refused.status == 403);
  CHECK(text_of(json_of(refused)).find("iam.serviceAccounts.getAccessToken") != std::string::npos);
  CHECK(act_as(*cloud, "nobody@p", token_of(*cloud, "ada")).status == 403);
  CHECK(act_as(*cloud, "launcher@p", "another").status == 401);
}

TEST_CASE("sign-in: each delegate may impersonate the next") {
  const auto cloud = cloud_of(accounts);
  const std::string ada = token_of(*cloud, "ada");
  CHECK(act_as(*cloud, "deep@p", ada).status == 403);
  CHECK(act_as(*cloud, "deep@p", ada, R"({"scope": ["x"], "delegates": ["projects/-/serviceAccounts/launcher@p"]})").status == 200);
}

TEST_CASE("sign-in: requests to IAM are validated before they are answered") {
  const auto cloud = cloud_of(accounts);
  const std::string ada = token_of(*cloud, "ada");
  for (const std::string body : {"", "[]", "{", "{}", R"({"scope": [1]})", R"({"scope": ["x"], "lifetime": "0s"})",
                                 R"({"scope": ["x"], "lifetime": "43201s"})", R"({"scope": ["x"], "delegates": "a"})"}) {
    INFO(body);
    CHECK(act_as(*cloud, "launcher@p", ada, body).status == 400);
  }
  CHECK(act_as(*cloud, "launcher@p", ada, "{\"scope\": [\"" + std::string(70'000, 'x') + "\"]}").status == 400);
  CHECK(act_as(*cloud, "launcher@p", ada, std::string(60'000, '[')).status == 400);
}

TEST_CASE("sign-in: missing permissions are neither reported nor usable") {
  const auto cloud = cloud_of(accounts);
  const std::string ada = token_of(*cloud, "ada");
  const std::string bob = token_of(*cloud, "bob");
  CHECK(granted(*cloud, ada) == R"({"permissions":["tpu.nodes.get"]})");
  CHECK(granted(*cloud, bob) == R"({"permissions":["tpu.nodes.list"]})");
  CHECK(cloud->handle(api_request(nodes_path("/n"), ada), second(0)).status == 200);
  const Reply refused = cloud->handle(api_request(nodes_path(), ada), second(0));
  CHECK(refused.status == 403);
  CHECK(json_of(refused).at("error").at("message") ==
        "Permission 'tpu.nodes.list' denied on resource 'projects/example-proj/locations/us-central2-b/nodes' (or it may not exist).");
  CHECK(cloud->handle(api_request(nodes_path("/n"), bob), second(0)).status == 403);
  const auto closed = cloud_of(R"({"sign_in": {"missing_permissions": ["compute.instances.get", "tpu.nodes.get", "tpu.nodes.list"]}})");
  CHECK(granted(*closed, "any") == "{}");
  const std::string instance = "/compute/v1/projects/example-proj/zones/us-central2-b/instances/i";
  CHECK(closed->handle(https_request("compute.googleapis.com", instance, "any"), second(0)).status == 403);
}

TEST_CASE("sign-in: other projects and other calls of IAM") {
  const auto cloud = cloud_of("{}");
  const auto status = [&](const std::string& host, const std::string& target, const std::string& body) {
    return cloud->handle(json_question(host, target, body, "any"), second(0)).status;
  };
  const std::string manager = "cloudresourcemanager.googleapis.com";
  CHECK(status(manager, "/v1/projects/other:testIamPermissions", R"({"permissions": []})") == 403);
  CHECK(status(manager, "/v1/projects/example-proj:testIamPermissions", R"({"permissions": 1})") == 400);
  CHECK(status(manager, "/v1/projects/example-proj:getIamPolicy", "{}") == 501);
  CHECK(status(manager, "/v2/projects/example-proj:testIamPermissions", "{}") == 404);
  CHECK(status("localhost:1", "/v1/projects/example-proj:testIamPermissions", R"({"permissions": []})") == 200);
}

TEST_CASE("sign-in: a cluster knows the identity of a token, and reviews its rights") {
  const auto cloud = cloud_of(accounts);
  const std::string ada = token_of(*cloud, "ada");
  const auto pods = [&](const std::string& token) {
    return cloud->handle(https_request("127.0.0.1:6443", "/api/v1/namespaces/train/pods", token), second(0)).status;
  };
  CHECK(pods(ada) == 200);
  CHECK(pods(token_of(*cloud, "bob")) == 403);
  CHECK(pods("another") == 401);
  const Reply allowed = review(*cloud, ada, R"("resourceAttributes": {"resource": "pods", "verb": "list", "namespace": "train"})");
  CHECK(allowed.status == 201);
  CHECK(json_of(allowed).at("status").at("allowed") == true);
  CHECK(json_of(allowed).at("kind") == "SelfSubjectAccessReview");
  for (const std::string verb : {"watch", "delete"}) {
    const Reply denied =
        review(*cloud, ada, R"("resourceAttributes": {"resource": "pods", "verb": ")" + verb + R"(", "namespace": "train"})");
    CHECK(json_of(denied).at("status").at("allowed") == false);
  }
  CHECK(json_of(review(*cloud, ada, R"("resourceAttributes": {"resource": "pods", "verb": "list"})")).at("status").at("allowed") == false);
  CHECK(json_of(review(*cloud, "admin", R"("resourceAttributes": {"resource": "pods", "verb": "list"})")).at("status").at("allowed") ==
        true);
  const auto rules = [&cloud](const std::string& token, const std::string& namespace_name) {
    return cloud->handle(json_question("127.0.0.1:6443", "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
                                       R"({"kind": "SelfSubjectRulesReview", "spec": {"namespace": ")" + namespace_name + R"("}})", token),
                         second(0));
  };
  const Reply own = rules(ada, "train");
  CHECK(own.status == 201);
  CHECK(json_of(own).at("status").at("resourceRules").at(0).at("verbs").as_array().size() == 2);
  CHECK(json_of(rules(ada, "other")).at("status").at("resourceRules").as_array().empty());
  CHECK(json_of(rules("admin", "train")).at("status").at("resourceRules").at(0).at("verbs").at(0) == "*");
  CHECK(rules(ada, "").status == 400);
  CHECK(review(*cloud, ada, "").status == 422);
  CHECK(review(*cloud, "", R"("resourceAttributes": {})").status == 403);
  const Reply self =
      cloud->handle(json_question("127.0.0.1:6443", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", ada), second(0));
  CHECK(json_of(self).at("status").at("userInfo").at("username") == "ada@example.com");
  Request broken = json_question("127.0.0.1:6443", "/apis/authentication.k8s.io/v1/selfsubjectreviews", "[", ada);
  CHECK(cloud->handle(broken, second(0)).status == 400);
  for (const std::string path : {"/api/v1/selfsubjectreviews", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"}) {
    CHECK(cloud->handle(https_request("127.0.0.1:6443", path, "admin"), second(0)).status == 404);
  }
  broken.headers.set("Content-Type", "application/vnd.kubernetes.protobuf");
  CHECK(cloud->handle(broken, second(0)).status == 415);
}

TEST_CASE("sign-in: a machine of AWS gives its role's keys to clients with a session") {
  const auto cloud = cloud_of(R"({"sign_in": {"aws": {"role": "trainer", "zone": "eu-west-1c", "access_key_id": "AKIAX"}}})");
  const auto ask = [&](const std::string& method, const std::string& path, const std::string& session, double at = 0,
                       const std::string& lifetime = "") {
    Request request;
    request.method = method;
    request.host = "169.254.169.254";
    request.target = "/latest/" + path;
    if (!session.empty()) request.headers.add("X-aws-ec2-metadata-token", session);
    if (!lifetime.empty()) request.headers.add("X-aws-ec2-metadata-token-ttl-seconds", lifetime);
    return cloud->handle(request, second(at));
  };
  CHECK(ask("PUT", "api/token", "").status == 400);
  CHECK(ask("PUT", "api/token", "", 0, "21601").status == 400);
  CHECK(ask("GET", "api/token", "", 0, "300").status == 405);
  const std::string session = ask("PUT", "api/token", "", 0, "300").body;
  const std::string zone = "meta-data/placement/availability-zone";
  CHECK(ask("GET", zone, "").status == 401);
  CHECK(ask("GET", zone, session + "0").status == 401);
  CHECK(ask("GET", zone, session, 299).body == "eu-west-1c");
  CHECK(ask("GET", zone, session, 300).status == 401);
  CHECK(ask("GET", "meta-data/iam/security-credentials/", session).body == "trainer");
  CHECK(json_of(ask("GET", "meta-data/iam/security-credentials/trainer", session)).at("AccessKeyId") == "AKIAX");
  CHECK(ask("GET", "meta-data/iam/security-credentials/other", session).status == 404);
  CHECK(ask("GET", "user-data", session).status == 404);
  CHECK(ask_metadata(*cloud_of("{}"), "/latest/api/token").status == 404);
}

}  // namespace rollcall::sim
