// Questions that a service answers, or does not, in virtual time.
#include <catch2/catch.hpp>

#include "fleet/client/scripted_service.hpp"
#include "fleet/wire/body_bounds.hpp"
#include "rollcall/tpu_call.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using namespace std::chrono_literals;
using Catch::Contains;
using Reply = ScriptedService::Reply;

namespace {

ServedRuntime::Texts with(std::string name, std::string value, ServedRuntime::Texts variables = only_server) {
  variables.insert_or_assign(std::move(name), std::move(value));
  return variables;
}

std::string spec_body() { return fleet::render_spec_body(1, status_of(2).spec()); }
Result<ClusterSpec> ask_spec(ServedRuntime& t, std::string_view target = "tpu:trainer,project=p,zone=z") {
  return t.run(t.resolver(target)->try_cluster_spec());
}

}  // namespace

TEST_CASE("cluster and status are the service's, under one name for all clients") {
  ServedRuntime t(with("CLOUDSDK_COMPUTE_ZONE", "z"));
  t.service->respond = [](const HttpRequest& request) {
    return Reply(200, request.url.target.find("view=spec") != std::string::npos ? spec_body() : status_body(status_of(2), 3));
  };
  const auto resolver = t.resolver("tpu:trainer,job=worker,project=p");
  CHECK(value_of(t.run(resolver->try_cluster_spec())) == status_of(2).spec());
  CHECK(value_of(t.run(resolver->try_cluster_status())) == sent(status_of(2)));
  CHECK(value_of(t.run(resolver->try_master())) == "grpc://10.0.0.1:8470");
  CHECK(value_of(t.run(resolver->try_master("worker", 1))) == "grpc://10.0.0.2:8470");
  CHECK(resolver->describe() == "tpu:trainer");
  REQUIRE(t.service->requests.size() == 4);
  CHECK(t.service->requests[0].url.origin() == "https://a.example");
  CHECK(t.service->requests[0].url.target == "/v1/clusters/tpu:trainer,project=p,zone=z,job=worker?view=spec");
  CHECK(t.service->requests[1].url.target == "/v1/clusters/tpu:trainer,project=p,zone=z,job=worker?view=status");
  CHECK(t.service->requests[0].bearer.empty());  // the cloud's token is not for the service
  CHECK_FALSE(t.service->requests[0].headers.get("authorization"));
}

TEST_CASE("parameters that concern the client alone are not sent, and jobs stay in order") {
  ServedRuntime t(only_server);
  t.service->respond = [](const HttpRequest&) { return Reply(200, spec_body()); };
  CHECK(ask_spec(t, "kubernetes:train,port=1,job.b=x=y,type=worker,task=1,address=pod,job.a=x=z,rpc_layer=grpc"));
  CHECK(t.service->requests[0].url.target == "/v1/clusters/kubernetes:train,address=pod,port=1,job.b=x=y,job.a=x=z?view=spec");
  const auto tpu = t.resolver();
  CHECK(tpu->set_task_type("ps"));
  CHECK(t.run(tpu->try_cluster_spec()));
  CHECK_THAT(t.service->requests[1].url.target, Contains("job=ps"));
  CHECK(t.resolver("gce:g,project=p,zone=z,port=1,type=w")->set_task_type("x").has_error());
}

TEST_CASE("a failure from the service is the question's own") {
  ServedRuntime t(only_server);
  Failure sent(Errc::not_found, "TPU 'trainer': there is no such node");
  sent.with_hint("did you mean trainer-2?")
      .with_target("https://tpu.googleapis.com/v2/x")
      .with_last_status(404)
      .with_phase(Phase::response);
  t.service->respond = [&sent](const HttpRequest&) { return Reply(404, fleet::render_failure_body("tpu:trainer", sent)); };
  const Result<ClusterSpec> spec = ask_spec(t);
  check_failure(spec, Errc::not_found, sent.what());
  CHECK(spec.error().message() == sent.message());
  CHECK(t.service->requests.size() == 1);
}

TEST_CASE("targets that a service cannot answer for are asked directly, and all without servers") {
  ServedRuntime t(only_server);
  t.service->respond = [](const HttpRequest&) { return cloud_node(); };
  CHECK(value_of(ask_spec(t, "tpu:trainer,project=p,zone=z,endpoint=https://tpu.example/")).jobs() == std::vector<std::string>{"worker"});
  CHECK(value_of(ask_spec(t, "simple:job.w=a:1")).jobs() == std::vector<std::string>{"w"});
  CHECK(t.service->count("a.example") == 0);
  ServedRuntime none(ServedRuntime::Texts{});
  none.service->respond = t.service->respond;
  CHECK(ask_spec(none));
  CHECK(none.service->count("tpu.googleapis.com") == 1);
  RuntimeOptions options;
  options.environment = fixed_environment(only_server);
  options.http = none.service;
  options.time = none.time;
  options.credentials = static_token(Secret<std::string>("test-token-of-the-cloud"));
  options.server = ServerOptions();  // no service, with any environment
  const Runtime direct(none.io.get_executor(), options);
  CHECK(none.run(rollcall::make_resolver(direct, "tpu:trainer,project=p,zone=z").value()->try_cluster_spec()));
  CHECK(none.service->count("a.example") == 0);
}

TEST_CASE("a wrong variable is reported when the resolver is made") {
  const auto refused = [](std::string name, std::string value, std::string said) {
    ServedRuntime t(with(name, value));
    check_failure(make_resolver(t.runtime, "tpu:trainer,project=p,zone=z"), Errc::invalid_argument, name, said);
  };
  refused("ROLLCALL_SERVER", "ftp://x", "ftp://x");
  refused("ROLLCALL_SERVER", "https://a,,https://b", "invalid");
  refused("ROLLCALL_SERVER", "https://user:password@a", "***");
  refused("ROLLCALL_MAX_AGE", "soon", "'soon'");
  refused("ROLLCALL_SERVER_FALLBACK", "later", "'later'");
}

TEST_CASE("if no server is named, options of servers are ignored") {
  ServedRuntime t(with("ROLLCALL_MAX_AGE", "soon", {}));
  t.service->respond = [](const HttpRequest&) { return cloud_node(); };
  CHECK(ask_spec(t));
}

TEST_CASE("the authorities are those servers' alone") {
  ServedRuntime t(with("ROLLCALL_SERVER_CA", "/ca.pem"), {{"/ca.pem", "PEM"}});
  t.service->respond = [](const HttpRequest& request) { return request.url.host == "a.example" ? Reply(200, spec_body()) : cloud_node(); };
  CHECK(ask_spec(t));
  REQUIRE(t.service->requests[0].access);
  CHECK(t.service->requests[0].access->authorities == "PEM");
  (void)t.run(t.resolver()->try_num_accelerators(std::nullopt, std::nullopt,
                                                 CallOptions().with(TpuCallOptions().count_from(CountFrom::accelerator_type))));
  CHECK_FALSE(t.service->requests.back().access);
}

TEST_CASE("refusals are final with any fallback") {
  for (const int status : {401, 403}) {
    ServedRuntime t(with("ROLLCALL_SERVER_FALLBACK", "now"));
    t.service->respond = [status](const HttpRequest&) { return Reply(status, "<html>no</html>"); };
    check_failure(ask_spec(t), status == 401 ? Errc::unauthenticated : Errc::permission_denied, "a.example");
    CHECK(t.service->requests.size() == 1);
  }
}

TEST_CASE("the other server is asked when one does not answer, and first from then on") {
  ServedRuntime t(with("ROLLCALL_SERVER", "https://a.example, https://b.example"));
  t.service->respond = [](const HttpRequest& request) {
    return request.url.host == "a.example" ? Reply(absent_server()) : Reply(200, spec_body());
  };
  for (int i = 0; i < 6; ++i) CHECK(ask_spec(t));
  CHECK(t.service->count("b.example") == 6);
  CHECK(t.service->count("a.example") <= 1);
  CHECK(t.seconds() == 0);
}

TEST_CASE("hostile and broken servers are no servers, and are named") {
  const auto lost = [](const std::string& name, Reply reply, const std::string& said) {
    INFO(name);
    ServedRuntime t(only_server);
    t.service->respond = [&reply](const HttpRequest&) { return reply; };
    const Result<ClusterSpec> spec = ask_spec(t);
    check_failure(spec, Errc::unreachable, "tpu:trainer", "https://a.example", said);
    CHECK_THAT(spec.error().hint(), Contains("ROLLCALL_SERVER_FALLBACK=now"));
    CHECK(t.service->count("tpu.googleapis.com") == 0);
    CHECK(t.seconds() < 30);  // before the deadline: the caller gets the reason
    CHECK(t.service->requests.size() > 3);
  };
  lost("refused", absent_server(), "connection refused");
  lost("garbage", Reply(200, "<html>"), "the service's cluster");
  lost("another service", Reply(404, R"({"error":{"code":404}})"), "404");
  lost("redirect", Reply(302).with("location", "https://evil.example/"), "evil.example");
  lost("error", Reply(500, "oops"), "500");
  lost("ageless", Reply(200, spec_body()).ageless(), "how old its answer is");
  lost("unasked 304", Reply(304), "nothing has changed");
  lost("poisoned", Reply(200, R"({"generation":1,"cluster":{"worker":["-oProxyCommand=x:1"]}})"), "not an address");
  lost("too large", Failure(Errc::limit_exceeded, "the body is larger than 8 MiB"), "larger than");
  lost("cancelled", Reply(409, R"({"code":"cancelled","message":"x"})"), "409");
}

TEST_CASE("a body may be as large as the service makes it, and one that is larger is named as such") {
  ServedRuntime t(only_server);
  t.service->respond = [](const HttpRequest&) { return Reply(200, spec_body()); };
  CHECK(ask_spec(t));
  CHECK(t.service->max_body_bytes == fleet::max_body_bytes);
  t.service->respond = [](const HttpRequest&) { return Reply(Failure(Errc::limit_exceeded, "the answer's body is over N bytes")); };
  const Result<ClusterSpec> spec = ask_spec(t);
  check_failure(spec, Errc::unreachable, "a server answers more than this program takes", "over N bytes");
  CHECK(spec.error().what().find("no server answers") == std::string::npos);
}

TEST_CASE("a service without data is asked again; data that is too old is never an answer") {
  ServedRuntime t(only_server);
  int asked = 0;
  t.service->respond = [&asked](const HttpRequest&) {
    if (++asked < 3) return Reply(503, R"({"code":"unavailable","message":"the TPU API is down"})").with("retry-after", "4");
    if (asked == 3) return Reply(200, spec_body()).with("rollcall-age-ms", "30001");
    return Reply(200, spec_body()).with("rollcall-age-ms", "29999");
  };
  CHECK(ask_spec(t));
  CHECK(asked == 4);
  CHECK(t.seconds() >= 8);
  t.service->respond = [](const HttpRequest&) { return Reply(200, spec_body()).with("rollcall-age-ms", "45000"); };
  check_failure(ask_spec(t), Errc::unavailable, "the service's data is 45 s old");
  t.service->respond = [](const HttpRequest&) { return Reply(503, R"({"code":"unavailable","message":"the TPU API is down"})"); };
  check_failure(ask_spec(t), Errc::unavailable, "the TPU API is down");
}

TEST_CASE("with the fallback `now` the cloud is asked at once, and the service again when it is back") {
  ServedRuntime t(with("ROLLCALL_SERVER_FALLBACK", "now"));
  bool is_up = false;
  t.service->respond = [&is_up](const HttpRequest& request) {
    if (request.url.host != "a.example") return cloud_node();
    return is_up ? Reply(200, spec_body()) : Reply(absent_server());
  };
  CHECK(value_of(ask_spec(t)) == status_of(2).spec());
  CHECK(t.service->count("tpu.googleapis.com") == 1);
  is_up = true;
  CHECK(ask_spec(t));
  CHECK(t.service->count("tpu.googleapis.com") == 1);
}

TEST_CASE("a question with patience is asked directly when its turn has come, by the service's own ration") {
  ServedRuntime t(with("ROLLCALL_SERVER_FALLBACK", "auto"));
  bool is_up = true;
  t.service->respond = [&is_up](const HttpRequest& request) {
    if (request.url.host != "a.example") return cloud_node();
    return is_up ? Reply(200, spec_body()).with("rollcall-fallback", "after=60, spread=0, poll=5") : Reply(absent_server());
  };
  CHECK(ask_spec(t));
  is_up = false;
  CHECK(ask_spec(t).has_error());
  CHECK(t.service->count("tpu.googleapis.com") == 0);
  const double before = t.seconds();
  CHECK(t.run(t.resolver()->try_cluster_spec(CallOptions().timeout(5min).retry(RetryPolicy().max_retries(100)))));
  CHECK(t.service->count("tpu.googleapis.com") == 1);
  CHECK(t.seconds() == Approx(60));
  CHECK(before < 30);
}

TEST_CASE("a question that was asked directly is not asked so again before the ration says") {
  ServedRuntime t(only_server);
  bool is_up = true;
  t.service->respond = [&is_up](const HttpRequest& request) {
    if (request.url.host != "a.example") return cloud_node();
    return is_up ? Reply(200, spec_body()).with("rollcall-fallback", "after=60, spread=0, poll=600") : Reply(absent_server());
  };
  CHECK(ask_spec(t));
  is_up = false;
  const auto ask_for = [&t](Duration time) {
    return t.run(t.resolver()->try_cluster_spec(CallOptions().timeout(time).retry(RetryPolicy().max_retries(1000))));
  };
  CHECK(ask_for(5min));
  CHECK(t.service->count("tpu.googleapis.com") == 1);
  const Result<ClusterSpec> early = ask_for(5min);
  check_failure(early, Errc::unreachable, "no server answers");
  CHECK_THAT(early.error().hint(), Contains("ROLLCALL_SERVER_FALLBACK=now"));
  CHECK(t.service->count("tpu.googleapis.com") == 1);
  CHECK(ask_for(20min));
  CHECK(t.service->count("tpu.googleapis.com") == 2);
  CHECK(t.seconds() == Approx(660).margin(1));
}
