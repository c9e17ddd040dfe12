// Problems of metadata servers: late on a new pod, overloaded, or another server.
#include <catch2/catch.hpp>

#include "rollcall/tpu_resolver.hpp"
#include "support/result.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {
namespace {

using namespace std::chrono_literals;

// The requested value, by the end of the path.
enum class Asked { token, project, zone };

std::string_view path_of(Asked asked) { return asked == Asked::token ? "/token" : asked == Asked::project ? "/project-id" : "/zone"; }

// A pod whose metadata server answers the request with `troubles` first, and with a value then.
class YoungPod : public TestRuntime {
 public:
  YoungPod(Asked asked, std::vector<ScriptedTransport::Answer> troubles, bool is_flavored = true,
           std::map<std::string, std::string, std::less<>> variables = {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}})
      : TestRuntime(std::move(variables), {}, metadata_token()) {
    transport->respond = [this, asked, troubles, is_flavored](const HttpRequest& request) {
      const std::string& path = request.url.target;
      const bool is_metadata = request.url.host == "metadata.google.internal";
      if (is_metadata && path.ends_with(path_of(asked)) && count < troubles.size()) return troubles[count++];
      std::string value = "{}";
      if (path.ends_with("/token")) value = R"({"access_token":"vm-token-0123456789","expires_in":3599,"token_type":"Bearer"})";
      if (path.ends_with("/project-id")) value = "my-project";
      if (path.ends_with("/zone")) value = "projects/1/zones/us-central2-b";
      if (path.ends_with("/universe-domain")) value = "googleapis.com";
      HttpResponse response = ScriptedTransport::reply(is_metadata ? 200 : 404, value);
      if (is_metadata && is_flavored) response.headers.add("Metadata-Flavor", "Google");
      return ScriptedTransport::Answer(std::move(response));
    };
  }
  std::size_t count = 0;  // of troubles

  // not_found: everything was found except the TPU.
  Failure ask(Duration timeout = 60s) {
    const Result<ClusterSpec> spec =
        run(make_tpu_resolver(runtime, TpuOptions("trainer"))->try_cluster_spec(CallOptions().timeout(timeout)));
    REQUIRE(spec.has_error());
    return spec.error();
  }
  std::size_t sent_elsewhere() const {
    return static_cast<std::size_t>(std::count_if(transport->requests.begin(), transport->requests.end(), [](const HttpRequest& request) {
      return request.url.host != "metadata.google.internal";
    }));
  }
};

ScriptedTransport::Answer refused_connection() { return {Failure(Errc::unreachable, "connection refused").with_phase(Phase::connect)}; }

ScriptedTransport::Answer busy(int status, const char* retry_after, bool is_flavored = true) {
  HttpResponse response = ScriptedTransport::reply(status, "busy");
  if (retry_after) response.headers.add("Retry-After", retry_after);
  if (is_flavored) response.headers.add("Metadata-Flavor", "Google");
  return {std::move(response)};
}

TEST_CASE("a pod's metadata server that comes late is waited for") {
  const Asked asked = GENERATE(Asked::token, Asked::project, Asked::zone);
  YoungPod pod(asked, std::vector<ScriptedTransport::Answer>(4, refused_connection()));
  CHECK(to_string(pod.ask().code()) == to_string(Errc::not_found));
  CHECK(pod.count == 4);
  CHECK(pod.sent_elsewhere() == 1);
}

TEST_CASE("an ended simulation's metadata server fails soon, and its variable is named") {
  const std::string name = GENERATE(as<std::string>{}, "GCE_METADATA_HOST", "GCE_METADATA_ROOT", "GCE_METADATA_IP");
  const std::string host = GENERATE(as<std::string>{}, "127.0.0.1:1", "localhost:1", "[::1]:1");
  const bool has_place = GENERATE(false, true);
  std::map<std::string, std::string, std::less<>> variables;
  variables[name] = host;
  TestRuntime t(std::move(variables), {}, default_credentials());
  t.transport->respond = [](const HttpRequest&) { return refused_connection(); };
  TpuOptions options("trainer");
  if (has_place) options.project("p").zone("z");
  const Result<ClusterSpec> spec = t.run(make_tpu_resolver(t.runtime, options)->try_cluster_spec());
  check_failure(spec, Errc::unreachable, has_place ? "no access token" : "the project and zone are not given");
  CHECK_THAT(spec.error().hint(),
             Catch::StartsWith(name + " names " + host + ": is that simulation over? unset it and its other variables"));
  CHECK(spec.error().attempts() == 3);
  CHECK(t.seconds() < 5);
}

TEST_CASE("a metadata server that a variable names is waited for in a pod, and where it is another machine") {
  const bool is_pod = GENERATE(false, true);
  const std::string host = is_pod ? "127.0.0.1:1" : "metadata.test";
  std::map<std::string, std::string, std::less<>> variables;
  variables["GCE_METADATA_HOST"] = host;
  if (is_pod) variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  TestRuntime t(std::move(variables), {}, default_credentials());
  t.transport->respond = [](const HttpRequest&) { return refused_connection(); };
  const auto resolver = make_tpu_resolver(t.runtime, TpuOptions("trainer").project("p").zone("z"));
  const Result<ClusterSpec> spec = t.run(resolver->try_cluster_spec(CallOptions().timeout(10min)));
  check_failure(spec, Errc::unreachable, "no access token");
  CHECK_THAT(spec.error().hint(), Catch::StartsWith("GCE_METADATA_HOST names " + host + ": "));
  CHECK(spec.error().attempts() > 3);
}

TEST_CASE("a metadata server that is overloaded for a while gets the request again") {
  const Asked asked = GENERATE(Asked::token, Asked::project, Asked::zone);
  const int status = GENERATE(429, 503);
  const char* const retry_after = GENERATE(as<const char*>{}, nullptr, "3");
  const bool is_flavored = GENERATE(true, false);
  CAPTURE(path_of(asked), status, retry_after ? retry_after : "none", is_flavored);
  YoungPod pod(asked, {busy(status, retry_after, is_flavored), busy(status, retry_after, is_flavored)});
  CHECK(to_string(pod.ask().code()) == to_string(Errc::not_found));
  CHECK(pod.count == 2);
  CHECK(pod.sent_elsewhere() == 1);
  // A delay is accepted only from a server that is known as a metadata server.
  if (retry_after && is_flavored) CHECK(pod.seconds() >= 6);
}

TEST_CASE("a metadata server that stays overloaded is named") {
  const Asked asked = GENERATE(Asked::token, Asked::project, Asked::zone);
  const int status = GENERATE(429, 503);
  YoungPod pod(asked, std::vector<ScriptedTransport::Answer>(100, busy(status, nullptr)));
  const Failure failure = pod.ask();
  CHECK_THAT(failure.message(), Catch::Contains(std::to_string(status)) && Catch::Contains("metadata"));
  CHECK(pod.sent_elsewhere() == 0);
}

namespace patience {

// The time limit of each attempt for the token, in seconds, for a server that does not answer.
std::vector<double> attempts_of(std::map<std::string, std::string, std::less<>> variables, int questions, const CallOptions& options) {
  variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  YoungPod pod(Asked::token, {}, true, std::move(variables));
  pod.transport->minds_silence = true;
  pod.transport->respond = [](const HttpRequest&) {
    ScriptedTransport::Answer answer(ScriptedTransport::reply(200, "{}"));
    answer.after = std::chrono::hours(1);
    return answer;
  };
  const auto resolver = make_tpu_resolver(pod.runtime, TpuOptions("trainer").project("p").zone("z"));
  std::vector<double> spans;
  for (int i = 0; i < questions; ++i) {
    const SteadyTime asked = pod.time->now();
    (void)pod.run(resolver->try_cluster_spec(options));
    spans.push_back(std::chrono::duration<double>(pod.time->now() - asked).count());
  }
  return spans;
}

}  // namespace patience

TEST_CASE("a metadata server whose answers take longer than an attempt may is given more time by the next one") {
  const Asked asked = GENERATE(Asked::token, Asked::project);
  const bool has_retries = GENERATE(true, false);
  YoungPod pod(asked, {});
  pod.transport->minds_silence = true;
  const auto answer = pod.transport->respond;
  pod.transport->respond = [answer, asked](const HttpRequest& request) {
    ScriptedTransport::Answer made = answer(request);
    if (request.url.target.ends_with(path_of(asked))) made.after = 4s;
    return made;
  };
  CallOptions options = CallOptions().timeout(30s);
  if (!has_retries) options.retry(RetryPolicy().max_retries(0));
  const auto resolver = make_tpu_resolver(pod.runtime, TpuOptions("trainer"));
  int questions = 0;
  Result<ClusterSpec> spec = Failure(Errc::response_timeout, "not asked yet");
  while (spec.has_error() && spec.error().code() == Errc::response_timeout && questions < 10) {
    spec = pod.run(resolver->try_cluster_spec(options));
    ++questions;
  }
  check_failure(spec, Errc::not_found, "trainer");  // the API got a request
  CHECK(questions == (has_retries ? 1 : 2));
  CHECK(pod.seconds() < 10);
}

TEST_CASE("the time limit of a metadata server starts at GCE_METADATA_TIMEOUT and doubles up to 20 s") {
  using patience::attempts_of;
  const CallOptions once = CallOptions().timeout(60s).retry(RetryPolicy().max_retries(0));
  CHECK(attempts_of({}, 5, once) == std::vector<double>{3, 6, 12, 20, 20});
  CHECK(attempts_of({{"GCE_METADATA_TIMEOUT", "7"}}, 4, once) == std::vector<double>{7, 14, 20, 20});
  CHECK(attempts_of({{"GCE_METADATA_TIMEOUT", "40"}}, 2, once) == std::vector<double>{40, 40});
  const std::string no_number = GENERATE("", "x", "0", "-1", "1.5", "99999999999999999999");
  CHECK(attempts_of({{"GCE_METADATA_TIMEOUT", no_number}}, 1, once) == std::vector<double>{3});
}

TEST_CASE("GCE_METADATA_DETECT_RETRIES is the number of attempts for an unexpected metadata server") {
  const auto [said, attempts] = GENERATE(table<std::string, int>({{"1", 1}, {"0", 1}, {"2", 2}, {"6", 6}, {"", 3}, {"many", 3}}));
  TestRuntime t({{"GCE_METADATA_DETECT_RETRIES", said}}, {}, metadata_token());
  t.transport->respond = [](const HttpRequest&) { return refused_connection(); };
  const auto resolver = make_tpu_resolver(t.runtime, TpuOptions("trainer").project("p").zone("z"));
  const Result<ClusterSpec> spec = t.run(resolver->try_cluster_spec());
  check_failure(spec, Errc::unreachable, "");
  CHECK(spec.error().attempts() == attempts);
}

TEST_CASE("a server without the metadata header is refused") {
  const Asked asked = GENERATE(Asked::token, Asked::project, Asked::zone);
  HttpResponse impostor = ScriptedTransport::reply(
      200, asked == Asked::token ? R"({"access_token":"evil-token","expires_in":3599,"token_type":"Bearer"})" : "evil");
  const std::string header = GENERATE("", "Evil");
  if (!header.empty()) impostor.headers.add("Metadata-Flavor", header);
  YoungPod pod(asked, std::vector<ScriptedTransport::Answer>(100, ScriptedTransport::Answer(impostor)));
  const Failure failure = pod.ask();
  check_failure(failure, Errc::failed_precondition, "lacks 'Metadata-Flavor: Google'");
  CHECK(failure.message().find("evil") == std::string::npos);
  CHECK(pod.sent_elsewhere() == 0);
  CHECK(pod.count == 1);
}

}  // namespace
}  // namespace rollcall::testing
