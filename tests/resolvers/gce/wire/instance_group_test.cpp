// Pages of the members of an instance group, and lists of groups, of one place and of all.
#include "resolvers/gce/wire/instance_group.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

InstanceGroupPage group_page(const std::string& json) { return value_of(parse_instance_group(json)); }

void check_group_refused(const std::string& json, Errc code, const std::string& text) {
  const Result<InstanceGroupPage> page = parse_instance_group(json);
  INFO(json.substr(0, 200));
  check_failure(page, code, text);
  CHECK_THAT(page.error().what(), Catch::Contains("the list of the group's instances"));
}

std::string item(const std::string& fields) { return R"({"items":[{"instance":"zones/z/instances/a"},{)" + fields + "}]}"; }

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

TEST_CASE("a page of an instance group") {
  const InstanceGroupPage page = group_page(read_sample("compute/list-instances.page1.json"));
  REQUIRE(page.members.size() == 2);
  CHECK(page.members[1].name == "worker-1");
  CHECK(page.members[1].zone == "us-central1-a");
  CHECK(page.members[1].status == "RUNNING");
  CHECK(page.members[1].named_ports == std::vector<std::pair<std::string, std::string>>{{"tf", "8470"}});
  CHECK(page.next_page_token == "CmEKDhIMdXMtY2VudHJhbDEtYQ-example==");
  CHECK(page.warning.empty());
  CHECK(group_page(read_sample("compute/list-instances.page2.json")).next_page_token.empty());
}

TEST_CASE("an empty group has no items at all") {
  CHECK(group_page(read_sample("compute/list-instances.empty.json")).members.empty());
  CHECK(group_page("{}").members.empty());
  CHECK(group_page(R"({"items":[]})").members.empty());
  CHECK(group_page(R"({"items":null,"nextPageToken":null,"warning":null})") == InstanceGroupPage());
}

TEST_CASE("an instance's URL may be any tail of the whole") {
  const InstanceGroupPage page = group_page(
      R"({"items":[{"instance":"a"},{"instance":"zones/z/instances/b"},{"instance":"https://h/compute/v1/projects/p/zones/y/instances/c"},
                   {"instance":"projects/xzones/q/instances/d","namedPorts":null,"status":null}]})");
  REQUIRE(page.members.size() == 4);
  CHECK(page.members[0].zone.empty());
  CHECK(page.members[1].zone == "z");
  CHECK(page.members[2].zone == "y");
  CHECK(page.members[2].name == "c");
  CHECK(page.members[3].zone.empty());
}

TEST_CASE("a warning names the missing resources") {
  const InstanceGroupPage page = group_page(read_sample("compute/list-instances.partial-warning.json"));
  CHECK(page.members.size() == 1);
  CHECK(page.warning.is_serious());
  CHECK(page.warning.describe() == "UNREACHABLE: The zone is currently unreachable. (scope zones/us-central1-a)");
  CHECK_FALSE(group_page(R"({"warning":{"code":"NO_RESULTS_ON_PAGE","message":"x"}})").warning.is_serious());
  CHECK_FALSE(group_page(R"({"warning":{"code":"DEPRECATED_RESOURCE_USED"}})").warning.is_serious());
  CHECK_FALSE(group_page(R"({"warning":{"code":"EXPERIMENTAL_TYPE_USED","message":"x","data":[{"key":"k"}]}})").warning.is_serious());
  for (const char* const code :
       {"UNREACHABLE", "PARTIAL_SUCCESS", "CLEANUP_FAILED", "MISSING_TYPE_DEPENDENCY", "NEW_ONE", "no_results_on_page"})
    CHECK(group_page(std::string(R"({"warning":{"code":")") + code + R"("}})").warning.is_serious());
  CHECK(group_page(R"({"warning":{"message":"x"}})").warning.is_serious());
  CHECK(group_page(R"({"warning":{"code":"\u001b[2J"}})").warning.describe().find('\x1b') == std::string::npos);
  std::string many = R"({"warning":{"code":"X","data":[)";
  for (int i = 0; i < 1000; ++i) many += R"({"key":"k","value":"v"},)";
  many.back() = ']';
  CHECK_THAT(group_page(many + "}}").warning.describe(), Catch::EndsWith("and 992 more)"));
}

TEST_CASE("of a repeated key the last counts") {
  const InstanceGroupPage page = group_page(
      R"({"items":[{"instance":"a"}],"items":[{"instance":"x","instance":"b","namedPorts":[{"name":"p","port":1}],"namedPorts":[]}],
          "warning":{"code":"A","data":[{}]},"warning":{"code":"B"}})");
  REQUIRE(page.members.size() == 1);
  CHECK(page.members[0].name == "b");
  CHECK(page.members[0].named_ports.empty());
  CHECK(page.warning.code == "B");
  CHECK(page.warning.data.empty());
}

TEST_CASE("a named port is a whole number or the same as text, and checked only by its user") {
  for (const std::string port : {"8470", "0", "-1", "65536", "9223372036854775807"}) {
    for (const std::string& form : {port, '"' + port + '"'}) {
      const InstanceGroupPage page = group_page(item(R"("instance":"a","namedPorts":[{"name":"tf","port":)" + form + "}]"));
      CHECK(page.members[1].named_ports.front().second == port);
    }
  }
}

TEST_CASE("every field of a group's page, missing and of the wrong type") {
  const auto bad = Errc::malformed_response;
  check_group_refused("", bad, "empty");
  check_group_refused("[]", bad, "the document is an array, not an object");
  check_group_refused("7", bad, "the document is a number, not an object");
  check_group_refused("null", bad, "the document is null, not an object");
  check_group_refused(read_sample("errors/google.502.html"), bad, "an HTML page");
  check_group_refused("{} x", bad, "not JSON");
  check_group_refused(R"({"items":{}})", bad, "items is an object, not an array");
  check_group_refused(R"({"items":"x"})", bad, "items is a text, not an array");
  check_group_refused(R"({"items":[null]})", bad, "items[0] is null, not an object");
  check_group_refused(R"({"items":[{"instance":"a"},7]})", bad, "items[1] is a number, not an object");
  check_group_refused(R"({"items":[{"instance":"a"},[]]})", bad, "items[1] is an array, not an object");
  check_group_refused(item(R"("status":"RUNNING")"), bad, "items[1] has no instance");
  check_group_refused(item(R"("instance":null)"), bad, "items[1] has no instance");
  check_group_refused(item(R"("instance":7)"), bad, "items[1].instance is a number, not a text");
  check_group_refused(item(R"("instance":{})"), bad, "items[1].instance is an object, not a text");
  check_group_refused(item(R"("instance":"zones/z/instances/")"), bad,
                      "items[1].instance is 'zones/z/instances/', not the URL of an instance");
  check_group_refused(item(R"("instance":"zones/z/instances/a b")"), bad, "not the URL of an instance");
  check_group_refused(item(R"("instance":"zones/z/instances/..")"), bad, "not the URL of an instance");
  check_group_refused(item(R"("instance":"zones/z?x/instances/a")"), bad, "names no zone");
  check_group_refused(item(R"("instance":"a","status":true)"), bad, "items[1].status is a boolean, not a text");
  check_group_refused(item(R"("instance":"a","namedPorts":{})"), bad, "items[1].namedPorts is an object, not an array");
  check_group_refused(item(R"("instance":"a","namedPorts":["tf"])"), bad, "items[1].namedPorts[0] is a text, not an object");
  check_group_refused(item(R"("instance":"a","namedPorts":[{"port":1}])"), bad, "items[1].namedPorts[0] has no name");
  check_group_refused(item(R"("instance":"a","namedPorts":[{"name":"tf"}])"), bad, "items[1].namedPorts[0] has no port");
  check_group_refused(item(R"("instance":"a","namedPorts":[{"name":"tf","port":""}])"), bad, "items[1].namedPorts[0] has no port");
  check_group_refused(item(R"("instance":"a","namedPorts":[{"name":"tf","port":true}])"), bad, "port is a boolean, not a whole number");
  check_group_refused(item(R"("instance":"a","namedPorts":[{"name":"tf","port":1.5}])"), bad, "port is a number, not a whole number");
  check_group_refused(R"({"nextPageToken":7})", bad, "nextPageToken is a number, not a text");
  check_group_refused(R"({"warning":"x"})", bad, "warning is a text, not an object");
  check_group_refused(R"({"warning":{"code":7}})", bad, "warning.code is a number, not a text");
  check_group_refused(R"({"warning":{"data":[{"key":[]}]}})", bad, "warning.data[0].key is an array, not a text");
}

TEST_CASE("huge and deep pages of a group are refused") {
  check_group_refused("{\"nextPageToken\":\"" + std::string(1'000'000, 'n') + "\"}", Errc::limit_exceeded, "longer than 16384 bytes");
  check_group_refused(item("\"instance\":\"" + std::string(1'000'000, 'n') + "\""), Errc::limit_exceeded, "items[1].instance is longer");
  check_group_refused(item("\"instance\":\"" + std::string(300, 'n') + "\""), Errc::malformed_response, "not the URL");
  check_group_refused("{\"x\":" + nested(1000) + "}", Errc::limit_exceeded, "nests too deeply");
  ParseLimits limits;
  limits.max_items = 2;
  CHECK(parse_instance_group(R"({"items":[{"instance":"a"},{"instance":"b"}]})", limits).has_value());
  CHECK(parse_instance_group(R"({"items":[{"instance":"a"},{"instance":"b"},{"instance":"c"}]})", limits).error().code() ==
        Errc::limit_exceeded);
  CHECK(group_page("{\"id\":\"" + std::string(1'000'000, 'n') + "\"}").members.empty());  // an unknown field
}

TEST_CASE("where a group's page is cut into chunks does not matter, and one cut short is an error at every byte") {
  for (const std::string& name : samples("compute", "list-instances.")) {
    std::string text = read_sample(name);
    text.erase(text.find_last_of('}') + 1);
    const InstanceGroupPage whole = group_page(text);
    for (const std::size_t step : {1, 2, 7, 64}) {
      InstanceGroupParser parser;
      for (std::size_t at = 0; at < text.size(); at += step) REQUIRE(parser.feed(std::string(text.substr(at, step))).has_value());
      REQUIRE(parser.finish().has_value());
      CHECK(parser.page() == whole);
    }
    for_each_prefix(text, [&](std::string_view part) {
      if (parse_instance_group(part).has_value() != (part.size() == text.size())) FAIL_CHECK(name << " of " << part.size() << " bytes");
    });
  }
}

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

TEST_CASE("invalid groups are refused") {
  CHECK_THAT(refusal(R"({"items":[{"name":"a/b"}]})"), Catch::Contains("items[0].name is 'a/b', not the name of a group"));
  CHECK_THAT(refusal(R"({"items":[{}]})"), Catch::Contains("has no name"));
  CHECK_THAT(refusal(R"({"items":[{"name":"a","size":-1}]})"), Catch::Contains("size is -1, not a size"));
  CHECK_THAT(refusal(R"({"items":[{"name":"a","zone":"zones/a b"}]})"), Catch::Contains("ends in 'a b', not a place"));
  CHECK_THAT(refusal(R"({"items":{}})"), Catch::Contains("items is an object, not an array"));
  CHECK_THAT(refusal<AggregatedGroupsParser>(R"({"items":[]})"), Catch::Contains("items is an array, not an object"));
  CHECK_THAT(refusal<AggregatedGroupsParser>(R"({"items":{"zones/z":[]}})"), Catch::Contains("items.* is an array, not an object"));
  CHECK_THAT(refusal("<html>"), Catch::Contains("HTML"));
}
