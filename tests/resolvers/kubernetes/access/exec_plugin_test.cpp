// Exec plugins: the program and its runs, its answer, and its failures.
#include "base/timestamp.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

constexpr const char* exec_v1 = "client.authentication.k8s.io/v1";

std::string plugin_reply(const std::string& status, const std::string& version = exec_v1) {
  return R"({"kind":"ExecCredential","apiVersion":")" + version + R"(","status":)" + status + "}";
}

using Variables = std::map<std::string, std::string, std::less<>>;

// A kubeconfig at /k/config whose user has this exec plugin.
class PluginWorld : public TestRuntime {
 public:
  explicit PluginWorld(const std::string& exec = "interactiveMode: Never", const std::string& cluster = "", const std::string& user = "",
                       Variables variables = {})
      : TestRuntime(with_config(std::move(variables)), {}, static_token(Secret<std::string>("runtime-token")),
                    {{"/k/config", "current-context: c\nclusters: [{name: k, cluster: {server: 'https://k.test:6443'" + cluster +
                                       "}}]\nusers: [{name: u, user: {" + user + "exec: {apiVersion: " + exec_v1 + ", command: plug, " +
                                       exec + "}}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"}}) {
    answer(200, list_json(""));
    programs->answer(plugin_reply(R"({"token":"made"})"));
  }
  std::string ask() { return workers_of(*this, KubernetesOptions()); }
  const HttpRequest& asked(std::size_t i) { return transport->requests.at(i); }
  const ProgramRequest& run_with(std::size_t i = 0) { return programs->requests.at(i); }
  std::string variable(const std::string& name) {
    std::string value;
    for (const auto& [key, text] : run_with().variables) value = key == name ? text : value;
    return value;
  }

 private:
  static Variables with_config(Variables variables) {
    variables["KUBECONFIG"] = "/k/config";
    return variables;
  }
};

std::string time_in(PluginWorld& world, Duration from_now) { return format_rfc3339(world.time->wall_now() + from_now); }

}  // namespace

TEST_CASE("an exec plugin's token is sent, and asked for once") {
  PluginWorld world("interactiveMode: Never, args: [get, --for, k], env: [{name: A, value: b}]");
  CHECK(world.ask().empty());
  CHECK(world.ask().empty());
  CHECK(world.asked(0).bearer.reveal() == "made");
  CHECK(world.asked(1).bearer.reveal() == "made");
  REQUIRE(world.programs->requests.size() == 1);
  CHECK(world.run_with().words == std::vector<std::string>{"plug", "get", "--for", "k"});
  CHECK(world.variable("A") == "b");
  CHECK(world.variable("KUBERNETES_EXEC_INFO") ==
        R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}})");
  CHECK_FALSE(world.run_with().is_interactive);
  CHECK_FALSE(world.run_with().shows_errors);
}

TEST_CASE("an exec plugin gets the cluster's description if it asks") {
  PluginWorld world(
      "interactiveMode: Never, provideClusterInfo: true",
      ", certificate-authority-data: RVhBTVBMRS1DQQ==, tls-server-name: api, proxy-url: 'http://p:1', extensions: [{name: other, "
      "extension: x}, {name: client.authentication.k8s.io/exec, extension: {b: [1, yes, 'no', ~, 0x1, 1.5], a: {}}}]");
  CHECK(world.ask().empty());
  CHECK(
      world.variable("KUBERNETES_EXEC_INFO") ==
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false,"cluster":)"
      R"({"server":"https://k.test:6443","tls-server-name":"api","certificate-authority-data":"RVhBTVBMRS1DQQ==","proxy-url":"http://p:1",)"
      R"("config":{"a":{},"b":[1,true,"no",null,"0x1",1.5]}}}})");
}

TEST_CASE("a plugin that asks the user") {
  for (const bool has_terminal : {false, true}) {
    CAPTURE(has_terminal);
    for (const char* const mode : {"Never", "IfAvailable", "Always"}) {
      CAPTURE(mode);
      PluginWorld world(std::string("interactiveMode: ") + mode);
      impl_of(world.runtime).has_terminal = has_terminal;
      const std::string reported = world.ask();
      if (mode == std::string("Always") && !has_terminal) {
        CHECK_THAT(reported, Contains("failed_precondition: the exec plugin 'plug' of the user 'u' (/k/config, line 3) must ask the user"));
        CHECK(world.programs->requests.empty());
        continue;
      }
      const bool asks = has_terminal && mode != std::string("Never");
      CHECK(reported.empty());
      CHECK(world.run_with().is_interactive == asks);
      CHECK(world.run_with().shows_errors == asks);
      CHECK_THAT(world.variable("KUBERNETES_EXEC_INFO"), Contains(asks ? R"("interactive":true)" : R"("interactive":false)"));
    }
  }
}

TEST_CASE("a plugin's token serves until shortly before its expiry") {
  PluginWorld world;
  world.programs->respond = [&world](const ProgramRequest&) {
    const std::string number = std::to_string(world.programs->requests.size());
    FakePrograms::Answer answer(Result<ProgramOutput>(FakePrograms::printed(
        plugin_reply(R"({"token":"made-)" + number + R"(","expirationTimestamp":")" + time_in(world, 1h) + R"("})"))));
    answer.after = 1s;
    return answer;
  };
  CHECK(world.ask().empty());
  world.time->advance(50min);
  CHECK(world.ask().empty());
  CHECK(world.programs->requests.size() == 1);
  world.time->advance(9min);  // stale: the old one serves while a new one is requested
  CHECK(world.ask().empty());
  CHECK(world.asked(2).bearer.reveal() == "made-1");
  CHECK(world.programs->requests.size() == 2);
  world.time->advance(1s);
  world.poll();
  CHECK(world.ask().empty());
  CHECK(world.asked(3).bearer.reveal() == "made-2");
  world.time->advance(2h);
  CHECK(world.ask().empty());
  CHECK(world.asked(4).bearer.reveal() == "made-3");
}

TEST_CASE("a refused token makes the plugin run once more, once") {
  PluginWorld world;
  world.programs->answers.clear();
  world.programs->answer(plugin_reply(R"({"token":"first"})"));
  world.programs->answer(plugin_reply(R"({"token":"second"})"));
  world.transport->answers.clear();
  world.answer(401, status_json(401, "Unauthorized", "Unauthorized"));
  world.answer(200, list_json(""));
  CHECK(world.ask().empty());
  CHECK(world.asked(0).bearer.reveal() == "first");
  CHECK(world.asked(1).bearer.reveal() == "second");
  CHECK(world.programs->requests.size() == 2);
  SECTION("a plugin that has no other token is not run endlessly") {
    world.transport->answers.clear();
    world.answer(401, status_json(401, "Unauthorized", "Unauthorized"));
    CHECK_THAT(world.ask(), Contains("unauthenticated"));
    CHECK(world.programs->requests.size() == 3);
    CHECK(world.transport->requests.size() == 3);
  }
}

TEST_CASE("a plugin's client certificate is presented, and renewed with the token") {
  PluginWorld world("interactiveMode: Never", ", certificate-authority-data: RVhBTVBMRS1DQQ==");
  world.programs->answers.clear();
  world.programs->answer(plugin_reply(R"({"clientCertificateData":"CERT 1","clientKeyData":"KEY 1"})"));
  world.programs->answer(plugin_reply(R"({"clientCertificateData":"CERT 2","clientKeyData":"KEY 2","token":"t"})"));
  world.programs->answer(plugin_reply(R"({"token":"only"})"));
  world.transport->answers.clear();
  world.answer(401, status_json(401, "Unauthorized", "Unauthorized"));
  world.answer(200, list_json(""));
  CHECK(world.ask().empty());
  REQUIRE(world.transport->requests.size() == 2);
  CHECK(world.asked(0).bearer.empty());
  CHECK(world.asked(0).access->certificate == "CERT 1");
  CHECK(world.asked(0).access->key.reveal() == "KEY 1");
  CHECK(world.asked(0).access->authorities == "EXAMPLE-CA");
  CHECK_THAT(world.asked(0).access->identity_from, Contains("the exec plugin 'plug'"));
  CHECK(world.asked(1).access->certificate == "CERT 2");
  CHECK(world.asked(1).bearer.reveal() == "t");
  world.transport->answers.emplace_front(ScriptedTransport::reply(401, status_json(401, "Unauthorized", "Unauthorized")));
  CHECK(world.ask().empty());
  CHECK(world.asked(3).bearer.reveal() == "only");
  CHECK((world.asked(3).access->certificate.empty() && world.asked(3).access->authorities == "EXAMPLE-CA"));
}

TEST_CASE("any number of calls wait for one run of a plugin") {
  PluginWorld world;
  world.programs->answers.clear();
  world.programs->answer(plugin_reply(R"({"token":"made"})"), 5s);
  const std::shared_ptr<ClusterResolver> one = make_kubernetes_resolver(world.runtime, {});
  const std::shared_ptr<ClusterResolver> other = make_kubernetes_resolver(world.runtime, {});
  std::vector<VirtualLoop::Started<Result<ClusterSpec>>> calls;
  for (int i = 0; i < 100; ++i) calls.push_back(world.start((i % 2 == 0 ? one : other)->try_cluster_spec()));
  calls[7].cancel();
  for (const auto& call : calls) REQUIRE(world.finish(call));
  CHECK(calls[7].value().error().code() == Errc::cancelled);
  CHECK(calls[8].value().has_value());
  CHECK(world.programs->requests.size() == 1);
  CHECK(world.transport->requests.size() == 99);
}

TEST_CASE("a plugin that no call waits for any more is ended") {
  PluginWorld world;
  world.programs->answers.clear();
  world.programs->answer(plugin_reply(R"({"token":"made"})"), 5s);
  const std::shared_ptr<ClusterResolver> resolver = make_kubernetes_resolver(world.runtime, {});
  auto call = world.start(resolver->try_cluster_spec());
  CHECK(world.programs->running == 1);
  call.cancel();
  world.poll();
  CHECK(call.done());
  CHECK(world.programs->running == 0);
  CHECK(world.programs->cancelled == 1);
}

TEST_CASE("a plugin that does not end takes no more time than the call has") {
  PluginWorld world;
  world.programs->answers.clear();
  world.programs->answer(plugin_reply(R"({"token":"made"})"), 1h);
  CHECK_THAT(world.ask(), Contains("the exec plugin 'plug' of the user 'u' (/k/config, line 3): plug did not end in time"));
  CHECK(world.seconds() < 30);
}

TEST_CASE("what a plugin has said is in the message of a call that gives up before it ends") {
  PluginWorld world;
  world.programs->respond = [](const ProgramRequest& request) {
    request.on_errors("open https://login.example and enter the code F7K3\n");
    FakePrograms::Answer late(Result<ProgramOutput>(FakePrograms::printed("")));
    late.after = 1h;
    return late;
  };
  const Result<ClusterSpec> spec = spec_of(world, KubernetesOptions(), CallOptions().timeout(4s));
  check_failure(spec, Errc::deadline_exceeded, "did not end within that time; it said: open https://login.example and enter the code F7K3");
}

TEST_CASE("failures of a plugin are reported with its name, its exit status and its last output") {
  const std::string usual = "interactiveMode: Never, installHint: \"get\\n it there\"";
  const auto reports_of = [&usual](Result<ProgramOutput> ended, const std::string& exec = {}) {
    PluginWorld world(exec.empty() ? usual : exec);
    world.programs->answers.clear();
    world.programs->answers.emplace_back(std::move(ended));
    std::string reported = world.ask();
    CHECK((world.transport->requests.empty() && reported.find("hush") == std::string::npos));
    return reported;
  };
  const std::string who = "the exec plugin 'plug' of the user 'u' (/k/config, line 3)";
  CHECK_THAT(reports_of(FakePrograms::printed("", 3, "trace\nPlease \x1b[1mlog in\n token=hush\n")),
             Contains("unauthenticated: " + who + " failed with exit code 3: trace | Please log in | token=***"));
  CHECK_THAT(reports_of(FakePrograms::printed("", 3)), Contains(who + " failed with exit code 3") && !Contains("get | it there"));
  CHECK_THAT(reports_of(FakePrograms::printed("", 127, "sh: nothing")),
             Contains("exit code 127: sh: nothing") && Contains("get | it there"));
  ProgramOutput killed;
  killed.signal = 11;
  CHECK_THAT(reports_of(killed), Contains(who + " was ended by signal 11"));
  CHECK_THAT(reports_of(Failure(Errc::not_found, "cannot run 'plug'")), Contains("unauthenticated: " + who) && Contains("get | it there"));
  CHECK_THAT(reports_of(Failure(Errc::not_found, "cannot run 'plug'"), "interactiveMode: Never"),
             Contains("install it, or add its folder to PATH"));
  CHECK_THAT(reports_of(Failure(Errc::permission_denied, "cannot run 'plug': Permission denied")), Contains("unauthenticated: " + who));
  CHECK_THAT(reports_of(Failure(Errc::limit_exceeded, "'plug' prints more than 7 bytes")),
             Contains("limit_exceeded: " + who + ": 'plug' prints"));
  CHECK_THAT(reports_of(FakePrograms::printed("", 0, "no login: run plug login\n")),
             Contains("malformed_response: " + who) && Contains("; it said: no login: run plug login"));
  CHECK_THAT(reports_of(FakePrograms::printed("hush")), Contains("malformed_response: " + who + " did not print a credential"));
  CHECK_THAT(reports_of(FakePrograms::printed(plugin_reply(R"({"token":"hush"})", "client.authentication.k8s.io/v1beta1"))),
             Contains("malformed_response: " + who + " answered in version"));
}

TEST_CASE("plugins can be forbidden") {
  PluginWorld world("interactiveMode: Never", "", "", {{"ROLLCALL_EXEC_PLUGINS", "never"}});
  CHECK_THAT(world.ask(), Contains("refused_by_policy: the exec plugin 'plug' of the user 'u' (/k/config, line 3) was not run: "
                                   "ROLLCALL_EXEC_PLUGINS is never"));
  CHECK(world.programs->requests.empty());
  PluginWorld other("interactiveMode: Never", "", "", {{"ROLLCALL_EXEC_PLUGINS", "nver"}});
  CHECK_THAT(other.ask(), Contains("invalid_argument: ROLLCALL_EXEC_PLUGINS is 'nver', neither never nor always"));
  CHECK(other.programs->requests.empty());
  PluginWorld always("interactiveMode: Never", "", "", {{"ROLLCALL_EXEC_PLUGINS", "always"}});
  CHECK(always.ask().empty());
}

TEST_CASE("a token or a certificate of the user's own comes before the plugin") {
  PluginWorld token("interactiveMode: Never", "", "token: own, ");
  CHECK(token.ask().empty());
  CHECK(token.asked(0).bearer.reveal() == "own");
  CHECK(token.programs->requests.empty());
  PluginWorld certificate("interactiveMode: Never", "", "client-certificate-data: Q0VSVA==, client-key-data: S0VZ, ");
  CHECK(certificate.ask().empty());
  CHECK((certificate.asked(0).access->certificate == "CERT" && certificate.programs->requests.empty()));
}

TEST_CASE("a kubeconfig's settings for a plugin are checked before it is run") {
  const auto reports_of = [](const std::string& exec) {
    TestRuntime world({{"KUBECONFIG", "/k/config"}}, {}, static_token(Secret<std::string>("runtime-token")),
                      {{"/k/config",
                        "current-context: c\nclusters: [{name: k, cluster: {server: 'https://k.test:6443'}}]\nusers: [{name: u, "
                        "user: {exec: {" +
                            exec + "}}}]\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"}});
    world.programs->answer("{}");
    std::string reported = workers_of(world, KubernetesOptions());
    CHECK(world.programs->requests.empty());
    return reported;
  };
  const std::string who = "invalid_argument: the exec plugin of the user 'u' (/k/config, line 3) has ";
  const std::string v1 = "apiVersion: client.authentication.k8s.io/v1, ";
  CHECK_THAT(reports_of(v1 + "interactiveMode: Never"), Contains(who + "no command"));
  CHECK_THAT(reports_of("command: plug"), Contains(who + "no apiVersion"));
  CHECK_THAT(reports_of("command: plug, apiVersion: client.authentication.k8s.io/v1alpha1"),
             Contains(who + "apiVersion 'client.authentication.k8s.io/v1alpha1'"));
  CHECK_THAT(reports_of(v1 + "command: plug"), Contains(who + "no interactiveMode, which v1 requires"));
  CHECK_THAT(reports_of(v1 + "command: plug, interactiveMode: Often"), Contains(who + "interactiveMode 'Often'"));
  CHECK_THAT(reports_of(v1 + "command: plug, interactiveMode: Never, env: [{value: x}]"), Contains("a variable without a name (line 3)"));
  CHECK_THAT(reports_of(v1 + "command: plug, interactiveMode: Never, args: x"), Contains("args is not a list (line 3)"));
}
