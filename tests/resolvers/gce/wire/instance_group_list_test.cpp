// Lists of instance groups, of one place and of all.
#include "resolvers/gce/wire/instance_group_list.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"

using namespace rollcall;

namespace {

constexpr std::string_view aggregated =
    R"({"kind":"compute#instanceGroupAggregatedList","items":{"zones/us-central2-b":{"instanceGroups":[{"name":"a","size":3,)"
    R"("zone":"https://www.googleapis.com/compute/v1/projects/p/zones/us-central2-b","namedPorts":[{"name":"grpc","port":8470},{"name":"x","port":1}]}]},)"
    R"("regions/us-west4":{"instanceGroups":[{"name":"r","region":"projects/p/regions/us-west4"}]},)"
    R"("zones/us-west4-a":{"warning":{"code":"NO_RESULTS_ON_PAGE"}},"zones/us-east1-d":{"warning":{"code":"UNREACHABLE","message":"down"}}},)"
    R"("nextPageToken":"t"})";

template <class Parser>
Result<InstanceGroupListPage> read_groups(std::string_view text, std::size_t step = 7) {
  Parser parser;
  for (std::size_t at = 0; at < text.size(); at += step) {
    const Result<void> fed = parser.feed(text.substr(at, step));
    if (!fed) return fed.error();
  }
  const Result<void> ended = parser.finish();
  if (!ended) return ended.error();
  return parser.page();
}

template <class Parser = InstanceGroupListParser>
std::string refusal(std::string_view text) {
  const auto page = read_groups<Parser>(text);
  return page ? "accepted" : page.error().what();
}

}  // namespace

TEST_CASE("an aggregated list of groups, in any pieces") {
  for (std::size_t step = 1; step < 50; ++step) {
    const Result<InstanceGroupListPage> page = read_groups<AggregatedGroupsParser>(aggregated, step);
    REQUIRE(page.has_value());
    REQUIRE(page->groups.size() == 2);
    CHECK(page->groups[0].name == "a");
    CHECK(page->groups[0].zone == "us-central2-b");
    CHECK(page->groups[0].size == 3);
    CHECK(page->groups[0].first_named_port == "grpc");
    CHECK(page->groups[1].region == "us-west4");
    CHECK(page->groups[1].zone.empty());
    CHECK(page->next_page_token == "t");
    REQUIRE(page->warnings.size() == 1);
    CHECK(page->warnings[0].code == "UNREACHABLE");
  }
}

TEST_CASE("a list of one zone's groups; an empty one") {
  const auto page =
      read_groups<InstanceGroupListParser>(R"({"items":[{"name":"a"},{"name":"b","size":1}],"warning":{"code":"UNREACHABLE"}})");
  REQUIRE(page.has_value());
  CHECK(page->groups.size() == 2);
  CHECK(page->warnings.size() == 1);
  CHECK(read_groups<InstanceGroupListParser>("{}")->groups.empty());
  CHECK(read_groups<AggregatedGroupsParser>(R"({"items":{}})")->groups.empty());
}

TEST_CASE("groups that cannot be are refused") {
  CHECK_THAT(refusal(R"({"items":[{"name":"a/b"}]})"), Catch::Contains("items[0].name is 'a/b', not the name of a group"));
  CHECK_THAT(refusal(R"({"items":[{}]})"), Catch::Contains("has no name"));
  CHECK_THAT(refusal(R"({"items":[{"name":"a","size":-1}]})"), Catch::Contains("size is -1, not a size"));
  CHECK_THAT(refusal(R"({"items":[{"name":"a","zone":"zones/a b"}]})"), Catch::Contains("ends in 'a b', not a place"));
  CHECK_THAT(refusal(R"({"items":{}})"), Catch::Contains("items is an object, not an array"));
  CHECK_THAT(refusal<AggregatedGroupsParser>(R"({"items":[]})"), Catch::Contains("items is an array, not an object"));
  CHECK_THAT(refusal<AggregatedGroupsParser>(R"({"items":{"zones/z":[]}})"), Catch::Contains("items.* is an array, not an object"));
  CHECK_THAT(refusal("<html>"), Catch::Contains("HTML"));
}
