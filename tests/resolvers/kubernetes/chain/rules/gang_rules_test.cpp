// What PodGroups say of pods that are placed together.
#include "resolvers/kubernetes/chain/rules/gang_rules.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "resolvers/kubernetes/workload/workload_support.hpp"
#include "rollcall/cause_text.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::string first_of(const std::string& file) { return boost::json::serialize(boost::json::parse(sample_text(file)).at("items").at(0)); }

std::string group_causes(const std::string& json) {
  const Result<PodGroup> group = parse_pod_group(json, ParseLimits());
  if (!group) return group.error().message();
  std::string text;
  for (const Cause& cause : gang_causes(*group))
    text += fmt::format("{}{} {} by {}", text.empty() ? "" : " | ", to_string(cause.layer), cause_text(cause), cause.object);
  return text;
}

std::string volcano_group(const std::string& phase, const std::string& conditions) {
  return fmt::format(R"({{"metadata":{{"name":"g"}},"spec":{{"minMember":4,"queue":"q"}},"status":{{"phase":"{}","conditions":[{}]}}}})",
                     phase, conditions);
}

}  // namespace

TEST_CASE("a PodGroup says why its pods are not placed") {
  CHECK(group_causes(first_of("volcano-podgroups.json")).find("5/5 tasks in gang unschedulable: pod group is not ready, 5 Pending") !=
        std::string::npos);
  CHECK(group_causes(first_of("volcano-podgroups.json")).find("at least 5 pods have to fit at once") != std::string::npos);
  CHECK(group_causes(first_of("podgroups.gang.json")).find("pod group is unschedulable; at least 4 pods have to fit at once") !=
        std::string::npos);
  CHECK(group_causes(volcano_group("Pending", "")).find("Volcano's queue q has not let it in") != std::string::npos);
  CHECK(group_causes(R"({"metadata":{"name":"g"},"spec":{"minMember":4},"status":{"phase":"Scheduling"}})")
            .find("at least 4 pods have to fit at once") != std::string::npos);
}

TEST_CASE("a PodGroup that is placed holds nothing up, though an old condition is still True") {
  const std::string refused =
      R"({"type":"Unschedulable","status":"True","reason":"NotEnoughResources","lastTransitionTime":"2026-11-26T13:50:18Z"})";
  const std::string placed = R"(,{"type":"Scheduled","status":"True","lastTransitionTime":"2026-11-26T13:51:18Z"})";
  const std::string earlier = R"(,{"type":"Scheduled","status":"True","lastTransitionTime":"2026-11-26T13:49:18Z"})";
  CHECK(group_causes(volcano_group("Running", refused)).empty());
  CHECK(group_causes(volcano_group("Inqueue", refused + placed)).empty());
  CHECK(group_causes(volcano_group("Inqueue", refused + earlier)).find("NotEnoughResources") != std::string::npos);
  CHECK(group_causes(R"({"metadata":{"name":"g"},"status":{"conditions":[{"type":"PodGroupScheduled","status":"True"}]}})").empty());
  CHECK(group_causes(R"({"metadata":{}})").find("metadata.name is missing") != std::string::npos);
}
