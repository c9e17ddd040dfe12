// The service's settings: what the file says, and all that can be wrong with it.
#include <catch2/catch.hpp>

#include <set>

#include "base/text.hpp"
#include "json/yaml.hpp"
#include "rollcall/fleet_settings.hpp"
#include "support/certificates.hpp"
#include "support/paths.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

using SettingsFiles = std::map<std::string, std::string, std::less<>>;

Result<FleetServiceOptions> settings_of(const std::string& text, SettingsFiles files = {}) {
  files["/etc/rollcall/fleet.yaml"] = text;
  return read_fleet_settings("/etc/rollcall/fleet.yaml", *fixed_files(std::move(files)));
}

std::vector<std::string> faults_of(const std::string& text, SettingsFiles files = {}) {
  INFO(text);
  const Result<FleetServiceOptions> options = settings_of(text, std::move(files));
  REQUIRE(options.has_error());
  const Failure failure = options.error();
  CHECK(failure.code() == Errc::invalid_argument);
  std::vector<std::string> faults;
  for (const std::string_view line : split(failure.what(), '\n')) {
    CHECK(line.starts_with("/etc/rollcall/fleet.yaml:"));
    faults.emplace_back(line.substr(25));
  }
  return faults;
}

// There is one fault, which begins with `place` and says `what`.
void check_fault(const std::string& text, const std::string& place, const std::string& what, SettingsFiles files = {}) {
  INFO(text);
  const std::vector<std::string> faults = faults_of(text, std::move(files));
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults.front(), Catch::StartsWith(place + ": "));
  CHECK_THAT(faults.front(), Catch::Contains(what));
}

std::string kubeconfig_of(const std::string& context) {
  return "apiVersion: v1\ncurrent-context: " + context + "\ncontexts: [{name: " + context +
         ", context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: \"https://kube.example\"}}]\n";
}

SettingsFiles tls_files() {
  static const Identity own(CertificateRequest({"DNS:fleet.example"}));
  static const Identity other(CertificateRequest({"DNS:other.example"}));
  return {{"/etc/rollcall/tls.crt", own.pem()},
          {"/etc/rollcall/tls.key", own.key_pem()},
          {"/etc/rollcall/other.key", other.key_pem()},
          {"/etc/rollcall/clients.crt", other.pem()},
          {"/etc/rollcall/words", "no PEM"},
          {"/etc/rollcall/kube", kubeconfig_of("gke-prod")}};
}

}  // namespace

TEST_CASE("settings are read whole") {
  const FleetServiceOptions options = value_of(settings_of(R"(# as in docs/fleet.md
listen: [":7070", "[::1]:0"]
xds: {listen: [":7071"]}
tls:
  certificate: tls.crt
  key: /etc/rollcall/tls.key
  client_authorities: clients.crt
follow:
  - tpu: {project: p, zones: [us-central2-b, us-east5-a]}
  - gce: {project: example.com:q}
  - kubernetes: {context: gke-prod, namespaces: [train, "-"]}
allow: ["tpu:*,project=p,zone=us-*", "kubernetes:train"]
clients:
  - kubernetes: {context: gke-prod, audience: rollcall, kubeconfig: kube, reviews: true}
  - google: {audience: "https://rollcall.example", projects: [p], as: cloud}
  - certificate:
rights:
  - {who: "kubernetes:train/*", read: ["kubernetes:train"]}
  - {who: "cl*", read: ["tpu:*,project=p"]}
  - {who: "certificate:prometheus", metrics: true}
limits: {followers: 10, targets: 20, streams_a_client: 3, requests_a_second: 4, burst: 5, unknown_targets_an_hour: 6}
quota: {p: 600, "example.com:q": 60}
)",
                                                           tls_files()));
  CHECK((options.listen == std::vector<std::string>{":7070", "[::1]:0"} && options.xds_listen == std::vector<std::string>{":7071"}));
  CHECK(options.tls.certificate_file == "/etc/rollcall/tls.crt");
  CHECK(options.tls.client_authorities_file == "/etc/rollcall/clients.crt");
  REQUIRE(options.follow.size() == 3);
  CHECK((options.follow[0].kind == FleetPlace::Kind::tpu && options.follow[0].project == "p" && options.follow[0].zones.size() == 2));
  CHECK(
      (options.follow[1].kind == FleetPlace::Kind::gce && options.follow[1].project == "example.com:q" && options.follow[1].zones.empty()));
  CHECK((options.follow[2].kind == FleetPlace::Kind::kubernetes && options.follow[2].context == "gke-prod"));
  CHECK(options.follow[2].namespaces == std::vector<std::string>{"train", "-"});
  REQUIRE(options.clients.size() == 3);
  CHECK((options.clients[0].method == FleetClients::Method::kubernetes && options.clients[0].audience == "rollcall" &&
         options.clients[0].reviews));
  CHECK(options.clients[0].kubeconfig == "/etc/rollcall/kube");
  CHECK((options.clients[1].method == FleetClients::Method::google && options.clients[1].as == "cloud"));
  CHECK(options.clients[1].projects == std::vector<std::string>{"p"});
  CHECK(options.clients[2].method == FleetClients::Method::certificate);
  REQUIRE(options.rights.size() == 3);
  CHECK((options.rights[2].metrics && options.rights[2].read.empty()));
  CHECK((options.bounds.followers == 10 && options.bounds.targets == 20 && options.bounds.streams_a_client == 3));
  CHECK((options.bounds.requests_a_second == 4 && options.bounds.burst == 5 && options.bounds.unknown_targets_an_hour == 6));
  CHECK(options.looks_a_minute == std::map<std::string, int>{{"p", 600}, {"example.com:q", 60}});
  CHECK(value_of(settings_of("# nothing\n")) == FleetServiceOptions());
}

TEST_CASE("all faults of settings are told at once, each with its place, in the order of the file") {
  const std::vector<std::string> faults = faults_of(R"(listen: [":7070", "localhost:1"]
store: {etcd: []}
follow:
  - tpu:
      zones: []
limits: {target: 5000,
  followers: 0}
)");
  REQUIRE(faults.size() == 7);
  const char* const places[] = {"1: listen[0]: ",           "1: listen[1]: ",     "2: store: ",           "4: follow[0].tpu.project: ",
                                "5: follow[0].tpu.zones: ", "6: limits.target: ", "7: limits.followers: "};
  for (std::size_t i = 0; i < faults.size(); ++i) CHECK_THAT(faults[i], Catch::StartsWith(places[i]));
}

TEST_CASE("a fault of settings says what would be right") {
  check_fault("listn: []", "1: listn", "did you mean 'listen'?");
  check_fault("5", "1", "expected a mapping with the keys listen, xds, tls");
  check_fault("listen: 127.0.0.1:7070", "1: listen", "expected a list of addresses");
  check_fault("listen: []", "1: listen", "names no address");
  check_fault("listen: [\"127.0.0.1:1\", \"127.0.0.1:1\"]", "1: listen[1]", "twice");
  check_fault("listen: [7070]", "1: listen[0]", "127.0.0.1:7070");
  check_fault("listen: [\"::1:7070\"]", "1: listen[0]", "[::1]:7070");
  check_fault("listen: [\"0.0.0.0:1\"]", "1: listen[0]", "needs tls and clients");
  check_fault("xds: {listen: [\"0.0.0.0:1\"]}", "1: xds.listen[0]", "needs tls and clients");
  check_fault("tls: {key: tls.key}", "1: tls", "certificate is missing", tls_files());
  check_fault("follow: {tpu: {project: p}}", "1: follow", "expected a list of places");
  check_fault("follow: [{tpuu: {project: p}}]", "1: follow[0]", "did you mean 'tpu'?");
  check_fault("follow: [{tpu: {project: p}, gce: {project: p}}]", "1: follow[0]", "expected one place");
  check_fault("follow: [{tpu: {project: a/b}}]", "1: follow[0].tpu.project", "a/b");
  check_fault("follow: [{tpu: {project: p, zones: [a/b]}}]", "1: follow[0].tpu.zones[0]", "a/b");
  check_fault("follow: [{kubernetes: {context: c}}]", "1: follow[0].kubernetes.namespaces", "[train]");
  check_fault("follow: [{kubernetes: {namespaces: [Train]}}]", "1: follow[0].kubernetes.namespaces[0]", "'Train'");
  check_fault("allow: []", "1: allow", "would allow everything");
  check_fault("allow: [\"tpu:*,projct=p\"]", "1: allow[0]", "projct");
  check_fault("clients: []\nrights: [{who: \"a:*\", read: [\"*\"]}]", "2: rights", "no clients");
  check_fault("clients:\n- google: {audience: a, projects: [p]}", "1: clients", "have no rights");
  check_fault("limits: {burst: \"7\"}", "1: limits.burst", "whole number from 1");
  check_fault("limits: {burst: 0x7}", "1: limits.burst", "whole number from 1");
  check_fault("limits: {targets: 1000001}", "1: limits.targets", "to 1000000");
  check_fault("quota: {p: 0}", "1: quota.p", "whole number from 1");
  check_fault("quota: {\"a/b\": 5}", "1: quota['a/b']", "a/b");
  check_fault("quota: 300", "1: quota", "{p: 300}");
  check_fault("limits:", "1: limits", "found nothing");
}

TEST_CASE("clients need what they prove themselves by, and rights name them") {
  const std::string rights = "rights: [{who: \"*\", read: [\"*\"]}]\n";
  check_fault(rights + "clients:\n- kubernetes: {}", "3: clients[0].kubernetes.audience", "is missing");
  check_fault(rights + "clients:\n- google: {audience: a}", "3: clients[0].google.projects", "are missing");
  check_fault(rights + "clients:\n- google: {audience: a, projects: []}", "3: clients[0].google.projects", "are missing");
  check_fault(rights + "clients:\n- certificate:", "3: clients[0].certificate", "tls.client_authorities");
  check_fault("tls: {certificate: tls.crt, key: tls.key, client_authorities: clients.crt}\n" + rights +
                  "clients:\n- certificate:\n- certificate: {as: again}",
              "5: clients[1].certificate", "stands here twice", tls_files());
  check_fault(rights + "clients:\n- {google: {audience: a, projects: [p], as: \"a:b\"}}", "3: clients[0].google.as", "is no name");
  check_fault(rights + "clients:\n- kubernetes: {audience: a}\n- kubernetes: {audience: b}", "4: clients[1].kubernetes",
              "called 'kubernetes' too");
  check_fault(rights + "clients:\n- kubernetes: {audience: a, reviews: yes}", "3: clients[0].kubernetes.reviews", "true or false");
  check_fault(rights + "clients:\n- kubernetes: {audience: a, kubeconfig: none}", "3: clients[0].kubernetes.kubeconfig", "cannot be read");
  const std::string clients = "clients: [{kubernetes: {audience: a}}, {google: {audience: a, projects: [p], as: cloud}}]\nrights:\n";
  check_fault(clients + "- {who: \"kubernets:train/*\", read: [\"*\"]}", "3: rights[0].who", "did you mean 'kubernetes'?");
  check_fault(clients + "- {who: google:p/*, read: [\"*\"]}", "3: rights[0].who", "cloud or kubernetes");
  check_fault(clients + "- {who: \"kubernetes:\", read: [\"*\"]}", "3: rights[0].who", "is nobody");
  check_fault(clients + "- {read: [\"*\"]}", "3: rights[0].who", "is missing");
  check_fault(clients + "- {who: \"*\"}", "3: rights[0].read", "is missing");
  check_fault(clients + "- {who: \"*\", read: \"*\"}", "3: rights[0].read", "expected a list of patterns");
  check_fault(clients + "- {who: \"*\", read: [\"nix:\"]}", "3: rights[0].read[0]", "nix");
  for (const char* const who : {"*", "k*", "kubernetes:*", "*:train/*", "cloud:p/a@b", "kubernetes:train/a"})
    CHECK(settings_of(clients + "- {who: \"" + who + "\", read: [\"*\"]}"));
}

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
  std::vector<std::string> doubts = doubt_fleet_options(options, *fixed_environment({}), *none);
  REQUIRE(doubts.size() == 5);
  CHECK(doubts[0] == "listen[3]: '192.0.2.1:7070' is no address of this machine");
  CHECK(doubts[2] == "follow[0].kubernetes: there is no kubeconfig here, and this is not a pod");
  CHECK(doubts[3] == "follow[1].kubernetes: there is no kubeconfig here to look up the context 'prod' in");
  CHECK_THAT(doubts[4], Catch::StartsWith("clients[0].kubernetes: ") && Catch::Contains("'other'"));
  doubts = doubt_fleet_options(options, *fixed_environment({{"KUBECONFIG", "/kube"}}), *fixed_files({{"/kube", kubeconfig_of("prod")}}));
  REQUIRE(doubts.size() == 3);
  CHECK_THAT(doubts[2], Catch::StartsWith("clients[0].kubernetes: ") && Catch::Contains("no context 'other'"));
  options.clients[0].kubeconfig = "/named";  // read with the settings
  options.listen = options.xds_listen = {};
  CHECK(doubt_fleet_options(options, *fixed_environment({{"KUBECONFIG", "/kube"}}), *fixed_files({{"/kube", kubeconfig_of("prod")}}))
            .empty());
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
  for (const char* const name : {"kubernetes.yaml", "job.yaml"}) {
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
  CHECK(kinds == std::set<std::string>{"ClusterRoleBinding", "ConfigMap", "Deployment", "Job", "Namespace", "Role", "RoleBinding",
                                       "Service", "ServiceAccount"});
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
  check_failure(check_fleet_options(options), Errc::invalid_argument, "rights: are nobody's");
}
