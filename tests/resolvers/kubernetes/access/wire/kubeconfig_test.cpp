// parse_kubeconfig and Kubeconfig::merge.
#include "resolvers/kubernetes/access/wire/kubeconfig.hpp"

#include <catch2/catch.hpp>

#include "support/parse_result.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

Kubeconfig config_of(const std::string& text, const std::string& path = "/etc/k/config") { return value_of(parse_kubeconfig(path, text)); }

void check_refused_config(const std::string& text, const std::string& part) {
  const Result<Kubeconfig> config = parse_kubeconfig("/etc/k/config", text);
  INFO(text);
  check_failure(config, Errc::invalid_argument, part);
  CHECK_THAT(config.error().what(), Catch::Contains("/etc/k/config") && Catch::Contains("(line "));
  CHECK_THAT(config.error().message(), !Catch::Contains("hush"));
}

}  // namespace

TEST_CASE("a kubeconfig's clusters, users and contexts") {
  const Kubeconfig config = config_of(read_sample("kubernetes/kubeconfig.yaml"));
  CHECK(config.current_context == "gke-train");
  REQUIRE(config.cluster("gke-train") != nullptr);
  CHECK(config.cluster("gke-train")->authority_data == "EXAMPLE-CA");
  CHECK(config.cluster("onprem")->authority_file == "/etc/k/pki/ca.crt");
  CHECK(config.cluster("onprem")->tls_server_name == "kubernetes.default.svc");
  CHECK(config.cluster("onprem")->proxy_url.reveal() == "socks5://127.0.0.1:1080");
  CHECK(config.cluster("lab")->skips_verification);
  CHECK(config.context("onprem-tokenfile")->namespace_name == "default");
  REQUIRE(config.user("gke-exec")->exec);
  CHECK(config.user("gke-exec")->exec->command == "gke-gcloud-auth-plugin");
  CHECK(config.user("cert-user")->certificate_data == "EXAMPLE-CERT");
  CHECK(config.user("cert-user")->key_data.reveal() == "EXAMPLE-KEY");
  CHECK(config.user("tokenfile-user")->token_file == "/etc/k/secrets/token");
  CHECK(config.user("token-user")->token.reveal() == "EXAMPLE-static-token");
  CHECK(config.user("token-user")->as == "system:serviceaccount:train:resolver");
  CHECK(config.user("token-user")->as_groups == std::vector<std::string>{"system:authenticated"});
  CHECK(config.cluster("gke-train")->where == "/etc/k/config, line 7");
  CHECK(config.cluster("nobody") == nullptr);
}

TEST_CASE("of two kubeconfigs the first that names something wins") {
  Kubeconfig config = config_of(read_sample("kubernetes/kubeconfig.yaml"));
  config.merge(config_of(read_sample("kubernetes/kubeconfig.second.yaml"), "second"));
  CHECK(config.current_context == "gke-train");
  CHECK(config.cluster("lab")->server == "https://[fd00:10::1]:6443");
  CHECK(config.cluster("extra")->server == "https://extra.example:6443");
  CHECK(config.context("extra")->user == "token-user");
  Kubeconfig empty = config_of("");
  empty.merge(config_of("current-context: b"));
  CHECK(empty.current_context == "b");
}

TEST_CASE("a name that stands twice in one kubeconfig is refused, as by kubectl") {
  check_refused_config("users:\n- name: a\n  user: {token: hush}\n- name: b\n- name: a\n",
                       "users has 'a' twice, first in line 2: rename or remove one, since kubectl refuses both, too (line 5)");
  check_refused_config("clusters: [{name: k}, {name: k}]", "clusters has 'k' twice");
  check_refused_config("contexts: [{name: c, context: {user: u}}, {name: c, context: {user: u}}]", "contexts has 'c' twice");
  CHECK(config_of("users: [{name: a}, {name: A}]\ncontexts: [{name: a}]\nclusters: [{name: a}]").users.size() == 2);
  std::string many = "users:\n";
  for (int i = 0; i < 15'000; ++i) many += "- name: u" + std::to_string(i) + "\n";
  CHECK(config_of(many).users.size() == 15'000);
}

TEST_CASE("a kubeconfig in UTF-16, as PowerShell writes it, is read") {
  std::string text = "\xFF\xFE";
  for (const char c : std::string("current-context: c\r\nusers:\r\n- name: u\r\n  user: {token: t}\r\n")) text += std::string{c, '\0'};
  const Kubeconfig config = config_of(text);
  CHECK(config.current_context == "c");
  CHECK(config.user("u")->token.reveal() == "t");
  CHECK(config.user("u")->where == "/etc/k/config, line 3");
}

TEST_CASE("insecure-skip-tls-verify in the words of YAML") {
  const auto skips = [](const std::string& word) {
    return config_of("clusters: [{name: k, cluster: {insecure-skip-tls-verify: " + word + "}}]").cluster("k")->skips_verification;
  };
  for (const char* const word : {"true", "True", "TRUE", "yes", "on", "'true'"}) CHECK(skips(word));
  for (const char* const word : {"false", "False", "no", "off", "~", "''"}) CHECK_FALSE(skips(word));
  check_refused_config("clusters: [{name: k, cluster: {insecure-skip-tls-verify: 'yes'}}]", "is neither true nor false");
  check_refused_config("clusters: [{name: k, cluster: {insecure-skip-tls-verify: 1}}]", "is neither true nor false");
}

TEST_CASE("relative paths are resolved from the folder of the kubeconfig") {
  const std::string text = "users: [{name: u, user: {client-certificate: c.pem, client-key: /abs/k.pem}}]";
  CHECK(config_of(text, "config").user("u")->certificate_file == "c.pem");
  CHECK(config_of(text, "a/b/config").user("u")->certificate_file == "a/b/c.pem");
  CHECK(config_of(text, "/a/config").user("u")->key_file == "/abs/k.pem");
}

TEST_CASE("a file's content, or a token, where its path belongs is refused, and not repeated") {
  for (const std::string field : {"tokenFile", "client-key", "client-certificate"}) {
    for (const std::string content :
         {"eyJhbGciOiJSUzI1NiJ9.e30.c2ln", R"(-----BEGIN PRIVATE KEY-----\nMIIB)", "LS0tLS1CRUdJTiBQUklWQVRF"}) {
      const Result<Kubeconfig> config = parse_kubeconfig("f", "users: [{name: u, user: {" + field + ": \"" + content + "\"}}]");
      check_failure(config, Errc::invalid_argument, field + " holds a file's content, not its path (line 1)");
      CHECK(config.error().message().find(content.substr(8)) == std::string::npos);
    }
  }
}

TEST_CASE("every field of a kubeconfig is refused when it is of the wrong type") {
  check_refused_config("[]", "is not a mapping");
  check_refused_config("kind: Secret", "kind is 'Secret', not Config");
  check_refused_config("current-context: [a]", "current-context is not a text");
  check_refused_config("clusters: {}", "clusters is not a list");
  check_refused_config("clusters: [{cluster: {}}]", "clusters has an entry without a name");
  check_refused_config("clusters: [{name: a, cluster: []}]", "cluster is not a mapping");
  for (const char* const field :
       {"server", "tls-server-name", "certificate-authority", "certificate-authority-data", "proxy-url", "insecure-skip-tls-verify"}) {
    check_refused_config(std::string("clusters: [{name: a, cluster: {") + field + ": [1]}}]", std::string(field) + " is not a text");
  }
  for (const char* const field :
       {"token", "tokenFile", "client-certificate", "client-certificate-data", "client-key", "client-key-data", "as", "as-uid"}) {
    check_refused_config(std::string("users: [{name: a, user: {") + field + ": {hush: hush}}}]", std::string(field) + " is not a text");
  }
  check_refused_config("users: [{name: a, user: {as-groups: hush}}]", "as-groups is not a list");
  check_refused_config("users: [{name: a, user: {as-groups: [[hush]]}}]", "as-groups holds something that is not a text");
  check_refused_config("users: [{name: a, user: {client-key-data: '!hush!'}}]", "client-key-data is not base64");
  check_refused_config("clusters: [{name: a, cluster: {insecure-skip-tls-verify: perhaps}}]", "is neither true nor false");
  for (const char* const field : {"cluster", "user", "namespace"}) {
    check_refused_config(std::string("contexts: [{name: a, context: {") + field + ": [1]}}]", std::string(field) + " is not a text");
  }
  check_refused_config("users:\n- name: a\n  user: {token: hush\n", "is not YAML");
}

TEST_CASE("a user whose token is in a merged mapping has it") {
  const std::string text = "users: [{name: u, user: {<<: &b {token: t, as: a}, as: c}}, {name: v, user: {<<: *b}}]";
  CHECK(config_of(text).user("u")->token.reveal() == "t");
  CHECK(config_of(text).user("u")->as == "c");
  CHECK(config_of(text).user("v")->token.reveal() == "t");
}

TEST_CASE("a kubeconfig's exec plugin") {
  const auto exec_of = [](const std::string& exec, const std::string& path) {
    return config_of("users: [{name: u, user: {exec: {" + exec + "}}}]", path).user("u")->exec.value();
  };
  const KubeExec exec = exec_of(
      "apiVersion: v, command: aws, args: [a, 'b c', 7], env: [{name: A, value: x}, {name: B}], interactiveMode: Never, "
      "provideClusterInfo: true, "
      "installHint: get it",
      "/etc/k/config");
  CHECK(exec.api_version == "v");
  CHECK(exec.command == "aws");
  CHECK(exec.arguments == std::vector<std::string>{"a", "b c", "7"});
  CHECK(exec.variables == std::vector<std::pair<std::string, std::string>>{{"A", "x"}, {"B", ""}});
  CHECK(exec.interactive_mode == "Never");
  CHECK(exec.provides_cluster_info);
  CHECK(exec.install_hint == "get it");
  CHECK(exec_of("command: ./plug, args: null, env: null", "/etc/k/config").command == "/etc/k/./plug");
  CHECK(exec_of("command: bin/plug", "k/config").command == "k/bin/plug");
  CHECK(exec_of("command: /bin/plug", "k/config").command == "/bin/plug");
  check_refused_config("users: [{name: u, user: {exec: {command: [hush]}}}]", "command is not a text");
  check_refused_config("users: [{name: u, user: {exec: {env: {A: hush}}}}]", "env is not a list");
  check_refused_config("users: [{name: u, user: {as-user-extra: hush}}]", "as-user-extra is not a mapping");
  check_refused_config("users: [{name: u, user: {as-user-extra: {a: hush}}}]", "a is not a list");
}
