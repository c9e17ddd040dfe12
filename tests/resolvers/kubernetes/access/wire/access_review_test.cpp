// Reviews of one's own rights.
#include "resolvers/kubernetes/access/wire/access_review.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using Catch::Contains;

TEST_CASE("the rules of a namespace say what may be done") {
  const Result<AccessRules> rules =
      parse_access_rules(R"({"status":{"incomplete":false,"resourceRules":[{"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]},)"
                         R"({"verbs":["list"],"apiGroups":["kueue.x-k8s.io"],"resources":["*"]},)"
                         R"({"verbs":["*"],"apiGroups":[""],"resources":["nodes"],"resourceNames":["g1"]},{"verbs":null},7]}})",
                         ParseLimits());
  REQUIRE(rules);
  CHECK_FALSE(rules->is_incomplete);
  CHECK(rules->allows("list", "", "pods"));
  CHECK(rules->allows("list", "kueue.x-k8s.io", "workloads"));
  CHECK_FALSE(rules->allows("watch", "", "pods"));
  CHECK_FALSE(rules->allows("list", "", "events"));
  CHECK_FALSE(rules->allows("get", "", "nodes"));  // one node of many
  CHECK_FALSE(rules->allows("list", "batch", "pods"));
}

TEST_CASE("a cluster's administrator may do all; answers without rules are refused") {
  const Result<AccessRules> all = parse_access_rules(
      R"({"status":{"incomplete":true,"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}]}})", ParseLimits());
  REQUIRE(all);
  CHECK(all->is_incomplete);
  CHECK(all->allows("get", "batch", "jobs"));
  for (const char* const bad : {"", "{}", "[]", R"({"status":{}})", R"({"status":{"resourceRules":{}}})"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_access_rules(bad, ParseLimits()));
  }
}

TEST_CASE("the question names the namespace as a text") { CHECK_THAT(rules_question("a\"b"), Contains(R"("namespace":"a\"b"}})")); }
