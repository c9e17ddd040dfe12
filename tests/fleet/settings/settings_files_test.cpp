// The service's settings: the files that they name, names that this machine does not have, and the examples.
#include <catch2/catch.hpp>

#include <set>

#include "fleet/settings/settings_support.hpp"
#include "json/yaml.hpp"
#include "support/paths.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("files that settings name are read, and must fit") {
  const auto with_tls = [](const std::string& tls) {
    return "tls: " + tls + "\nclients: [{certificate: {}}]\nrights: [{who: \"certificate:*\", read: [\"*\"]}]\nlisten: [\":7070\"]\n";
  };
  CHECK(settings_of(with_tls("{certificate: tls.crt, key: tls.key, client_authorities: clients.crt}"), tls_files()));
  check_fault(with_tls("{certificate: none.crt, key: tls.key, client_authorities: clients.crt}"), "1: tls.certificate", "none.crt",
              tls_files());
  check_fault(with_tls("{certificate: tls.crt, key: other.key, client_authorities: clients.crt}"), "1: tls.key", "not the certificate's",
              tls_files());
  check_fault(with_tls("{certificate: tls.crt, client_authorities: clients.crt}"), "1: tls.certificate", "key", tls_files());
  check_fault(with_tls("{certificate: words, key: tls.key, client_authorities: clients.crt}"), "1: tls.key", "no PEM certificate",
              tls_files());
  check_fault(with_tls("{certificate: tls.crt, key: tls.key, client_authorities: words}"), "1: tls.client_authorities",
              "no PEM certificate", tls_files());
  for (const std::string& fault : faults_of(with_tls("{certificate: tls.key, key: tls.key, client_authorities: words}"), tls_files()))
    CHECK_THAT(fault, !Catch::Contains("PRIVATE"));
}

TEST_CASE("a kubeconfig that settings name leads to a cluster") {
  const auto with = [](const std::string& keys) {
    return "rights: [{who: \"*\", read: [\"*\"]}]\nclients:\n- kubernetes: {audience: a, kubeconfig: kube" + keys + "}\n";
  };
  const auto files = [](std::string kubeconfig) { return SettingsFiles{{"/etc/rollcall/kube", std::move(kubeconfig)}}; };
  CHECK(settings_of(with(", context: prod"), files(kubeconfig_of("prod"))));
  CHECK(settings_of(with(""), files(kubeconfig_of("prod"))));
  check_fault(with(", context: prud"), "3: clients[0].kubernetes.context", "no context 'prud'; it has: prod", files(kubeconfig_of("prod")));
  check_fault(with(""), "3: clients[0].kubernetes.kubeconfig", "current-context", files("apiVersion: v1\n"));
  check_fault(with(""), "3: clients[0].kubernetes.kubeconfig", "is not YAML", files("{"));
}

TEST_CASE("what settings name and this machine does not have is doubted once, since it may be another machine's") {
  FleetServiceOptions options;
  options.listen = options.xds_listen = {"127.0.0.1:0", "[::]:1", ":2", "192.0.2.1:7070"};
  options.follow.resize(3);
  for (FleetPlace& place : options.follow) place.kind = FleetPlace::Kind::kubernetes;
  options.follow[1].context = options.follow[2].context = "prod";
  options.clients.resize(1);
  options.clients[0].method = FleetClients::Method::kubernetes;
  options.clients[0].context = "other";
  const auto none = fixed_files({});
  std::vector<std::string> contradictions = question_fleet_options(options, *fixed_environment({}), *none);
  REQUIRE(contradictions.size() == 5);
  CHECK(contradictions[0] == "listen[3]: '192.0.2.1:7070' is no address of this machine");
  CHECK(contradictions[2] == "follow[0].kubernetes: there is no kubeconfig here, and this is not a pod");
  CHECK(contradictions[3] == "follow[1].kubernetes: there is no kubeconfig here to look up the context 'prod' in");
  CHECK_THAT(contradictions[4], Catch::StartsWith("clients[0].kubernetes: ") && Catch::Contains("'other'"));
  contradictions =
      question_fleet_options(options, *fixed_environment({{"KUBECONFIG", "/kube"}}), *fixed_files({{"/kube", kubeconfig_of("prod")}}));
  REQUIRE(contradictions.size() == 3);
  CHECK_THAT(contradictions[2], Catch::StartsWith("clients[0].kubernetes: ") && Catch::Contains("no context 'other'"));
  options.clients[0].kubeconfig = "/named";  // read with the settings
  options.listen = options.xds_listen = {};
  CHECK(question_fleet_options(options, *fixed_environment({{"KUBECONFIG", "/kube"}}), *fixed_files({{"/kube", kubeconfig_of("prod")}}))
            .empty());
}

TEST_CASE("a lease whose context or variable this machine does not have is doubted") {
  const auto warnings_of = [](const std::string& lease, const std::map<std::string, std::string, std::less<>>& variables = {}) {
    const FleetServiceOptions options = value_of(settings_of("lease: " + lease));
    return question_fleet_options(options, *fixed_environment(variables), *fixed_files({{"/kube", kubeconfig_of("prod")}}));
  };
  CHECK(warnings_of("{kubernetes: {}}") ==
        std::vector<std::string>{"lease.kubernetes: there is no kubeconfig here, and this is not a pod"});
  CHECK(warnings_of("{kubernetes: {}}", {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}).empty());
  const std::vector<std::string> absent = warnings_of("{kubernetes: {context: prud}}", {{"KUBECONFIG", "/kube"}});
  REQUIRE(absent.size() == 1);
  CHECK_THAT(absent[0], Catch::StartsWith("lease.kubernetes: ") && Catch::Contains("no context 'prud'"));
  CHECK(warnings_of("{kubernetes: {context: prod}}", {{"KUBECONFIG", "/kube"}}).empty());
  const std::string by_name = "{etcd: [\"https://e:1\"], serves_at: \"http://${HOST_OF_THIS}:7070\"}";
  CHECK(warnings_of(by_name) ==
        std::vector<std::string>{"lease.serves_at names the environment variable 'HOST_OF_THIS', which is not set"});
  CHECK(warnings_of(by_name, {{"HOST_OF_THIS", ""}}).size() == 1);
  CHECK(warnings_of(by_name, {{"HOST_OF_THIS", "a b"}}).size() == 1);
  CHECK(warnings_of(by_name, {{"HOST_OF_THIS", "fe80::1"}}).empty());
}

TEST_CASE("what is no file of settings") {
  check_failure(read_fleet_settings("/none", *fixed_files({})), Errc::not_found, "file");
  check_failure(settings_of("a: ["), Errc::invalid_argument, "fleet.yaml", "line");
  check_failure(settings_of("limits: {}\nlimits: {}"), Errc::invalid_argument, "limits", "line 2");
  std::string many = "listen: [";
  for (int i = 0; i < 1000; ++i) many += "x,";
  CHECK(faults_of(many + "]").size() == 101);
}

TEST_CASE("the manifests of the examples are YAML, and what stands in them fits the service") {
  const auto read = [](const char* name) {
    const std::string path = (source_dir() / "examples/fleet" / name).string();
    return value_of(file_system()->read(path, 65536));
  };
  std::vector<YamlNode::Pointer> documents;
  for (const char* const name : {"kubernetes-replicas.yaml", "kubernetes.yaml", "kubernetes-etcd.yaml", "job.yaml"}) {
    std::string text = read(name);
    for (std::size_t at = 0; at != std::string::npos;) {
      const std::size_t end = text.find("\n---\n", at);
      documents.push_back(value_of(parse_yaml(name, std::string_view(text).substr(at, end == std::string::npos ? end : end - at))));
      at = end == std::string::npos ? end : end + 5;
    }
  }
  std::set<std::string> kinds;
  std::set<std::string> variables;
  std::string settings;
  for (const YamlNode::Pointer& document : documents) {
    REQUIRE(document->find("kind"));
    kinds.insert(document->find("kind")->text);
    CHECK((document->find("apiVersion") && document->find("metadata")));
    if (const YamlNode* const data = document->find("data")) settings = data->find("fleet.yaml")->text;
    if (document->find("kind")->text != "Job") continue;
    const YamlNode* const pod = document->find("spec")->find("template")->find("spec");
    for (const YamlNode::Pointer& variable : pod->find("containers")->items.at(0)->find("env")->items)
      variables.insert(variable->find("name")->text);
    const YamlNode* const token =
        pod->find("volumes")->items.at(0)->find("projected")->find("sources")->items.at(0)->find("serviceAccountToken");
    CHECK(token->find("audience")->text == "rollcall");
  }
  CHECK(kinds == std::set<std::string>{"ClusterRoleBinding", "ConfigMap", "Deployment", "Job", "Lease", "Namespace", "PodDisruptionBudget",
                                       "Role", "RoleBinding", "Service", "ServiceAccount", "StatefulSet"});
  CHECK(variables == std::set<std::string>{"ROLLCALL_SERVER", "ROLLCALL_SERVER_CA", "ROLLCALL_SERVER_TOKEN_FILE"});
  SettingsFiles files = tls_files();
  files["/etc/rollcall/tls/tls.crt"] = files["/etc/rollcall/tls.crt"];
  files["/etc/rollcall/tls/tls.key"] = files["/etc/rollcall/tls.key"];
  const FleetServiceOptions options = value_of(settings_of(settings, files));
  REQUIRE(options.clients.size() == 1);
  CHECK(options.clients[0].audience == "rollcall");
}

TEST_CASE("options of a program are judged as a file's") {
  FleetServiceOptions options;
  CHECK(check_fleet_options(options));
  options.listen = {"0.0.0.0:1"};
  check_failure(check_fleet_options(options), Errc::refused_by_policy, "listen[0]", "needs tls and clients");
  options.listen = {"127.0.0.1:1"};
  options.rights.emplace_back();
  check_failure(check_fleet_options(options), Errc::invalid_argument, "rights: belong to no client");
  options.rights.clear();
  options.bounds.burst = -1;
  options.bounds.targets = 0;
  check_failure(check_fleet_options(options), Errc::invalid_argument, "limits.burst: is -1: at least 1 is needed", "limits.targets: is 0");
}
