// The Cloud TPU API except for the nodes: errors, masks, catalogs, discovery.
#include "sim/support.hpp"
#include "sim/wire/field_mask.hpp"

namespace rollcall::sim {

namespace {
const char* const one_node =
    R"({"nodes": [{"name": "n", "accelerator_type": "v4-16", "labels": {"team": "x"}}], "api": {"tokens": ["good"]}})";
std::string error_text(const Reply& reply, std::string_view field) { return std::string(json_of(reply).at("error").at(field).as_string()); }
}  // namespace

TEST_CASE("the tokens of the metadata server are always accepted; others if listed, or if there is no list") {
  const auto status_for = [](const char* tokens, const std::string& token) {
    const auto cloud = cloud_of(std::string(R"({"nodes": [{"name": "n"}], "api": {)") + tokens + "}}");
    const std::string issued(json_of(ask_metadata(*cloud, "instance/service-accounts/default/token")).at("access_token").as_string());
    return cloud->handle(api_request(nodes_path("/n"), token == "issued" ? issued : token), second(0)).status;
  };
  CHECK(status_for("", "any") == 200);
  CHECK(status_for(R"("tokens": ["good"])", "good") == 200);
  CHECK(status_for(R"("tokens": ["good"])", "any") == 401);
  CHECK(status_for(R"("tokens": [])", "any") == 401);
  CHECK(status_for(R"("tokens": [])", "issued") == 200);
}

TEST_CASE("errors have the form of the real ones") {
  const auto cloud = cloud_of(one_node);
  const auto ask = [&](const std::string& target, const std::string& token) {
    return cloud->handle(api_request(target, token), second(0));
  };
  const Reply missing = ask(nodes_path("/z"), "good");
  CHECK(missing.status == 404);
  CHECK(error_text(missing, "message") == "Resource 'projects/example-proj/locations/us-central2-b/nodes/z' was not found");
  CHECK(error_text(missing, "status") == "NOT_FOUND");
  CHECK(json_of(missing).at("error").at("details").as_array()[0].at("resourceName") ==
        "projects/example-proj/locations/us-central2-b/nodes/z");

  const Reply anonymous = ask(nodes_path("/n"), "");
  CHECK(anonymous.status == 401);
  CHECK(header(anonymous, "WWW-Authenticate") == "Bearer realm=\"https://accounts.google.com/\"");
  CHECK(json_of(anonymous).at("error").at("details").as_array()[0].at("reason") == "CREDENTIALS_MISSING");
  CHECK(json_of(anonymous).at("error").at("details").as_array()[0].at("metadata").at("method") == "google.cloud.tpu.v2.Tpu.GetNode");
  CHECK(ask(nodes_path("/n"), "bad").status == 401);
  CHECK(ask(nodes_path("/n"), "good").status == 200);
  CHECK(ask(nodes_path("/n?access_token=good"), "").status == 200);

  const Reply foreign = ask("/v2/projects/other/locations/us-central2-b/nodes/n", "good");
  CHECK(foreign.status == 403);
  CHECK(error_text(foreign, "message") ==
        "Permission 'tpu.nodes.get' denied on resource 'projects/other/locations/us-central2-b/nodes/n' (or it may not exist).");

  const Reply page = ask("/v3/whatever<>", "good");
  CHECK(page.status == 404);
  CHECK(header(page, "Content-Type") == "text/html; charset=UTF-8");
  CHECK(page.body.find("/v3/whatever&lt;&gt;") != std::string::npos);
  const Reply unknown = ask(nodes_path("/n?foo=1"), "good");
  CHECK(unknown.status == 400);
  CHECK(error_text(unknown, "message").find("Unknown name \"foo\"") != std::string::npos);

  Request create = api_request(nodes_path("?nodeId=x"), "good");
  create.method = "POST";
  CHECK(cloud->handle(create, second(0)).status == 400);
  create.target = nodes_path();
  CHECK(cloud->handle(create, second(0)).status == 501);
  CHECK(cloud->counts().at("nodes.create") == 2);
  Request elsewhere = api_request(nodes_path("/n"), "good");
  elsewhere.host = "example.com";
  CHECK(cloud->handle(elsewhere, second(0)).status == 404);
  elsewhere.host = "localhost:1234";
  CHECK(cloud->handle(elsewhere, second(0)).status == 200);
  CHECK(ask_api(*cloud_of(R"({"api": {"authorization": "none"}, "nodes": [{"name": "n"}]})"), nodes_path("/n")).status == 200);
}

TEST_CASE("partial responses") {
  const auto cloud = cloud_of(R"({"nodes": [{"name": "n", "accelerator_type": "v4-16", "labels": {"team": "x", "b": "c"}}]})");
  const auto ask = [&](const std::string& fields) { return ask_api(*cloud, nodes_path("/n?prettyPrint=false&fields=" + fields)); };
  CHECK(ask("state,networkEndpoints(ipAddress)").body ==
        R"({"state":"READY","networkEndpoints":[{"ipAddress":"10.128.0.10"},{"ipAddress":"10.128.0.11"}]})");
  CHECK(ask("networkEndpoints/port%2Clabels/team").body == R"({"networkEndpoints":[{"port":8470},{"port":8470}],"labels":{"team":"x"}})");
  CHECK(json_of(ask("*")).as_object().size() == json_of(ask("")).as_object().size());
  const Reply unknown = ask("state,symptom");
  CHECK(unknown.status == 400);
  CHECK(unknown.body.find("Cannot find matching fields for path 'symptom'.") != std::string::npos);
  CHECK(ask("state(").status == 400);
  CHECK(ask("acceleratorConfig/topology").body == R"({"acceleratorConfig":{"topology":"2x2x2"}})");
  CHECK(ask_api(*cloud, nodes_path("/n?fields=acceleratorConfig", "v1")).status == 400);
  CHECK(ask_api(*cloud, nodes_path("?prettyPrint=false&fields=nextPageToken,unreachable,nodes(name,state)")).body ==
        R"({"nodes":[{"name":"projects/example-proj/locations/us-central2-b/nodes/n","state":"READY"}]})");
  CHECK(ask_api(*cloud, nodes_path("/n?alt=json&%24.xgafv=2&quotaUser=me")).status == 200);
}

TEST_CASE("field masks alone") {
  for (const char* bad : {"", ",", "a,", "a()", "a(b", "a)b", "/a", "a/", "a//b"}) CHECK_FALSE(FieldMask::parse(bad));
  CHECK_FALSE(FieldMask::parse(std::string(1000, '(')));
  CHECK(FieldMask::parse("a(b(c/d),e),f"));
  CHECK(FieldMask::parse("a/b")->first_unknown(*FieldMask::parse("a(c)")) == "a/b");
  CHECK(FieldMask::parse("a/b")->first_unknown(*FieldMask::parse("a")) == "a/b");
  CHECK_FALSE(FieldMask::parse("a/b")->first_unknown(*FieldMask::parse("a/*")));
}

TEST_CASE("catalogs and locations") {
  const auto cloud = cloud_of(R"({"accelerator_types": ["v4-128", "v4-8"], "zones": ["us-west4-a"]})");
  const std::string zone = "/v2/projects/example-proj/locations/us-central2-b";
  const auto types = json_of(ask_api(*cloud, zone + "/acceleratorTypes"));
  CHECK(
      text_of(types.at("acceleratorTypes").as_array()[1]) ==
      R"({"name":"projects/example-proj/locations/us-central2-b/acceleratorTypes/v4-8","type":"v4-8","acceleratorConfigs":[{"type":"V4","topology":"2x2x1"}]})");
  CHECK(ask_api(*cloud, zone + "/acceleratorTypes/v4-8").status == 200);
  CHECK(ask_api(*cloud, zone + "/acceleratorTypes/v9-8").status == 404);
  CHECK(json_of(ask_api(*cloud, zone + "/runtimeVersions?pageSize=2")).at("runtimeVersions").as_array().size() == 2);
  CHECK(ask_api(*cloud, "/v1/projects/example-proj/locations/z/tensorflowVersions").status == 200);
  CHECK(json_of(ask_api(*cloud, "/v2/projects/example-proj/locations")).at("locations").as_array().size() == 2);
  CHECK(json_of(ask_api(*cloud, zone)).at("locationId") == "us-central2-b");
  CHECK(ask_api(*cloud, zone + "/operations").body == "{}\n");
  CHECK(ask_api(*cloud, zone + "/operations/o").status == 404);
  CHECK(cloud->counts().at("acceleratorTypes.list") == 1);
}

TEST_CASE("the discovery document contains the address of its server") {
  const auto cloud = cloud_of("{}");
  Request request;
  request.host = "localhost:8080";
  request.target = "/$discovery/rest?version=v1";
  const auto document = json_of(cloud->handle(request, second(0)));
  CHECK(document.at("rootUrl") == "http://localhost:8080/");
  CHECK(document.at("resources")
            .at("projects")
            .at("resources")
            .at("locations")
            .at("resources")
            .at("nodes")
            .at("methods")
            .at("get")
            .at("path") == "v1/{+name}");
  // Google's generic Python client offers list_next() only if the answer's schema has a nextPageToken.
  for (const char* version : {"v1", "v2", "v2alpha1"}) {
    request.target = std::string("/$discovery/rest?version=") + version;
    const auto schemas = json_of(cloud->handle(request, second(0))).at("schemas");
    const auto& nodes = schemas.at("ListNodesResponse").at("properties");
    CHECK(nodes.at("nodes").at("items").at("$ref") == "Node");
    CHECK(nodes.at("nextPageToken").at("type") == "string");
    CHECK(schemas.as_object().contains("Node"));
    CHECK(schemas.at("ListLocationsResponse").at("properties").as_object().contains("locations"));
  }
  request.target = "/$discovery/rest?version=v9";
  CHECK(cloud->handle(request, second(0)).status == 404);
  request.host = "www.googleapis.com";
  request.is_https = true;
  request.target = "/discovery/v1/apis/tpu/v2/rest";
  CHECK(cloud->handle(request, second(0)).status == 200);
}

}  // namespace rollcall::sim
