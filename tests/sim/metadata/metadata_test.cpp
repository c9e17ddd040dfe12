// The metadata server: values, directories, recursion, long polls, refusals, tokens.
#include "sim/support.hpp"

namespace rollcall::sim {

TEST_CASE("a metadata value is answered as text with the server's headers") {
  const auto cloud = cloud_of(R"({"zone": "us-west4-a"})");
  const Reply reply = ask_metadata(*cloud, "instance/zone");
  CHECK(reply.status == 200);
  CHECK(reply.body == "projects/123456789012/zones/us-west4-a");
  CHECK(header(reply, "Content-Type") == "application/text");
  CHECK(header(reply, "Metadata-Flavor") == "Google");
  CHECK(header(reply, "Server") == "Metadata Server for VM");
  CHECK(header(reply, "ETag").size() == 16);
  CHECK(ask_metadata(*cloud, "project/numeric-project-id").body == "123456789012");
  CHECK(ask_metadata(*cloud, "project/project-id?alt=json").body == "\"example-proj\"");
  CHECK(ask_metadata(*cloud, "universe/universe-domain").body == "googleapis.com");
  CHECK(ask_metadata(*cloud, "instance/preempted").body == "FALSE");
}

TEST_CASE("the metadata server has the refusals of the real one") {
  const auto cloud = cloud_of("{}");
  Request plain = metadata_request("project/project-id");
  plain.headers.clear();
  const Reply refused = cloud->handle(plain, second(0));
  CHECK(refused.status == 403);
  CHECK(header(refused, "Metadata-Flavor") == "(absent)");
  CHECK(refused.body.find("Missing Metadata-Flavor:Google header.") != std::string::npos);
  Request proxied = metadata_request("project/project-id");
  proxied.headers.add("X-Forwarded-For", "10.0.0.1");
  CHECK(cloud->handle(proxied, second(0)).status == 403);
  Request older = plain;
  older.headers.add("X-Google-Metadata-Request", "True");
  CHECK(cloud->handle(older, second(0)).status == 200);
  Request root = metadata_request("/");
  root.headers.clear();
  CHECK(cloud->handle(root, second(0)).status == 200);
  CHECK(ask_metadata(*cloud, "instance/attributes/none").status == 404);
  CHECK(ask_metadata(*cloud, "instance/zone?alt=xml").status == 400);
  CHECK(ask_metadata(*cloud, "/elsewhere").status == 404);
}

TEST_CASE("directories are listed, and redirected to if the slash is missing") {
  const auto cloud =
      cloud_of(R"({"metadata": {"values": {"instance/attributes/b": "2", "instance/attributes/a": "1", "instance/zone": null}}})");
  CHECK(ask_metadata(*cloud, "").body == "instance/\noslogin/\nproject/\nuniverse/\n");
  CHECK(ask_metadata(*cloud, "instance/attributes/").body == "a\nb\n");
  CHECK(ask_metadata(*cloud, "instance/service-accounts/").body == "default/\ntpu-runner@example-proj.iam.gserviceaccount.com/\n");
  const Reply moved = ask_metadata(*cloud, "instance/attributes");
  CHECK(moved.status == 301);
  CHECK(header(moved, "Location") == "/computeMetadata/v1/instance/attributes/");
  CHECK(ask_metadata(*cloud, "/computeMetadata/v1").status == 301);
  CHECK(ask_metadata(*cloud, "instance/zone").status == 404);
}

TEST_CASE("recursive answers spell built-in keys in camel case and leave others alone") {
  const auto cloud = cloud_of(
      R"({"metadata": {"values": {"instance/attributes/tpu-env": "A: 'b'", "instance/network-interfaces/0/access-configs/0/external-ip": "203.0.113.1"}}})");
  const Reply reply = ask_metadata(*cloud, "instance/?recursive=true");
  CHECK(header(reply, "Content-Type") == "application/json");
  const auto tree = json_of(reply);
  CHECK(tree.at("attributes").at("tpu-env") == "A: 'b'");
  CHECK(text_of(tree.at("id")) == "7023846502938475612");
  CHECK(tree.at("machineType").is_string());
  CHECK(tree.at("preempted") == "FALSE");
  CHECK(tree.at("networkInterfaces").as_array()[0].at("accessConfigs").as_array()[0].at("externalIp") == "203.0.113.1");
  CHECK(text_of(tree.at("networkInterfaces").as_array()[0].at("forwardedIps")) == "[]");
  CHECK(text_of(tree.at("guestAttributes")) == "{}");
  const auto& account = tree.at("serviceAccounts").at("default").as_object();
  CHECK_FALSE(account.contains("token"));
  CHECK(text_of(account.at("scopes")) == R"(["https://www.googleapis.com/auth/cloud-platform"])");
  CHECK(json_of(ask_metadata(*cloud, "instance/service-accounts/default/?recursive=true")).at("aliases").as_array().size() == 1);
  CHECK(json_of(ask_metadata(*cloud, "instance/network-interfaces/?recursive=true")).is_array());
  CHECK(json_of(ask_metadata(*cloud, "instance/attributes/?recursive=true")).at("tpu-env") == "A: 'b'");
  CHECK(ask_metadata(*cloud, "project/?recursive=true&alt=text").body == "numeric-project-id 123456789012\nproject-id example-proj\n");
  CHECK(text_of(json_of(ask_metadata(*cloud, "?recursive=true")).at("project")) ==
        R"({"attributes":{},"numericProjectId":123456789012,"projectId":"example-proj"})");
}

TEST_CASE("wait_for_change holds the answer until the value differs or time is up") {
  const auto cloud = cloud_of(
      R"({"metadata": {"values": {"instance/preempted": {"timeline": [{"at": 0, "value": "FALSE"}, {"at": 30, "value": "TRUE"}]}}}})");
  Request request = metadata_request("instance/preempted?wait_for_change=true&timeout_sec=60");
  const Reply first = cloud->handle(request, second(1));
  REQUIRE(first.hold);
  CHECK(first.hold->ask_again == second(30));
  request.held = first.hold;
  CHECK(cloud->handle(request, second(20)).hold);
  const Reply changed = cloud->handle(request, second(30));
  CHECK_FALSE(changed.hold);
  CHECK(changed.body == "TRUE");
  CHECK(cloud->counts().at("metadata instance/preempted") == 1);

  const std::string etag = header(changed, "ETag");
  Request again = metadata_request("instance/preempted?wait_for_change=true&timeout_sec=5&last_etag=" + etag);
  const Reply held = cloud->handle(again, second(40));
  REQUIRE(held.hold);
  CHECK(held.hold->ask_again == second(45));
  again.held = held.hold;
  const Reply unchanged = cloud->handle(again, second(45));
  CHECK(unchanged.status == 200);
  CHECK(header(unchanged, "ETag") == etag);
  CHECK_FALSE(ask_metadata(*cloud, "instance/preempted?wait_for_change=true&last_etag=0", 50).hold);
  CHECK(ask_metadata(*cloud, "instance/preempted?wait_for_change=true&timeout_sec=x", 50).status == 400);

  int reported = 0;
  const auto subscription = cloud->subscribe([&reported] { ++reported; });
  Request all = metadata_request("instance/?recursive=true&wait_for_change=true");
  const Reply waiting = cloud->handle(all, second(50));
  REQUIRE(waiting.hold);
  CHECK(waiting.hold->ask_again == SteadyTime::max());
  cloud->set_metadata("instance/maintenance-event", "TERMINATE_ON_HOST_MAINTENANCE");
  CHECK(reported == 1);
  all.held = waiting.hold;
  CHECK(json_of(cloud->handle(all, second(51))).at("maintenanceEvent") == "TERMINATE_ON_HOST_MAINTENANCE");
}

TEST_CASE("tokens count down, are renewed late, and expire") {
  const auto cloud = cloud_of(R"({"token": {"lifetime": 1000}, "nodes": [{"name": "n"}]})");
  const auto token = [&](double at) { return json_of(ask_metadata(*cloud, "instance/service-accounts/default/token", at)); };
  CHECK(text_of(token(0)) == R"({"access_token":"ya29.sim-1","expires_in":1000,"token_type":"Bearer"})");
  CHECK(token(699.5).at("expires_in") == 300);
  CHECK(token(699.5).at("access_token") == "ya29.sim-1");
  CHECK(token(700).at("access_token") == "ya29.sim-2");
  CHECK(token(700).at("expires_in") == 1000);
  CHECK(cloud->counts().at("token") == 5);
  CHECK(cloud->handle(api_request(nodes_path("/n"), "ya29.sim-1"), second(999)).status == 200);
  const Reply late = cloud->handle(api_request(nodes_path("/n"), "ya29.sim-1"), second(1000));
  CHECK(late.status == 401);
  CHECK(late.body.find("ACCESS_TOKEN_EXPIRED") != std::string::npos);
  CHECK(header(late, "WWW-Authenticate") == "Bearer realm=\"https://accounts.google.com/\", error=\"invalid_token\"");
  CHECK(ask_metadata(*cloud, "instance/service-accounts/default/identity").status == 400);
  CHECK(ask_metadata(*cloud, "instance/service-accounts/default/identity?audience=https://x").body.starts_with("eyJ"));
  CHECK(json_of(ask_metadata(*cloud_of(R"({"token": {"age": 3590}})"), "instance/service-accounts/default/token")).at("expires_in") == 9);
}

TEST_CASE("a TPU worker's metadata follows from its node") {
  const auto cloud = cloud_of(
      R"({"nodes": [{"name": "t", "accelerator_type": "v4-32", "endpoints": {"base": "10.130.0.26"}}], "metadata": {"tpu_worker": {"node": "t", "worker": 2}}})");
  CHECK(ask_metadata(*cloud, "instance/attributes/agent-worker-number").body == "2");
  CHECK(ask_metadata(*cloud, "instance/network-interfaces/0/ip").body == "10.130.0.28");
  CHECK(ask_metadata(*cloud, "instance/attributes/worker-network-endpoints")
            .body.starts_with("t-w-0:12345:10.130.0.26,t-w-1:12346:10.130.0.27,"));
  const std::string env = ask_metadata(*cloud, "instance/attributes/tpu-env").body;
  CHECK(env.find("ACCELERATOR_TYPE: 'v4-32'\nCHIPS_PER_HOST_BOUNDS: '2,2,1'\n") == 0);
  CHECK(env.find("\nWORKER_ID: '2'\nZONE: 'us-central2-b'") != std::string::npos);
}

TEST_CASE("guest attributes can be written") {
  const auto cloud = cloud_of("{}");
  Request put = metadata_request("instance/guest-attributes/ns/key");
  put.method = "PUT";
  put.body = "value";
  CHECK(cloud->handle(put, second(0)).status == 200);
  CHECK(ask_metadata(*cloud, "instance/guest-attributes/ns/key").body == "value");
  put.method = "DELETE";
  cloud->handle(put, second(0));
  CHECK(ask_metadata(*cloud, "instance/guest-attributes/ns/key").status == 404);
  Request zone = metadata_request("instance/zone");
  zone.method = "PUT";
  CHECK(cloud->handle(zone, second(0)).status == 405);
}

TEST_CASE("a file may disable the metadata server") {
  CHECK(ask_metadata(*cloud_of(R"({"metadata": false})"), "instance/zone").fault.kind == FaultKind::refuse);
}

}  // namespace rollcall::sim
