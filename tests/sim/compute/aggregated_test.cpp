// Compute Engine's aggregated list of instance groups.
#include "sim/support.hpp"

namespace rollcall::sim {

namespace {

Reply ask_groups(Cloud& cloud, const std::string& query) {
  Request request = api_request("/compute/v1/projects/example-proj/aggregated/instanceGroups" + query);
  request.host = "compute.googleapis.com";
  return cloud.handle(request, second(0));
}

}  // namespace

TEST_CASE("groups of all zones and regions, by place") {
  const auto cloud = cloud_of(R"({"zone": "us-central2-b", "zones": ["us-west4-a"], "compute": {"groups": [
    {"name": "a", "instances": []}, {"name": "b", "instances": []}, {"name": "r", "region": "us-west4", "instances": []}]}})");
  const auto all = json_of(ask_groups(*cloud, ""));
  CHECK(all.at("kind") == "compute#instanceGroupAggregatedList");
  const auto& items = all.at("items").as_object();
  CHECK(items.size() == 4);
  CHECK(items.at("zones/us-central2-b").at("instanceGroups").as_array().size() == 2);
  CHECK(items.at("regions/us-west4").at("instanceGroups").at(0).at("name") == "r");
  CHECK(items.at("zones/us-west4-a").at("warning").at("code") == "NO_RESULTS_ON_PAGE");
  CHECK(ask_groups(*cloud, "?includeAllScopes=true&serviceProjectNumber=1").status == 200);
  Request zonal = api_request("/compute/v1/projects/example-proj/zones/us-west4-a/instanceGroups?includeAllScopes=true");
  zonal.host = "compute.googleapis.com";
  CHECK(cloud->handle(zonal, second(0)).status == 400);
  const auto first = json_of(ask_groups(*cloud, "?maxResults=1&fields=items/*/instanceGroups(name),nextPageToken"));
  CHECK(text_of(first.at("items").at("zones/us-central2-b")) == "{}");  // regions come before zones
  CHECK(text_of(first.at("items").at("regions/us-west4").at("instanceGroups")) == R"([{"name":"r"}])");
}

TEST_CASE("an aggregated list reports unreachable zones, or is refused") {
  const auto cloud = cloud_of(
      R"({"unreachable_zones": ["us-east1-d"], "compute": {"groups": [{"name": "a", "instances": []}, {"name": "x", "zone": "us-east1-d"}]}})");
  CHECK(ask_groups(*cloud, "").status == 503);
  const auto partial = json_of(ask_groups(*cloud, "?returnPartialSuccess=true"));
  CHECK(partial.at("items").at("zones/us-east1-d").at("warning").at("code") == "UNREACHABLE");
  CHECK_FALSE(partial.at("items").at("zones/us-east1-d").as_object().contains("instanceGroups"));
  CHECK(ask_groups(*cloud, "?returnPartialSuccess=true&filter=nonsense((").status == 400);
  CHECK(cloud->counts().at("instanceGroups.aggregatedList") == 3);
}

}  // namespace rollcall::sim
