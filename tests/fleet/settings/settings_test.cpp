// The service's settings: the values in the file, and all faults.
#include <catch2/catch.hpp>

#include "fleet/settings/lease_settings.hpp"
#include "fleet/settings/settings_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;

TEST_CASE("settings are read whole") {
  const FleetServiceOptions options = value_of(settings_of(R"(# as in docs/fleet.md
listen: [":7070", "[::1]:0"]
xds: {listen: [":7071"]}
tls:
  certificate: tls.crt
  key: /etc/rollcall/tls.key
  client_authorities: clients.crt
lease:
  etcd: ["https://etcd-0:2379", "https://etcd-1:2379"]
  authorities: clients.crt
  certificate: tls.crt
  key: tls.key
  user: rollcall
  password_file: words
  fleet: prod
  ttl: 1m
  serves_at: "https://${POD_IP}:7070"
  replica_authorities: clients.crt
  token_file: words
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
  CHECK(options.lease.engine == FleetLease::Engine::etcd);
  CHECK(options.lease.etcd == std::vector<std::string>{"https://etcd-0:2379", "https://etcd-1:2379"});
  CHECK(options.lease.authorities_file == "/etc/rollcall/clients.crt");
  CHECK((options.lease.certificate_file == "/etc/rollcall/tls.crt" && options.lease.key_file == "/etc/rollcall/tls.key"));
  CHECK((options.lease.user == "rollcall" && options.lease.password_file == "/etc/rollcall/words" && options.lease.fleet == "prod"));
  CHECK((options.lease.ttl == std::chrono::minutes(1) && options.lease.serves_at == "https://${POD_IP}:7070"));
  CHECK((options.lease.replica_authorities_file == "/etc/rollcall/clients.crt" && options.lease.token_file == "/etc/rollcall/words"));
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
  CHECK(options.polls_per_minute == std::map<std::string, int>{{"p", 600}, {"example.com:q", 60}});
  CHECK(value_of(settings_of("listen: [\"127.0.0.1:7070\"]\n")) == FleetServiceOptions());
}

TEST_CASE("settings: how Slurm is asked, and which of its jobs are followed") {
  const FleetServiceOptions options = value_of(settings_of(R"(
slurm:
  - {cluster: roll, restd: "https://slurm.example", token_file: words, login: rollcall}
  - {cluster: other, restd: "unix:/run/restd.socket"}
follow:
  - slurm: {cluster: roll, users: [alice, bob], partitions: [main]}
  - slurm: {cluster: other}
allow: ["slurm:job/*,cluster=roll"]
)",
                                                           tls_files()));
  REQUIRE(options.slurm.size() == 2);
  CHECK((options.slurm[0].cluster == "roll" && options.slurm[0].restd == "https://slurm.example" && options.slurm[0].login == "rollcall"));
  CHECK(options.slurm[0].token_file == "/etc/rollcall/words");
  REQUIRE(options.follow.size() == 2);
  CHECK((options.follow[0].kind == FleetPlace::Kind::slurm && options.follow[0].cluster == "roll"));
  CHECK((options.follow[0].users.size() == 2 && options.follow[0].partitions == std::vector<std::string>{"main"}));
  CHECK(value_of(settings_of("follow:\n  - slurm:\n")).follow.front().kind == FleetPlace::Kind::slurm);
}

TEST_CASE("settings of Slurm: faults") {
  check_fault("slurm: [{restd: \"ftp://x\"}]\n", "1: slurm[0]", "restd");
  check_fault("slurm: [{restd: \"unix:relative\"}]\n", "1: slurm[0]", "whole path");
  check_fault("slurm: [{token_file: words}]\n", "1: slurm[0]", "a token is for slurmrestd", tls_files());
  check_fault("slurm: [{restd: \"https://a\", token_file: absent}]\n", "1: slurm[0].token_file", "cannot be read");
  check_fault("slurm: [{cluster: a}, {cluster: a}]\n", "1: slurm[1].cluster", "twice");
  check_fault("slurm: [{cluster: a}, {restd: \"https://a\"}]\n", "1: slurm[1].cluster", "each of several clusters needs its name");
  check_fault("slurm: [{url: \"https://a\"}]\n", "1: slurm[0].url", "unknown key");
  check_fault("follow: [{slurm: {cluster: roll}}]\n", "1: follow[0].slurm.cluster", "no cluster of the settings");
  check_fault("follow: [{slurm: {user: alice}}]\n", "1: follow[0].slurm.user", "unknown key, did you mean 'users'?");
}

TEST_CASE("settings that say nothing are no settings") {
  for (const char* const text : {"", "\n", "# nothing\n", "---\n", "~", "null", "{}", "{ }\n"}) {
    const std::vector<std::string> faults = faults_of(text);
    REQUIRE(faults.size() == 1);
    CHECK_THAT(faults.front(), Catch::Contains("says nothing: the file may have been cut"));
  }
}

TEST_CASE("all faults of settings are reported at once, each with its place, in the order of the file") {
  const std::vector<std::string> faults = faults_of(R"(listen: [":7070", "localhost:1"]
lease: {etcd: []}
follow:
  - tpu:
      zones: []
limits: {target: 5000,
  followers: 0}
)");
  REQUIRE(faults.size() == 7);
  const char* const places[] = {"1: listen[0]: ",           "1: listen[1]: ",     "2: lease.etcd: ",      "4: follow[0].tpu.project: ",
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
  check_fault("lease: {fleet: prod}", "1: lease", "the engine is missing");
  check_fault("lease: {etcd: [\"etcd-0:2379\"]}", "1: lease", "etcd-0:2379");
  check_fault("lease: {etcd: [\"https://e:1\"], user: u}", "1: lease", "both a user and the file of the password");
  check_fault("lease: {etcd: [\"http://e:1\"], user: u, password_file: words}", "1: lease", "without encryption", tls_files());
  check_fault("lease: {etcd: [\"https://e:1\"], key: tls.key}", "1: lease", "no certificate", tls_files());
  check_fault("lease: {etcd: [\"https://e:1\"], fleet: a/b}", "1: lease.fleet", "'a/b'");
  check_fault("lease: {etcd: [\"https://e:1\"], authorities: words}", "1: lease.authorities", "no PEM certificate", tls_files());
  check_fault("lease: {etcd: [\"https://e:1\"], certificate: tls.crt, key: other.key}", "1: lease.key", "not the certificate's",
              tls_files());
  check_fault("lease: {etcd: [\"https://e:1\"], user: u, password_file: none}", "1: lease.password_file", "cannot be read");
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
              "5: clients[1].certificate", "is here twice", tls_files());
  check_fault(rights + "clients:\n- {google: {audience: a, projects: [p], as: \"a:b\"}}", "3: clients[0].google.as", "is no name");
  check_fault(rights + "clients:\n- kubernetes: {audience: a}\n- kubernetes: {audience: b}", "4: clients[1].kubernetes",
              "called 'kubernetes' too");
  check_fault(rights + "clients:\n- kubernetes: {audience: a, reviews: yes}", "3: clients[0].kubernetes.reviews", "true or false");
  check_fault(rights + "clients:\n- kubernetes: {audience: a, kubeconfig: none}", "3: clients[0].kubernetes.kubeconfig", "cannot be read");
  const std::string clients = "clients: [{kubernetes: {audience: a}}, {google: {audience: a, projects: [p], as: cloud}}]\nrights:\n";
  check_fault(clients + "- {who: \"kubernets:train/*\", read: [\"*\"]}", "3: rights[0].who", "did you mean 'kubernetes'?");
  check_fault(clients + "- {who: google:p/*, read: [\"*\"]}", "3: rights[0].who", "cloud or kubernetes");
  check_fault(clients + "- {who: \"kubernetes:\", read: [\"*\"]}", "3: rights[0].who", "is no client");
  check_fault(clients + "- {read: [\"*\"]}", "3: rights[0].who", "is missing");
  check_fault(clients + "- {who: \"*\"}", "3: rights[0].read", "is missing");
  check_fault(clients + "- {who: \"*\", read: \"*\"}", "3: rights[0].read", "expected a list of patterns");
  check_fault(clients + "- {who: \"*\", read: [\"nix:\"]}", "3: rights[0].read[0]", "nix");
  for (const char* const who : {"*", "k*", "kubernetes:*", "*:train/*", "cloud:p/a@b", "kubernetes:train/a"})
    CHECK(settings_of(clients + "- {who: \"" + who + "\", read: [\"*\"]}"));
}

TEST_CASE("a lease is of Kubernetes or of etcd, and its faults say what would be right") {
  FleetLease lease = value_of(settings_of("lease: {kubernetes: {namespace: ops, name: fleet, context: c}, ttl: 30}\n")).lease;
  CHECK((lease.engine == FleetLease::Engine::kubernetes && lease.namespace_name == "ops" && lease.name == "fleet" && lease.context == "c"));
  CHECK(lease.ttl == std::chrono::seconds(30));
  for (const char* const text : {"lease: {kubernetes: {}}\n", "lease:\n  kubernetes:\n"}) {
    lease = value_of(settings_of(text)).lease;
    CHECK((lease.engine == FleetLease::Engine::kubernetes && lease.name == "rollcall" && lease.namespace_name.empty()));
  }
  check_fault("lease: {kubernetes: {}, etcd: [\"https://e:1\"]}", "1: lease", "both kubernetes and etcd");
  check_fault("lease: {kubernetes: {}, fleet: prod}", "1: lease.fleet", "is for etcd");
  check_fault("lease: {kubernetes: {name: Prod}}", "1: lease.kubernetes", "'Prod' is no name of a Lease");
  check_fault("lease: {kubernetes: {namespace: A}}", "1: lease.kubernetes", "'A' is not a namespace");
  check_fault("lease: {kubernetes: {names: a}}", "1: lease.kubernetes.names", "did you mean 'name");
  check_fault("lease: {kubernetes: train}", "1: lease.kubernetes", "expected a mapping");
  check_fault("lease:", "1: lease", "expected a mapping");
  check_fault("store: {etcd: [\"https://e:1\"], fleet: prod}", "1: store", "is now called lease");
  for (const char* const ttl : {"4s", "301s", "5500ms", "0"}) {
    INFO(ttl);
    const std::vector<std::string> faults = faults_of(fmt::format("lease: {{kubernetes: {{}}, ttl: {}}}", ttl));
    REQUIRE(faults.size() == 1);
    CHECK_THAT(faults[0], Catch::StartsWith("1: lease.ttl: "));
  }
  check_fault("lease: {kubernetes: {}, replica_authorities: words}", "1: lease.replica_authorities", "no PEM certificate", tls_files());
  check_fault("lease: {kubernetes: {}, token_file: none}", "1: lease.token_file", "cannot be read");
  check_fault("lease: {kubernetes: {}, ttl: soon}", "1: lease.ttl", "soon");
  check_fault("lease: {kubernetes: {}, serves_at: \"pod:7070\"}", "1: lease.serves_at", "is no URL of a service");
  check_fault("lease: {kubernetes: {}, serves_at: \"http://pod:7070/v1\"}", "1: lease.serves_at", "is no URL of a service");
  check_fault("lease: {kubernetes: {}, serves_at: \"http://$POD_IP:7070\"}", "1: lease.serves_at", "begins no ${NAME}");
  check_fault("lease: {kubernetes: {}, serves_at: \"https://pod:7070\"}", "1: lease.serves_at", "plain HTTP");
  FleetServiceOptions options;
  options.lease.fleet = "prod";
  check_failure(check_fleet_options(options), Errc::invalid_argument, "lease: names no engine");
}

TEST_CASE("the URL of a replica has the values of its variables") {
  const auto url = [](const std::string& text) {
    FleetLease lease;
    lease.serves_at = text;
    return fleet::serving_url(lease, *fixed_environment({{"POD_IP", "10.1.2.3"}, {"V6", "fd00::7"}, {"NONE", ""}}));
  };
  CHECK(value_of(url("")) == "");
  CHECK(value_of(url("https://rollcall-0.rollcall:7070")) == "https://rollcall-0.rollcall:7070");
  CHECK(value_of(url("https://${POD_IP}:7070")) == "https://10.1.2.3:7070");
  CHECK(value_of(url("https://${V6}:7070")) == "https://[fd00::7]:7070");
  check_failure(url("https://${ABSENT}:7070"), Errc::invalid_argument, "lease.serves_at", "'ABSENT', which is not set");
  check_failure(url("https://${NONE}:7070"), Errc::invalid_argument, "which is not set");
  check_failure(url("${POD_IP}"), Errc::invalid_argument, "lease.serves_at", "is no URL");
}
