// Scalar metadata values.
#include "google/wire/metadata_value.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("metadata values are trimmed") {
  CHECK(*parse_metadata_value("instance/name", " n \r\n") == "n");
  CHECK(parse_metadata_value("instance/name", "")->empty());
  CHECK(*parse_metadata_zone(read_sample("metadata/zone.txt")) == "us-central2-b");
  CHECK(*parse_metadata_zone("projects/test-project/locations/us-central1-c\n") == "us-central1-c");
  CHECK(*parse_metadata_zone("us-central1-c") == "us-central1-c");
  CHECK(*parse_metadata_project(read_sample("metadata/project-id.txt")) == "example-proj");
  CHECK(*parse_metadata_project("example.com:proj") == "example.com:proj");
}

TEST_CASE("invalid metadata values are refused") {
  const auto check = [](const Result<std::string>& value, const std::string& text) {
    check_failure(value, Errc::malformed_response, text);
    CHECK(value.error().what().find('\x1b') == std::string::npos);
  };
  check(parse_metadata_value("instance/name", "<html>"), "an HTML page");
  check(parse_metadata_value("instance/name", "a\nb"), "instance/name contains control characters");
  check(parse_metadata_value("instance/name", std::string(5000, 'x')), "5000 bytes");
  check(parse_metadata_zone(""), "instance/zone is empty");
  check(parse_metadata_zone("projects/1/zones/"), "is empty");
  check(parse_metadata_zone("projects/1/zones/a b"), "'a b'");
  check(parse_metadata_zone("projects/1/zones/a\x1b[2J"), "control");
  check(parse_metadata_zone("projects/1/zones/a?b"), "instance/zone is");
  check(parse_metadata_zone(".."), "instance/zone is");
  check(parse_metadata_project(""), "project/project-id is empty");
  check(parse_metadata_project("a/b"), "project/project-id is");
  check(parse_metadata_project(".."), "project/project-id is");
  check(parse_metadata_project(std::string(200, 'p')), "project/project-id is");
}
