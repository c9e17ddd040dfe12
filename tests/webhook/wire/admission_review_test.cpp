#include "webhook/wire/admission_review.hpp"

#include <fmt/format.h>
#include <catch2/catch.hpp>

#include "base/base64.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace rollcall::webhook;

namespace {

std::string review_of(std::string_view request, std::string_view version = "admission.k8s.io/v1") {
  return fmt::format(R"({{"kind":"AdmissionReview","apiVersion":"{}","request":{}}})", version, request);
}

}  // namespace

TEST_CASE("a review is read as far as the wait needs it") {
  const AdmissionRequest request = value_of(read_admission_review(review_of(
      R"({"uid":"u-1","kind":{"group":"","version":"v1","kind":"Pod"},"operation":"CREATE","namespace":"train","userInfo":{"username":"bob"},)"
      R"("object":{"kind":"Pod","apiVersion":"v1","metadata":{"generateName":"t-0-","namespace":"train","labels":{"app":"t"},)"
      R"("annotations":{"a":"b","rollcall.dev/wait":"kubernetes:./job/t","rollcall.dev/wait-until":"endpoints","rollcall.dev/wait-members":"4",)"
      R"("rollcall.dev/wait-timeout":"1h"}},"spec":{"initContainers":[{"name":"x","image":"i"},{"name":"y"}],"containers":[{"name":"c"}],"os":{"name":"linux"},)"
      R"("nodeSelector":{"kubernetes.io/os":"linux","pool":"a"}}},)"
      R"("oldObject":null,"dryRun":false})")));
  CHECK((request.uid == "u-1" && request.operation == "CREATE" && request.namespace_name == "train"));
  const AdmittedPod& pod = request.object;
  CHECK((pod.kind == "Pod" && pod.name.empty() && pod.generate_name == "t-0-"));
  CHECK((pod.wait == "kubernetes:./job/t" && pod.until == "endpoints" && pod.members == "4" && pod.timeout == "1h"));
  REQUIRE(pod.init_containers.size() == 2);
  CHECK(pod.init_containers[1].name == "y");
  REQUIRE(pod.containers.size() == 1);
  CHECK((pod.containers[0].name == "c" && pod.os == "linux" && pod.node_os == "linux"));
  const AdmissionRequest bare = value_of(read_admission_review(review_of(R"({"uid":"u","object":null})")));
  CHECK((pod.asks_to_wait && !bare.object.asks_to_wait));
  CHECK((bare.object.wait.empty() && bare.object.init_containers.empty()));
  const AdmissionRequest empty =
      value_of(read_admission_review(review_of(R"({"uid":"u","object":{"metadata":{"annotations":{"rollcall.dev/wait":""}}}})")));
  CHECK((empty.object.asks_to_wait && empty.object.wait.empty()));
}

TEST_CASE("what is no review says why") {
  check_failure(read_admission_review(review_of(R"({"uid":"u"})", "admission.k8s.io/v1beta1")), Errc::malformed_response,
                "'admission.k8s.io/v1beta1'", "not AdmissionReview of admission.k8s.io/v1");
  check_failure(read_admission_review(review_of("{}")), Errc::malformed_response, "request.uid");
  check_failure(read_admission_review("{}"), Errc::malformed_response, "the review");
  check_failure(read_admission_review("[]"), Errc::malformed_response, "the review");
  check_failure(read_admission_review(R"({"kind":"Admission)"), Errc::malformed_response, "the review");
  check_failure(read_admission_review(review_of(R"({"uid":"u","object":{"metadata":{"annotations":{"rollcall.dev/wait":3}}}})")),
                Errc::malformed_response, "request.object.metadata.annotations", "rollcall.dev/wait");
  check_failure(read_admission_review(review_of(fmt::format(R"({{"uid":"{}"}})", std::string(300, 'u')))), Errc::malformed_response, "uid");
}

TEST_CASE("an answer allows, patches, warns or refuses") {
  AdmissionAnswer answer;
  answer.uid = "u\"1";
  CHECK(write_admission_review(answer) ==
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u\"1","allowed":true}})");
  answer.patch = "[]";
  answer.warning = "late\nnews";
  CHECK(write_admission_review(answer) ==
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u\"1","allowed":true,)"
        R"("patchType":"JSONPatch","patch":"W10=","warnings":["late\\x0anews"]}})");
  AdmissionAnswer refused;
  refused.uid = "u";
  refused.refusal = "no";
  CHECK(write_admission_review(refused) ==
        R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u","allowed":false,)"
        R"("status":{"code":400,"reason":"BadRequest","message":"no"}}})");
}
