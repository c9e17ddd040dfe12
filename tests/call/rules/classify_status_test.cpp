// classify_status: the whole table, with the samples of real bodies.
#include "call/rules/classify_status.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "auth/rules/token_service.hpp"
#include "google/rules/metadata_service.hpp"
#include "resolvers/gce/rules/compute_service.hpp"
#include "resolvers/kubernetes/access/rules/kubernetes_service.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"
#include "support/parse_result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

StatusVerdict of_sample(const std::string& name, int status, const Service& service) {
  return classify_status(status, parse_google_error(status, "application/json", read_sample(name)), service);
}

void check(const StatusVerdict& verdict, AttemptClass attempt_class, Errc code) {
  CHECK(static_cast<int>(verdict.attempt_class) == static_cast<int>(attempt_class));
  CHECK(to_string(verdict.code) == to_string(code));
}

}  // namespace

TEST_CASE("statuses without a body") {
  const GoogleError none;
  for (const int status : {408, 500, 502, 503, 504}) {
    INFO(status);
    for (const Service* const service : {&tpu_service, &compute_service, &metadata_service, &token_service, &other_service}) {
      check(classify_status(status, none, *service), AttemptClass::transient, Errc::unavailable);
    }
  }
  check(classify_status(200, none, tpu_service), AttemptClass::success, Errc::http_error);
  check(classify_status(302, none, tpu_service), AttemptClass::permanent, Errc::http_error);
  check(classify_status(400, none, tpu_service), AttemptClass::permanent, Errc::invalid_argument);
  check(classify_status(401, none, tpu_service), AttemptClass::refresh_token, Errc::unauthenticated);
  check(classify_status(401, none, metadata_service), AttemptClass::permanent, Errc::unauthenticated);
  check(classify_status(401, none, token_service), AttemptClass::permanent, Errc::unauthenticated);
  check(classify_status(403, none, compute_service), AttemptClass::permanent, Errc::permission_denied);
  check(classify_status(409, none, tpu_service), AttemptClass::permanent, Errc::http_error);
  check(classify_status(429, none, tpu_service), AttemptClass::rate_limited, Errc::rate_limited);
  check(classify_status(499, none, tpu_service), AttemptClass::permanent, Errc::http_error);
  check(classify_status(499, none, metadata_service), AttemptClass::transient, Errc::unavailable);
  check(classify_status(501, none, tpu_service), AttemptClass::permanent, Errc::unimplemented);
  check(classify_status(507, none, tpu_service), AttemptClass::permanent, Errc::http_error);
  check(classify_status(507, none, metadata_service), AttemptClass::transient, Errc::unavailable);
  check(classify_status(418, none, tpu_service), AttemptClass::permanent, Errc::http_error);
  const StatusVerdict missing = classify_status(404, none, tpu_service);
  check(missing, AttemptClass::permanent, Errc::not_found);
  CHECK(missing.wait_state);
  CHECK_THAT(missing.hint, Catch::Contains("zone"));
}

TEST_CASE("error samples") {
  check(of_sample("errors/google.400-invalid-argument.json", 400, tpu_service), AttemptClass::permanent, Errc::invalid_argument);
  check(of_sample("errors/google.401-unauthenticated.json", 401, tpu_service), AttemptClass::refresh_token, Errc::unauthenticated);
  check(of_sample("errors/google.403-permission-denied.json", 403, tpu_service), AttemptClass::permanent, Errc::permission_denied);
  check(of_sample("errors/google.404-not-found.json", 404, tpu_service), AttemptClass::permanent, Errc::not_found);
  check(of_sample("errors/google.429-rate-limit.json", 429, tpu_service), AttemptClass::rate_limited, Errc::rate_limited);
  check(of_sample("errors/google.429-capacity-not-retryable.json", 429, tpu_service), AttemptClass::permanent, Errc::rate_limited);
  check(of_sample("errors/google.500-internal.json", 500, tpu_service), AttemptClass::transient, Errc::unavailable);
  check(of_sample("errors/google.502.html", 502, tpu_service), AttemptClass::transient, Errc::unavailable);
  check(of_sample("errors/google.truncated.json.txt", 503, tpu_service), AttemptClass::transient, Errc::unavailable);
  check(of_sample("errors/compute.403-rate-limit.json", 403, compute_service), AttemptClass::rate_limited, Errc::rate_limited);
  check(of_sample("errors/compute.403-rate-limit-old-shape.json", 403, compute_service), AttemptClass::rate_limited, Errc::rate_limited);
  check(of_sample("errors/compute.400-not-ready.json", 400, compute_service), AttemptClass::transient, Errc::not_ready);
  check(of_sample("errors/compute.404-instance-group.json", 404, compute_service), AttemptClass::permanent, Errc::not_found);
  check(of_sample("auth/reply.oauth-invalid-grant.json", 400, token_service), AttemptClass::permanent, Errc::unauthenticated);
  check(of_sample("auth/reply.oauth-temporarily-unavailable-400.json", 400, token_service), AttemptClass::transient, Errc::unavailable);
}

TEST_CASE("a named delay makes a quota answer worth waiting for") {
  GoogleError error = parse_google_error(429, "", read_sample("errors/google.429-capacity-not-retryable.json"));
  error.note_retry_after(3s);
  check(classify_status(429, error, tpu_service), AttemptClass::rate_limited, Errc::rate_limited);
}

TEST_CASE("bodies that refine a status") {
  GoogleError error;
  error.status = "ABORTED";
  check(classify_status(409, error, tpu_service), AttemptClass::transient, Errc::unavailable);
  error.status = "FAILED_PRECONDITION";
  check(classify_status(400, error, tpu_service), AttemptClass::permanent, Errc::failed_precondition);
  CHECK(classify_status(400, error, tpu_service).wait_state);
  error.reason = "quotaExceeded";
  check(classify_status(403, error, compute_service), AttemptClass::permanent, Errc::rate_limited);
}

TEST_CASE("hints say what to do") {
  CHECK_THAT(of_sample("errors/google.403-service-disabled.json", 403, tpu_service).hint,
             Catch::Contains("gcloud services enable tpu.googleapis.com"));
  CHECK_THAT(of_sample("errors/google.403-scope-insufficient.json", 403, tpu_service).hint, Catch::Contains("auth/cloud-platform"));
  CHECK_THAT(of_sample("errors/google.403-permission-denied.json", 403, tpu_service).hint, Catch::Contains("tpu.nodes.get"));
  for (const auto& [reason, words] :
       std::initializer_list<std::pair<const char*, const char*>>{{"SECURITY_POLICY_VIOLATED", "perimeter of VPC Service Controls"},
                                                                  {"CONSUMER_SUSPENDED", "project is suspended"},
                                                                  {"USER_PROJECT_DENIED", "roles/serviceusage.serviceUsageConsumer"},
                                                                  {"LOCATION_ORG_POLICY_VIOLATED", "policy of the organization"}}) {
    GoogleError refused;
    refused.reason = reason;
    const std::string hint = classify_status(403, refused, tpu_service).hint;
    CHECK_THAT(hint, Catch::Contains(words) && !Catch::Contains("tpu.viewer"));
  }
  GoogleError user;
  user.reason = "SERVICE_DISABLED";
  user.message = "The tpu.googleapis.com API requires a quota project, which is not set by default.";
  CHECK_THAT(classify_status(403, user, tpu_service).hint,
             Catch::Contains("set-quota-project PROJECT") && !Catch::Contains("services enable"));
  GoogleError hostile;
  hostile.reason = "SERVICE_DISABLED";
  hostile.service = "x; rm -rf ~";
  CHECK_THAT(classify_status(403, hostile, compute_service).hint, Catch::EndsWith("enable compute.googleapis.com"));
}

TEST_CASE("plain http to a port of https is named as the fault") {
  for (const char* const body : {"Client sent an HTTP request to an HTTPS server.\n",
                                 "<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head></html>",
                                 "Bad Request: You're speaking plain HTTP to an SSL-enabled server port."}) {
    INFO(body);
    const GoogleError error = parse_google_error(400, "text/plain", body);
    for (const Service* const service : {&kubernetes_service, &tpu_service, &other_service}) {
      const StatusVerdict verdict = classify_status(400, error, *service);
      check(verdict, AttemptClass::permanent, Errc::invalid_argument);
      CHECK(verdict.hint == "The server speaks https there: write https:// in its address.");
    }
  }
}

TEST_CASE("the transient ones among all failures") {
  const std::set<Errc> transient = {Errc::unreachable,     Errc::unknown_host,      Errc::unavailable,     Errc::resolve_timeout,
                                    Errc::connect_timeout, Errc::handshake_timeout, Errc::response_timeout};
  for (int number = 1; number <= static_cast<int>(Errc::deadline_exceeded); ++number) {
    const Errc code = static_cast<Errc>(number);
    CAPTURE(to_string(code));
    const AttemptClass wanted = transient.contains(code)     ? AttemptClass::transient
                                : code == Errc::rate_limited ? AttemptClass::rate_limited
                                                             : AttemptClass::permanent;
    CHECK(classify_failure(code) == wanted);
    CHECK(is_transient(code) == (wanted != AttemptClass::permanent));
  }
}
