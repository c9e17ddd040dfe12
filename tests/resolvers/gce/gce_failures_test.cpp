// Failures of instance groups, and the messages of the GCE resolver.
#include <catch2/catch.hpp>

#include "resolvers/gce/gce_support.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("an instance without what is needed") {
  TestRuntime t;
  const auto message = [&](std::string instance) {
    t.transport->respond = [instance](const HttpRequest& request) {
      const bool is_list = request.method == HttpMethod::post;
      return Answer(ScriptedTransport::reply(200, is_list ? R"({"items":[{"instance":"a"}]})" : instance));
    };
    const Failure failure = failure_of(t, workers());
    return fmt::format("{} {}", to_string(failure.code()), failure.message());
  };
  CHECK_THAT(message("{}"), Catch::StartsWith("malformed_response instance group 'workers': instance 'a' has no network interface"));
  CHECK_THAT(message(R"({"networkInterfaces":[{}]})"),
             Catch::StartsWith("malformed_response") && Catch::Contains("no address (networkIP)"));
  CHECK_THAT(message(R"({"status":"STOPPING","networkInterfaces":[{}]})"),
             Catch::StartsWith("not_ready") && Catch::Contains("it is STOPPING"));
  CHECK_THAT(message("nope"),
             Catch::StartsWith("malformed_response instance group 'workers': instance 'a'") && Catch::Contains("/instances/a"));
  CHECK_THAT(message(R"({"networkInterfaces":7})"),
             Catch::StartsWith("malformed_response") && Catch::Contains("networkInterfaces is a number"));
}

TEST_CASE("a member that is deleted before its look-up is an error, unless partial answers are allowed") {
  for (const GceLookup lookup : {GceLookup::get, GceLookup::list}) {
    TestRuntime t;
    Compute compute = three();
    compute.gone = {"w-10"};
    t.transport->respond = compute;
    const Failure failure = failure_of(t, workers().lookup(lookup));
    CHECK(failure.code() == Errc::not_found);
    CHECK_THAT(failure.message(), Catch::Contains("instance group 'workers': instance 'w-10': ") &&
                                      Catch::Contains("; it is gone since the group was listed") &&
                                      Catch::Contains(lookup == GceLookup::get ? "HTTP 404" : "not among the instances of its zone"));
    t.log->lines.clear();
    const auto gce = make_gce_resolver(t.runtime, workers().lookup(lookup).allow_partial(true));
    CHECK(t.run(gce->cluster_spec()).num_tasks("worker").value() == 2);
    CHECK_THAT(t.log->lines, Catch::VectorContains(std::string("left_out not_found")));
  }
}

TEST_CASE("a list that declares itself incomplete is an error, unless partial answers are allowed") {
  TestRuntime t;
  Compute compute = three();
  compute.extra_of_page = R"(,"warning":{"code":"UNREACHABLE","message":"no zone","data":[{"key":"scope","value":"zones/z"}]})";
  t.transport->respond = compute;
  const Failure failure = failure_of(t, workers());
  CHECK(failure.code() == Errc::unavailable);
  CHECK_THAT(failure.message(),
             Catch::Contains("the list is incomplete: UNREACHABLE: no zone (scope zones/z)") && Catch::Contains("partial=true"));
  t.log->lines.clear();
  CHECK(t.run(make_gce_resolver(t.runtime, workers().allow_partial(true))->cluster_spec()).num_tasks("worker").value() == 3);
  CHECK_THAT(t.log->lines, Catch::VectorContains(std::string("left_out unavailable")));
  CHECK(query_of(t.transport->requests[1], "returnPartialSuccess") == "true");
  compute.extra_of_page = R"(,"warning":{"code":"NO_RESULTS_ON_PAGE"})";
  t.transport->respond = compute;
  CHECK(t.run(make_gce_resolver(t.runtime, workers())->cluster_spec()).num_tasks("worker").value() == 3);
}

TEST_CASE("so is a list of instances") {
  TestRuntime t;
  Compute compute = three();
  compute.extra_of_list = R"(,"warning":{"code":"UNREACHABLE"})";
  t.transport->respond = compute;
  CHECK_THAT(failure_of(t, workers().lookup(GceLookup::list)).message(), Catch::Contains("the list is incomplete: UNREACHABLE"));
  t.log->lines.clear();
  const auto gce = make_gce_resolver(t.runtime, workers().lookup(GceLookup::list).allow_partial(true));
  CHECK(t.run(gce->cluster_spec()).num_tasks("worker").value() == 3);
  CHECK_THAT(t.log->lines, Catch::VectorContains(std::string("left_out unavailable")));
}

TEST_CASE("page tokens that repeat, and pages without end") {
  TestRuntime t;
  t.answer(200, R"({"nextPageToken":"again"})");
  const Failure circle = failure_of(t, workers());
  CHECK(circle.code() == Errc::malformed_response);
  CHECK(circle.last_status() == 200);
  CHECK_THAT(circle.message(),
             Catch::Contains("instance group 'workers': the same page token came twice") && Catch::Contains("/listInstances"));
  CHECK(t.transport->requests.size() == 2);
  Limits limits;
  limits.max_pages = 5;
  limits.max_endpoints = 100;
  TestRuntime endless({}, limits);
  endless.transport->respond = [n = 0](const HttpRequest&) mutable {
    return Answer(ScriptedTransport::reply(200, fmt::format(R"({{"nextPageToken":"{}"}})", ++n)));
  };
  CHECK(failure_of(endless, workers()).code() == Errc::limit_exceeded);
  CHECK(endless.transport->requests.size() == 5);
  TestRuntime many({}, limits);
  Compute compute;
  for (int i = 0; i < 101; ++i) compute.members.emplace_back(fmt::format("w-{}", i), "10.0.0.1");
  many.transport->respond = compute;
  CHECK_THAT(failure_of(many, workers()).message(), Catch::Contains("more than 100 members"));
}

TEST_CASE("Compute's rate limit is HTTP 403 and is waited for; a list is retried although it is a POST") {
  TestRuntime t;
  t.answer(403,
           R"({"error":{"code":403,"message":"Rate Limit Exceeded","errors":[{"reason":"rateLimitExceeded","domain":"usageLimits"}]}})");
  t.answer(503);
  t.answer(403, R"({"error":{"code":403,"message":"Rate Limit Exceeded","errors":[{"reason":"rateLimitExceeded"}],
                   "details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SOMETHING_ELSE"}]}})");
  t.answer(200, "{}");
  CHECK(t.run(make_gce_resolver(t.runtime, workers())->cluster_spec()).num_tasks("worker").value() == 0);
  CHECK(t.transport->requests.size() == 4);
  TestRuntime refused;
  refused.answer(
      403, R"({"error":{"code":403,"message":"Required 'compute.instanceGroups.list' permission","errors":[{"reason":"forbidden"}]}})");
  const Failure failure = failure_of(refused, workers());
  CHECK(failure.code() == Errc::permission_denied);
  CHECK_THAT(failure.message(), Catch::Contains("instance group 'workers'") && Catch::Contains("compute.viewer"));
  CHECK(refused.transport->requests.size() == 1);
  TestRuntime absent;
  absent.answer(404, R"({"error":{"code":404,"message":"not found","errors":[{"reason":"notFound"}]}})");
  CHECK_THAT(failure_of(absent, workers()).message(), Catch::Contains("gcloud compute instance-groups list"));
}

TEST_CASE("without the right to list instances the hint names the target's option for single gets") {
  TestRuntime t;
  const Compute compute = three();
  t.transport->respond = [compute](const HttpRequest& request) {
    if (request.url.target.find("/instances?") == std::string::npos) return compute(request);
    return Answer(ScriptedTransport::reply(403, "{}"));
  };
  const Failure failure = failure_of(t, workers().lookup(GceLookup::list));
  CHECK(failure.code() == Errc::permission_denied);
  CHECK_THAT(failure.hint(), Catch::Contains("Without compute.instances.list: lookup=get;"));
  CHECK(make_resolver(t.runtime, "gce:workers,zone=z,port=1,lookup=get").has_value());
}

TEST_CASE("one refused member ends the look-ups after it") {
  TestRuntime t;
  Compute compute = three();
  t.transport->respond = [compute](const HttpRequest& request) {
    if (request.url.target.find("/w-10?") == std::string::npos) {
      Answer answer = compute(request);
      if (request.method == HttpMethod::get) answer.after = request.url.target.find("/w-1?") != std::string::npos ? 2s : 10s;
      return answer;
    }
    Answer no(ScriptedTransport::reply(403, "{}"));
    no.after = 1s;
    return no;
  };
  CHECK(failure_of(t, workers()).code() == Errc::permission_denied);
  CHECK(t.seconds() == 2);
  CHECK(t.transport->in_flight == 0);
}

TEST_CASE("of two failing members the first in order is reported, even if it fails later") {
  TestRuntime t;
  const Compute compute = three();
  t.transport->respond = [compute](const HttpRequest& request) {
    if (request.method == HttpMethod::post) return compute(request);
    const bool is_first = request.url.target.find("/w-1?") != std::string::npos;
    Answer no(ScriptedTransport::reply(is_first ? 403 : 404, "{}"));
    no.after = is_first ? 3s : 1s;
    return no;
  };
  CHECK_THAT(failure_of(t, workers()).message(), Catch::Contains("instance 'w-1'") && Catch::Contains("HTTP 403"));
  CHECK(t.seconds() == 3);
}

TEST_CASE("options that do not fit together fail at the first call, and nothing is sent") {
  TestRuntime t;
  t.answer(200, "{}");
  const auto message = [&](GceOptions options) {
    const Failure failure = failure_of(t, std::move(options));
    CHECK(failure.code() == Errc::invalid_argument);
    return failure.message();
  };
  CHECK_THAT(message(GceOptions("").port(1)), Catch::Contains("no instance group"));
  CHECK_THAT(message(GceOptions("g")), Catch::Contains("no port was given") && Catch::Contains("named_port"));
  CHECK_THAT(message(workers().named_port("tf")), Catch::Contains("both port 8470 and the named port 'tf'"));
  CHECK_THAT(message(workers().region("r")), Catch::Contains("both zone 'z' and region 'r'"));
  CHECK_THAT(message(GceOptions("a/b").port(1)), Catch::Contains("'a/b' is not a name of an instance group"));
  CHECK_THAT(message(workers().project("p?x")), Catch::Contains("'p?x' is not a project"));
  CHECK_THAT(message(workers().zone("..")), Catch::Contains("'..' is not a zone"));
  CHECK(t.transport->requests.empty());
}
