// What a service that asks the clouds for many launchers is told: by a program, or by the file of `rollcall serve --config`. No I/O.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// The service's end of TLS: PEM files, read again when they change.
class FleetTls {
 public:
  FleetTls() {}
  std::string certificate_file;  ///< and its chain; empty: plain HTTP, which is for loopback addresses only
  std::string key_file;          ///< empty: the key is in certificate_file
  std::string client_authorities_file;  ///< whose certificates clients may show; empty: none are asked for
  friend bool operator==(const FleetTls&, const FleetTls&) = default;
};

/// One way in which clients prove who they are. A client is called `AS:NAME` in rights, logs and bounds.
class FleetClients {
 public:
  FleetClients() {}
  enum class Method {
    certificate,  ///< of FleetTls::client_authorities_file; NAME is one of its subject alternative names
    kubernetes,   ///< a service account's token; NAME is `NAMESPACE/ACCOUNT`
    google,  ///< an identity token (OpenID Connect); NAME is `PROJECT/ACCOUNT-EMAIL`, PROJECT that of the instance or of the account
  };
  Method method = Method::certificate;
  std::string as;  ///< empty: `certificate`, `kubernetes`, `google`; unique
  std::string audience;  ///< of tokens, which must name it
  std::vector<std::string> projects;  ///< google: of instances and accounts; others are refused. Must not be empty
  std::string context;  ///< kubernetes: of the kubeconfig; empty: its current one, or the cluster this runs in
  std::string kubeconfig;  ///< kubernetes: empty: as kubectl finds it
  bool reviews = false;  ///< kubernetes: the API server is asked about each token (TokenReview), so that deleted pods are known
  friend bool operator==(const FleetClients&, const FleetClients&) = default;
};

/// What those may read whose `AS:NAME` matches `who`; rights add up.
class FleetRight {
 public:
  FleetRight() {}
  std::string who;  ///< `*` stands for any text: `kubernetes:train/*`
  std::vector<std::string> read;  ///< patterns of targets: `tpu:*,project=p,zone=us-*`, `kubernetes:train`, `*`
  bool metrics = false;  ///< /metrics besides
  friend bool operator==(const FleetRight&, const FleetRight&) = default;
};

/// A whole place that is followed whether anybody asks or not.
class FleetPlace {
 public:
  FleetPlace() {}
  enum class Kind {
    tpu,         ///< a project's TPUs and queued resources
    gce,         ///< a project's instance groups
    kubernetes,  ///< the jobs of a cluster's namespaces
  };
  Kind kind = Kind::tpu;
  std::string project;             ///< of TPUs and groups
  std::vector<std::string> zones;  ///< of these; empty: all
  std::string context;             ///< of the kubeconfig; empty: its current one, or the cluster this runs in
  std::vector<std::string> namespaces;  ///< of jobs; `-`: all of them
  friend bool operator==(const FleetPlace&, const FleetPlace&) = default;
};

/// Where several services keep what they know, so that they tell the same: etcd, version 3.4 or later, by its JSON gateway.
class FleetStore {
 public:
  FleetStore() {}
  std::vector<std::string> etcd;  ///< `https://etcd-0:2379`: the servers of one cluster; empty: one service, which keeps all in memory
  // PEM files, read when a connection needs them, so that they may be renewed.
  std::string authorities_file;  ///< whose certificates the servers show; empty: the system's
  std::string certificate_file;  ///< the service's own, for servers that ask for one; empty: none
  std::string key_file;          ///< empty: the key is in certificate_file
  std::string user;  ///< with a role that reads and writes the keys `/rollcall/FLEET/`; empty: none. Needs https, but on this machine
  std::string password_file;  ///< its first line
  std::string fleet = "default";  ///< the services of one name tell the same: letters, digits, `-`, `_` and `.`
  friend bool operator==(const FleetStore&, const FleetStore&) = default;
};

/// How much a service takes on; more is refused.
class FleetBounds {
 public:
  FleetBounds() {}
  std::size_t followers = 20'000;  ///< streams and answers that are waited for
  std::size_t targets = 5'000;  ///< followed at a time
  int streams_a_client = 16;  ///< of these followers, of one identity at one address; without `clients`, of one address
  int requests_a_second = 20;  ///< the same, and `burst` at once
  int burst = 100;
  int unknown_targets_an_hour = 100;  ///< that one identity may name, and nobody else has named lately
  friend bool operator==(const FleetBounds&, const FleetBounds&) = default;
};

/// What a service is started with.
class FleetServiceOptions {
 public:
  FleetServiceOptions() {}
  /// `IP:PORT`, IPv6 in brackets, or `:PORT` for all addresses; port 0: any. Others than loopback addresses need `tls` and `clients`.
  std::vector<std::string> listen = {"127.0.0.1:7070"};
  /// The same for endpoint discovery by gRPC (xDS, ADS), with the same `tls`; empty: none. That for Envoy by REST is where `listen` says.
  std::vector<std::string> xds_listen;
  FleetTls tls;
  FleetStore store;
  std::vector<FleetPlace> follow;
  /// Patterns as FleetRight::read: what may be asked for beyond `follow`. Empty: nothing where there are `clients`, else everything.
  std::vector<std::string> allow;
  std::vector<FleetClients> clients;  ///< empty: the service does not tell its clients apart
  std::vector<FleetRight> rights;
  FleetBounds bounds;
  std::map<std::string, int> polls_per_minute;  ///< by project: of the quota, what all direct askers together may use; else 300
  friend bool operator==(const FleetServiceOptions&, const FleetServiceOptions&) = default;
};

/// The service's settings as docs/fleet.md has them, in YAML. Paths in it are relative to its own directory; the files that it names are
/// read, to see whether they can serve. Errors: as Files::read() of the file itself; invalid_argument: all that is wrong with it, a line of
/// Failure::what() each, with line and path (`fleet.yaml:7: clients[0].google.audience: …`).
Result<FleetServiceOptions> read_fleet_settings(const std::string& path, const Files& files);

/// Whether the options fit together, as FleetService::start() asks too: addresses that other machines reach need `tls` and `clients`, those
/// need what they prove themselves by, and rights. Asks nobody and opens nothing. Errors: invalid_argument, refused_by_policy.
[[nodiscard]] Result<void> check_fleet_options(const FleetServiceOptions& options);

/// What the options name and this machine does not have, a line each: addresses to listen on, and contexts that are looked up in the
/// environment's kubeconfig (one that `kubeconfig` names is read with the settings). No faults, since they may be another machine's. Binds
/// addresses to see whether they are there; asks nobody.
std::vector<std::string> question_fleet_options(const FleetServiceOptions& options, const Environment& environment, const Files& files);

}  // namespace rollcall
