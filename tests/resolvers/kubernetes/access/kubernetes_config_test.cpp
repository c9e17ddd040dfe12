// The sources of the API server and its credentials: a pod's own account, kubeconfig files, and refused settings of these.
#include "resolvers/kubernetes/kubernetes_support.hpp"

#include <algorithm>

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

namespace {

using Texts = std::map<std::string, std::string, std::less<>>;
constexpr const char* account = "/var/run/secrets/kubernetes.io/serviceaccount/";
Texts account_files() {
  return {{std::string(account) + "token", "pod-token\n"},
          {std::string(account) + "ca.crt", "CA PEM"},
          {std::string(account) + "namespace", "own"}};
}
Texts pod_variables() { return {{"KUBERNETES_SERVICE_HOST", "10.96.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}}; }

class World : public TestRuntime {
 public:
  World(Texts variables, Texts files)
      : TestRuntime(std::move(variables), {}, static_token(Secret<std::string>("runtime-token")), std::move(files)) {
    answer(200, list_json(""));
  }
  const HttpRequest& asked() { return transport->requests.at(0); }
};

// A kubeconfig with the given cluster and user.
std::string config_text(const std::string& cluster, const std::string& user, const std::string& context = "") {
  return fmt::format(
      "current-context: c\nclusters: [{{name: k, cluster: {{{}}}}}]\n"
      "users: [{{name: u, user: {{{}}}}}]\n"
      "contexts: [{{name: c, context: {{cluster: k, user: u{}}}}}]\n",
      cluster.starts_with("server:") ? cluster : "server: 'https://k.test:6443', " + cluster, user, context);
}

// The failure with that kubeconfig at /k/config.
std::string error_with(const std::string& cluster, const std::string& user, Texts files = {}) {
  files["/k/config"] = config_text(cluster, user);
  World world({{"KUBECONFIG", "/k/config"}}, std::move(files));
  std::string reported = workers_of(world, KubernetesOptions());
  CHECK(world.transport->requests.empty());
  CHECK_THAT(reported, !Contains("hush"));
  return reported;
}

}  // namespace

TEST_CASE("within the cluster") {
  World world(pod_variables(), account_files());
  KubernetesOptions options;
  options.executable_location(ExecutableLocation::within_cluster).namespace_name(".");
  CHECK(workers_of(world, options).empty());
  CHECK(world.asked().url.origin() == "https://10.96.0.1");
  CHECK(world.asked().url.target.starts_with("/api/v1/namespaces/own/pods?"));
  CHECK(world.asked().bearer.reveal() == "pod-token");
  REQUIRE(world.asked().access != nullptr);
  CHECK(world.asked().access->authorities == "CA PEM");
}

TEST_CASE("within a cluster of IPv6, and a namespace from the environment") {
  Texts variables = pod_variables();
  variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  variables["KUBERNETES_SERVICE_PORT"] = "6443";
  variables["POD_NAMESPACE"] = "mine";
  World world(variables, account_files());
  KubernetesOptions options;
  CHECK(workers_of(world, options.namespace_name(".")).empty());
  CHECK(world.asked().url.origin() == "https://[fd00::1]:6443");
  CHECK(world.asked().url.target.starts_with("/api/v1/namespaces/mine/"));
}

TEST_CASE("within the cluster, every part that is missing or empty is named") {
  const auto reported = [](const Texts& variables, const Texts& files) {
    World world(variables, files);
    KubernetesOptions options;
    return workers_of(world, options.executable_location(ExecutableLocation::within_cluster));
  };
  for (const char* const name : {"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}) {
    Texts variables = pod_variables();
    variables[name] = "";
    CHECK_THAT(reported(variables, account_files()), Contains("failed_precondition") && Contains(std::string(name) + " is not set"));
    variables.erase(name);
    CHECK_THAT(reported(variables, account_files()), Contains("failed_precondition") && Contains(std::string(name) + " is not set"));
  }
  for (const char* const name : {"token", "ca.crt"}) {
    Texts files = account_files();
    files[std::string(account) + name] = " \n";
    CHECK_THAT(reported(pod_variables(), files),
               Contains("failed_precondition") && Contains("is empty") && Contains(std::string(account) + name));
    files.erase(std::string(account) + name);
    CHECK_THAT(reported(pod_variables(), files), Contains("failed_precondition") && Contains(std::string(account) + name));
  }
  Texts bad = pod_variables();
  bad["KUBERNETES_SERVICE_PORT"] = "99999";
  CHECK_THAT(reported(bad, account_files()), Contains("invalid_argument: KUBERNETES_SERVICE_HOST and _PORT is not the address"));
}

TEST_CASE("a kubeconfig by the option, by KUBECONFIG, at home, and then the pod's own account") {
  Texts files = account_files();
  files["/a"] = config_text("", "token: a-token");
  files["/b"] = "current-context: other\nusers: [{name: u, user: {token: not-this}}]\n";
  files["/h/.kube/config"] = config_text("", "token: home-token");
  Texts variables = pod_variables();
  variables["HOME"] = "/h";
  variables["KUBECONFIG"] = ":/missing:/a:/b";
  const auto token_with = [&files](const Texts& environment, const KubernetesOptions& options) {
    World world(environment, files);
    CHECK(workers_of(world, options).empty());
    return std::string(world.asked().bearer.reveal());
  };
  KubernetesOptions named;
  CHECK(token_with(variables, named.kubeconfig("/h/.kube/config")) == "home-token");
  CHECK(token_with(variables, {}) == "a-token");
  variables.erase("KUBECONFIG");
  CHECK(token_with(variables, {}) == "home-token");
  variables.erase("HOME");
  CHECK(token_with(variables, {}) == "pod-token");
}

TEST_CASE("no configuration at all, and files that are not there") {
  World nothing({{"HOME", "/h"}}, {});
  CHECK_THAT(workers_of(nothing, {}), Contains("failed_precondition: no Kubernetes cluster is configured"));
  World missing({{"KUBECONFIG", "/no/such:/nor/this"}}, account_files());
  CHECK_THAT(workers_of(missing, {}), Contains("not_found: KUBECONFIG names /no/such, /nor/this, which do not exist"));
  World named({}, {});
  KubernetesOptions options;
  CHECK_THAT(workers_of(named, options.kubeconfig("/gone")),
             Contains("not_found: the kubeconfig option names /gone, which does not exist"));
}

TEST_CASE("context, namespace, CA, client certificate, server name, proxy and impersonation of a kubeconfig") {
  Texts files;
  files["/k/ca.pem"] = "CA PEM";
  files["/k/key.pem"] = "KEY PEM";
  files["/k/config"] =
      config_text("certificate-authority: ca.pem, tls-server-name: api.k, proxy-url: 'http://proxy:3128'",
                  "client-certificate-data: Q0VSVA==, client-key: key.pem, as: boss, as-uid: '7', as-groups: [a, b]", ", namespace: ns");
  World world({}, files);
  KubernetesOptions options;
  CHECK(workers_of(world, options.kubeconfig("/k/config").namespace_name(".")).empty());
  const HttpRequest& asked = world.asked();
  CHECK(asked.url.origin() == "https://k.test:6443");
  CHECK(asked.url.target.starts_with("/api/v1/namespaces/ns/"));
  CHECK(asked.bearer.empty());
  CHECK(asked.headers.get("impersonate-user") == "boss");
  CHECK(asked.headers.get("impersonate-uid") == "7");
  CHECK(asked.headers.get("impersonate-group") == "a");
  REQUIRE(asked.access != nullptr);
  CHECK(asked.access->authorities == "CA PEM");
  CHECK(asked.access->authorities_from == "the CA file /k/ca.pem");
  CHECK(asked.access->certificate == "CERT");
  CHECK(asked.access->key.reveal() == "KEY PEM");
  CHECK(asked.access->server_name == "api.k");
  CHECK(asked.access->proxy.reveal() == "http://proxy:3128");
  CHECK(asked.access->proxy_from == "the proxy-url of 'k' (/k/config, line 2)");
}

TEST_CASE("a kubeconfig's proxy may be of any kind and have a user and a password") {
  const std::string proxy = GENERATE("http://user:hush@p:1", "https://p", "socks5://user:hush@p:1", "socks5h://p:1080", "http://hush@p");
  Texts files;
  files["/k/config"] = config_text(fmt::format("proxy-url: '{}'", proxy), "token: t");
  World world({{"KUBECONFIG", "/k/config"}}, files);
  CHECK(workers_of(world, {}).empty());
  REQUIRE((world.asked().access && world.asked().access->proxies_near_hosts));
  const bool is_socks5 = proxy.starts_with("socks5:");  // the proxy looks the server's name up, as for kubectl
  CHECK(world.asked().access->proxy.reveal() == (is_socks5 ? "socks5h" + proxy.substr(6) : proxy));
}

TEST_CASE("a token file wins over a token and is read again for each call") {
  Texts files;
  files["/k/config"] = config_text("", "token: old, tokenFile: t");
  files["/k/t"] = "from-file\n";
  World world({{"KUBECONFIG", "/k/config"}}, files);
  CHECK(workers_of(world, {}).empty());
  CHECK(world.asked().bearer.reveal() == "from-file");
  CHECK_THAT(error_with("", "tokenFile: nowhere"), Contains("unauthenticated") && Contains("/k/nowhere"));
}

TEST_CASE("unsupported features of a kubeconfig are reported with their location") {
  for (const char* const authority : {"certificate-authority: ca.pem", "certificate-authority-data: Q0E="}) {
    CHECK_THAT(error_with(std::string("insecure-skip-tls-verify: true, ") + authority, "token: hush"),
               Contains("invalid_argument: the cluster 'k' (/k/config, line 2) has a certificate-authority, and insecure-skip-tls-verify"));
  }
  for (const char* const proxy : {"http://p:hush", "http://p/?hush", "ftp://hush@p", "http://:hush@p", "http://user:hu/sh@p:1"}) {
    INFO(proxy);
    CHECK_THAT(error_with(fmt::format("proxy-url: '{}'", proxy), "token: t"),
               Contains("invalid_argument: the proxy-url of 'k' (/k/config, line 2) names no proxy that can be used"));
  }
  CHECK_THAT(error_with("server: 'http://127.0.0.1:1', proxy-url: 'http://p:1'", ""),
             Contains("unimplemented: the cluster 'k' (/k/config, line 2) has a proxy-url for plain http"));
  CHECK_THAT(error_with("", "as-groups: [a]"),
             Contains("invalid_argument: the user 'u' (/k/config, line 3) has as-groups, as-uid or as-user-extra without as"));
  CHECK_THAT(error_with("", "as-user-extra: {a: [b]}"), Contains("without as"));
  CHECK_THAT(error_with("", "as-uid: '7'"), Contains("without as"));
  CHECK_THAT(error_with("", "token: 'hush hush'"),
             Contains("invalid_argument: the access token in the entry of user 'u' (/k/config, line 3) contains blanks"));
  CHECK_THAT(error_with("", "auth-provider: {name: a}"),
             Contains("unimplemented: the user 'u' (/k/config, line 3) needs an auth-provider, 'a': that is not supported"));
  CHECK_THAT(error_with("", "auth-provider: {name: gcp}"), Contains("gcloud container clusters get-credentials"));
  CHECK_THAT(error_with("", "auth-provider: {name: azure}"), Contains("kubelogin convert-kubeconfig"));
  CHECK_THAT(error_with("server: 'http://k.test:80'", "username: a, password: hush"), Contains("refused_by_policy") && !Contains("hush"));
  CHECK_THAT(error_with("", "client-key-data: aHVzaA=="),
             Contains("invalid_argument: the user 'u' (/k/config, line 3) has a client-key but no"));
  CHECK_THAT(error_with("", "client-certificate: c.pem"), Contains("has a client-certificate but no client-key"));
  CHECK_THAT(error_with("", "client-certificate: c.pem, client-key: k.pem"),
             Contains("client-certificate of 'u' (/k/config, line 3)") && Contains("/k/c.pem"));
  CHECK_THAT(error_with("certificate-authority: ca.pem", ""),
             Contains("certificate-authority of 'k' (/k/config, line 2)") && Contains("/k/ca.pem"));
  CHECK_THAT(error_with("certificate-authority: ca.pem", "", {{"/k/ca.pem", "\n"}}), Contains("the CA file is empty"));
  CHECK_THAT(error_with("", "token: [hush]"), Contains("invalid_argument: the kubeconfig /k/config: token is not a text (line 3)"));
}

TEST_CASE("contexts with missing or invalid entries") {
  const auto reported = [](const std::string& text, const std::string& context = "") {
    World world({{"KUBECONFIG", "/k/config"}}, {{"/k/config", text}});
    KubernetesOptions options;
    return workers_of(world, options.context(context));
  };
  const std::string good = config_text("", "");
  CHECK_THAT(reported(good, "x"), Contains("not_found: the kubeconfig has no context 'x'; it has: c"));
  CHECK_THAT(reported("contexts: [{name: a}, {name: b}]"),
             Contains("failed_precondition: the kubeconfig has no current-context; its contexts: a, b"));
  CHECK_THAT(reported(""), Contains("no current-context; its contexts: none"));
  CHECK_THAT(reported("current-context: a\ncontexts: [{name: a, context: {cluster: k}}]"),
             Contains("no cluster 'k', which context 'a' (/k/config, line 2) names; it has: none"));
  CHECK_THAT(reported("current-context: a\ncontexts: [{name: a, context: {cluster: k, user: u}}]\nclusters: [{name: k, cluster: {server: "
                      "'https://h'}}]"),
             Contains("no user 'u', which context 'a'"));
  CHECK_THAT(reported("current-context: a\ncontexts: [{name: a, context: {cluster: k}}]\nclusters: [{name: k}]"),
             Contains("invalid_argument: the server of cluster 'k' (/k/config, line 3) is not the address of an API server"));
}

TEST_CASE("a token of several lines in a kubeconfig is trimmed") {
  World world({{"KUBECONFIG", "/k/config"}}, {{"/k/config", config_text("", R"(token: "\n a-token\n")")}});
  CHECK(workers_of(world, {}).empty());
  CHECK(world.asked().bearer.reveal() == "a-token");
}

TEST_CASE("a context that cannot be looked up is not ignored") {
  const auto reported = [](const KubernetesOptions& options) {
    World world(pod_variables(), account_files());
    std::string text = workers_of(world, options);
    CHECK(world.transport->requests.empty());
    return text;
  };
  KubernetesOptions named;
  CHECK_THAT(reported(named.context("prod")), Contains("failed_precondition: there is no kubeconfig to look up the context 'prod' in"));
  named.executable_location(ExecutableLocation::off_cluster);
  CHECK_THAT(reported(named), Contains("failed_precondition: no Kubernetes cluster is configured"));
  named.executable_location(ExecutableLocation::within_cluster);
  CHECK_THAT(reported(named), Contains("invalid_argument: a context is of a kubeconfig, and none is read within the cluster"));
  KubernetesOptions file;
  file.kubeconfig("/nope").executable_location(ExecutableLocation::within_cluster);
  CHECK_THAT(reported(file), Contains("invalid_argument: a kubeconfig is given, and none is read within the cluster"));
  KubernetesOptions address = at_test_server();
  CHECK_THAT(reported(address.context("prod")),
             Contains("invalid_argument: a context is of a kubeconfig, and none is read with api_server"));
  KubernetesOptions both = at_test_server();
  CHECK_THAT(reported(both.kubeconfig("/nope")), Contains("invalid_argument: a kubeconfig is given, and none is read with api_server"));
}

TEST_CASE("one's own namespace is checked before it is asked for, wherever it comes from") {
  const auto reported = [](const Texts& variables, const Texts& files, const std::string& namespace_name) {
    World world(variables, files);
    KubernetesOptions options;
    std::string text = workers_of(world, options.namespace_name(namespace_name));
    return text.empty() ? world.asked().url.target.substr(0, world.asked().url.target.find('?')) : text;
  };
  for (const std::string bad : {"..", ".", "Train", "a/b", "-"}) {
    INFO(bad);
    const Texts config = {{"/k/config", config_text("", "", ", namespace: '" + bad + "'")}};
    CHECK_THAT(reported({{"KUBECONFIG", "/k/config"}}, config, "."),
               Contains("invalid_argument: the namespace of context 'c' (/k/config, line 4): '" + bad + "' is not a namespace"));
    CHECK(reported({{"KUBECONFIG", "/k/config"}}, config, "train") == "/api/v1/namespaces/train/pods");
    Texts variables = pod_variables();
    variables["POD_NAMESPACE"] = bad;
    CHECK_THAT(reported(variables, account_files(), "."), Contains("invalid_argument: POD_NAMESPACE: '" + bad + "' is not a namespace"));
    Texts files = account_files();
    files[std::string(account) + "namespace"] = bad;
    CHECK_THAT(reported(pod_variables(), files, "."),
               Contains("invalid_argument: " + std::string(account) + "namespace: '" + bad + "' is not a namespace"));
  }
  Texts variables = pod_variables();
  variables["POD_NAMESPACE"] = "train \n";
  CHECK(reported(variables, account_files(), ".") == "/api/v1/namespaces/train/pods");
  variables["POD_NAMESPACE"] = " ";
  CHECK(reported(variables, account_files(), ".") == "/api/v1/namespaces/own/pods");
}

TEST_CASE("a server that is not verified is reported at every call") {
  const bool is_skipped = GENERATE(true, false);
  World world({{"KUBECONFIG", "/k/config"}},
              {{"/k/config", config_text(fmt::format("insecure-skip-tls-verify: {}", is_skipped), "token: t")}});
  for (int i = 0; i < 2; ++i) CHECK(workers_of(world, {}).empty());
  CHECK(world.asked().access->skips_verification == is_skipped);
  CHECK(std::count(world.log->lines.begin(), world.log->lines.end(), "security_warning") == (is_skipped ? 2 : 0));
}
