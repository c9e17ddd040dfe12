// Regions and zones by their form.
#include "call/rules/place_form.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

TEST_CASE("a region and a zone differ by their form") {
  for (const char* region : {"us-central1", "europe-west12", "northamerica-northeast1", "me-central2", "u-germany-northeast1"}) {
    CAPTURE(region);
    CHECK(has_form_of_region(region));
    CHECK_FALSE(has_form_of_zone(region));
    CHECK_FALSE(zone_fault(region).empty());
  }
  for (const char* zone : {"us-central1-a", "us-central1-ai1a", "europe-west12-b", "u-germany-northeast1-c"}) {
    CAPTURE(zone);
    CHECK(has_form_of_zone(zone));
    CHECK_FALSE(has_form_of_region(zone));
    CHECK(zone_fault(zone).empty());
  }
  for (const char* other :
       {"", "-", "z", "global", "central1", "us-central", "us-1", "us_central1", "US-CENTRAL1", "us-central1-", "1-a1"}) {
    CAPTURE(other);
    CHECK_FALSE(has_form_of_region(other));
    CHECK(zone_fault(other).empty());
  }
}

TEST_CASE("places in the path of a request") {
  CHECK(
      place_fault_in("/v2/projects/p/locations/us-central1/nodes/n?x=/zones/us-east1").starts_with("us-central1 is a region, not a zone"));
  CHECK(place_fault_in("/compute/v1/projects/p/zones/us-central1/instanceGroups/g").find("us-central1-a") != std::string::npos);
  CHECK(place_fault_in("/compute/v1/projects/p/regions/us-central1-a/instanceGroups/g") ==
        "us-central1-a is a zone, not a region: the region is us-central1");
  for (const char* fine :
       {"/v2/projects/p/locations/us-central1-a/nodes/n", "/v1/projects/us-central1/zones/z/x", "/locations/-/nodes", "", "/zones"})
    CHECK(place_fault_in(fine).empty());
}
