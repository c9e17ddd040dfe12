// What a selector names.
#include "resolvers/kubernetes/chain/rules/selector_roots.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

std::string roots_in(std::string_view selector, std::string_view namespace_name = "train") {
  std::string text;
  for (const KubeObject& root : roots_of_selector(selector, namespace_name)) text += root.label() + ";";
  return text;
}

}  // namespace

TEST_CASE("labels of workloads name them, other selectors name nothing") {
  CHECK(roots_in("job-name=trainer") == "Job trainer;");
  CHECK(roots_in("tier=x, batch.kubernetes.io/job-name == trainer-2 ,!old") == "Job trainer-2;");
  CHECK(roots_in("jobset.sigs.k8s.io/jobset-name=js,jobset.sigs.k8s.io/replicatedjob-name=w") == "JobSet js;");
  for (const char* const selector :
       {"", "app=x", "job-name!=x", "job-name in (a,b)", "job-name=", "=x", "job-name=../x", "job-name=A", ",,=,"}) {
    CAPTURE(selector);
    CHECK(roots_in(selector).empty());
  }
  CHECK(roots_in("job-name=trainer", "").empty());
}
