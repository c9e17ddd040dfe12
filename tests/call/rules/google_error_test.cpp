// parse_google_error: every form of an error body, and bodies without one.
#include "call/rules/google_error.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;

namespace {

GoogleError sample(const std::string& name, int status) {
  return parse_google_error(status, "application/json", read_sample("errors/" + name));
}

}  // namespace

TEST_CASE("google.rpc.Status bodies") {
  const GoogleError limit = sample("google.429-rate-limit.json", 429);
  CHECK(limit.is_json);
  CHECK(limit.code == 429);
  CHECK(limit.status == "RESOURCE_EXHAUSTED");
  CHECK(limit.reason == "RATE_LIMIT_EXCEEDED");
  CHECK(limit.service == "tpu.googleapis.com");
  CHECK(limit.retry_delay == 12s + 13647075ns);
  CHECK_FALSE(limit.has_quota_failure);
  const GoogleError disabled = sample("google.403-service-disabled.json", 403);  // ErrorInfo is not the first detail
  CHECK(disabled.reason == "SERVICE_DISABLED");
  CHECK(describe(disabled) ==
        "HTTP 403 PERMISSION_DENIED (SERVICE_DISABLED): Cloud TPU API has not been used in project 123456789012 before or it is disabled.");
  CHECK(sample("google.403-permission-denied.json", 403).permission == "tpu.nodes.get");
  CHECK(sample("google.429-capacity-not-retryable.json", 429).has_quota_failure);
  CHECK(sample("google.503-unavailable.json", 503).retry_delay == 1s);
}

TEST_CASE("Compute's older shape") {
  CHECK(sample("compute.403-rate-limit-old-shape.json", 403).reason == "userRateLimitExceeded");
  CHECK(sample("compute.403-rate-limit.json", 403).reason == "RATE_LIMIT_EXCEEDED");
  CHECK(sample("compute.400-not-ready.json", 400).reason == "resourceNotReady");
}

TEST_CASE("a rate limit among several reasons is the one that counts") {
  const std::string info = R"({"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SOMETHING_ELSE"})";
  const auto reason = [](const std::string& details, const std::string& errors) {
    return parse_google_error(403, "", R"({"error":{"details":[)" + details + R"(],"errors":[)" + errors + "]}}").reason;
  };
  const std::string rate = R"({"reason":"rateLimitExceeded"})";
  CHECK(reason(info, rate) == "rateLimitExceeded");
  CHECK(reason("", R"({"reason":"forbidden"},{"reason":"userRateLimitExceeded"})") == "userRateLimitExceeded");
  CHECK(reason(info, R"({"reason":"quotaExceeded"})") == "quotaExceeded");
  CHECK(reason(info, R"({"reason":"forbidden"})") == "SOMETHING_ELSE");
  CHECK(reason(info + R"(,{"@type":"google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED"})", "") == "RATE_LIMIT_EXCEEDED");
  CHECK(reason(R"({"@type":"google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED"})", rate) == "RATE_LIMIT_EXCEEDED");
}

TEST_CASE("OAuth's shape") {
  const GoogleError error = parse_google_error(400, "application/json", read_sample("auth/reply.oauth-invalid-rapt.json"));
  CHECK(error.reason == "invalid_grant");
  CHECK(error.message == "reauth related error (invalid_rapt)");
}

TEST_CASE("bodies that are no error documents") {
  const GoogleError html = parse_google_error(502, "text/html; charset=UTF-8", read_sample("errors/google.502.html"));
  CHECK_FALSE(html.is_json);
  CHECK(describe(html) == "HTTP 502: an HTML page titled \"Error 502 (Server Error)!!1\"");
  CHECK(describe(parse_google_error(503, "application/json", read_sample("errors/google.truncated.json.txt"))) ==
        "HTTP 503: the body is broken JSON");
  CHECK(describe(parse_google_error(503, "", "")) == "HTTP 503");
  CHECK(describe(parse_google_error(400, "text/plain", "Client sent an HTTP request to an HTTPS server.\nbye")) ==
        "HTTP 400: Client sent an HTTP request to an HTTPS server.");
  CHECK(parse_google_error(500, "", R"([{"error":{"code":500,"status":"INTERNAL","message":"m"}}])").status == "INTERNAL");
  CHECK(describe(parse_google_error(500, "", "{}")) == "HTTP 500");
}

TEST_CASE("fields of wrong types are skipped") {
  for (const std::string body :
       {R"({"error":[]})", R"({"error":{"details":{}}})",
        R"({"error":{"details":[1,null,{"@type":5},{"@type":"x.google.rpc.ErrorInfo","reason":[]}]}})",
        R"({"error":{"errors":[{}],"message":{},"status":7}})", "[]", "[[]]", R"({"error":null})", R"({"error":7})"}) {
    INFO(body);
    const GoogleError error = parse_google_error(418, "", body);
    CHECK(error.message.empty());
    CHECK(error.status.empty());
    CHECK(error.reason.empty());
  }
  for (const std::string delay : {"\"-3s\"", "\"soon\"", "5", "null", "{}"}) {
    const std::string body = R"({"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":)" + delay + "}]}}";
    CHECK_FALSE(parse_google_error(429, "", body).retry_delay.has_value());
  }
}

TEST_CASE("the longer of Retry-After and RetryInfo counts") {
  GoogleError error = sample("google.503-unavailable.json", 503);
  error.note_retry_after(std::nullopt);
  CHECK(error.retry_delay == 1s);
  error.note_retry_after(500ms);
  CHECK(error.retry_delay == 1s);
  error.note_retry_after(7s);
  CHECK(error.retry_delay == 7s);
}

TEST_CASE("descriptions are safe and short for every body") {
  const GoogleError escapes = parse_google_error(403, "", "{\"error\":{\"message\":\"\\u001b[2Jgone\",\"status\":\"\\u0007\"}}");
  CHECK(describe(escapes).find('\x1b') == std::string::npos);
  CHECK(describe(escapes).find('\x07') == std::string::npos);
  const GoogleError large = parse_google_error(403, "", "{\"error\":{\"message\":\"" + std::string(900'000, 'm') + "\"}}");
  CHECK(describe(large).size() < 500);
  CHECK(describe(parse_google_error(403, "", "{\"error\":" + nested(1000) + "}")) == "HTTP 403: the body is broken JSON");
  CHECK(describe(parse_google_error(403, "", std::string(10'000'000, '{'))).size() < 500);
  CHECK(describe(parse_google_error(403, "", "<" + std::string(10'000'000, 'x'))).size() < 500);
}

TEST_CASE("no prefix of an error body is misread") {
  for (const std::string& name : samples("errors", "")) {
    const std::string text = read_sample(name);
    for_each_prefix(text, [](std::string_view part) { (void)parse_google_error(500, "application/json", part); });
  }
}

TEST_CASE("the words of servers of other clouds are shown") {
  const auto reported = [](const std::string& body, const std::string& type = "application/json") {
    return describe(parse_google_error(403, type, body));
  };
  CHECK(reported(R"({"code":"AccessDenied","message":"no role"})") == "HTTP 403 (AccessDenied): no role");
  CHECK(reported(R"({"Code":"Refused","Message":"no role"})") == "HTTP 403 (Refused): no role");
  CHECK(reported(R"({"message":"bad credentials"})") == "HTTP 403: bad credentials");
  CHECK(reported(R"({"error":"invalid_request","message":"no such identity"})") == "HTTP 403 (invalid_request): no such identity");
  CHECK(reported("<?xml version=\"1.0\"?><ErrorResponse><Error><Code>AccessDenied</Code><Message>not you</Message></Error></ErrorResponse>",
                 "text/xml") == "HTTP 403 (AccessDenied): not you");
  CHECK(reported("<html><head><title>Gone</title></head></html>", "text/html") == "HTTP 403: an HTML page titled \"Gone\"");
}
