// The largest nodes of a cluster, and single events of a watch.
#include "resolvers/kubernetes/chain/wire/largest_nodes.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "resolvers/kubernetes/chain/wire/event_line.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("the largest node counts, by what it has for pods") {
  const auto node = [](const std::string& name, const std::string& gpus) {
    return fmt::format(
        R"({{"metadata":{{"name":"{}"}},"status":{{"capacity":{{"nvidia.com/gpu":"16"}},"allocatable":{{"cpu":"8","nvidia.com/gpu":{}}}}}}})",
        name, gpus);
  };
  LargestNodes largest;
  REQUIRE(add_nodes(largest, fmt::format(R"({{"metadata":{{"continue":"c"}},"items":[{},{}]}})", node("a", R"("4")"), node("b", "8")), {}));
  CHECK(largest.next_page == "c");
  REQUIRE(add_nodes(largest, fmt::format(R"({{"metadata":{{}},"items":[{},{}]}})", node("c", R"("8")"), node("d", R"("-9")")), {}));
  CHECK(largest.next_page.empty());
  CHECK(largest.nodes == 4);
  CHECK(largest.of("nvidia.com/gpu").count == 8);
  CHECK(largest.of("nvidia.com/gpu").node == "b");
  CHECK(largest.of("google.com/tpu").count == 0);
  CHECK(largest.of("cpu").count == 0);
  check_failure(add_nodes(largest, "{}", {}), Errc::malformed_response, "has no items");
}

TEST_CASE("a line of a watch of events says what it is about") {
  const Result<std::optional<KubeEvent>> event = parse_event_line(
      R"({"type":"ADDED","object":{"involvedObject":{"kind":"Job","namespace":"train","name":"t","uid":"u"},"reason":"FailedCreate","type":"Warning"}})",
      {});
  REQUIRE(event);
  REQUIRE(*event);
  CHECK((*event)->uid == "u");
  CHECK((*event)->label() == "Job t");
  CHECK((*event)->reason == "FailedCreate");
  for (const char* const passed : {R"({"type":"BOOKMARK","object":{}})", R"({"type":"DELETED","object":{"involvedObject":{"uid":"u"}}})",
                                   R"({"type":"ADDED","object":{"involvedObject":null}})"}) {
    const Result<std::optional<KubeEvent>> none = parse_event_line(passed, {});
    REQUIRE(none);
    CHECK_FALSE(*none);
  }
  check_failure(parse_event_line(R"({"type":"ERROR","object":{"message":"too old resource version"}})", {}), Errc::unavailable, "too old");
  check_failure(parse_event_line("{}", {}), Errc::malformed_response, "no type");
}
