// The list of clusters, as clients of the service read it.
#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "fleet/wire/cluster_summary.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace std::chrono_literals;

TEST_CASE("a cluster of unknown age is read as one") {
  const auto age_of = [](std::string_view age) {
    const std::string json = fmt::format(R"({{"clusters":[{{"target":"tpu:a","age_ms":{}}}]}})", age);
    return fleet::parse_cluster_list(json, {}).value().front().age;
  };
  CHECK(age_of("5") == 5ms);
  CHECK(age_of("null") == std::nullopt);
}
