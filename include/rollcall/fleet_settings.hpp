// The settings of a service that polls the clouds for many launchers: by a program, or by the file of `rollcall serve --config`. No I/O.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "rollcall/environment.hpp"
#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// The service's TLS files: PEM, read again when they change.
class FleetTls {
 public:
  FleetTls() {}
  std::string certificate_file;  ///< and its chain; empty: plain HTTP, which is allowed on loopback addresses only
  std::string key_file;          ///< empty: the key is in certificate_file
  std::string client_authorities_file;  ///< authorities of client certificates; empty: no certificate is requested
  friend bool operator==(const FleetTls&, const FleetTls&) = default;
};

/// One method of client authentication. A client is called `AS:NAME` in rights, logs and limits.
class FleetClients {
 public:
  FleetClients() {}
  enum class Method {
    certificate,  ///< an authority of FleetTls::client_authorities_file; NAME is one of the certificate's subject alternative names
    kubernetes,   ///< a service account's token; NAME is `NAMESPACE/ACCOUNT`
    google,       ///< an identity token (OpenID Connect); NAME is `PROJECT/ACCOUNT-EMAIL`, PROJECT is the instance's or the account's
  };
  Method method = Method::certificate;
  std::string as;  ///< empty: `certificate`, `kubernetes`, `google`; unique
  std::string audience;  ///< the audience that tokens must have
  std::vector<std::string> projects;  ///< google: projects of instances and accounts; others are refused. Must not be empty
  std::string context;  ///< kubernetes: of the kubeconfig; empty: its current one, or the cluster this runs in
  std::string kubeconfig;  ///< kubernetes: empty: as kubectl finds it
  bool reviews = false;  ///< kubernetes: the API server checks each token (TokenReview), so that tokens of deleted pods are rejected
  friend bool operator==(const FleetClients&, const FleetClients&) = default;
};

/// Read permissions of the clients whose `AS:NAME` matches `who`; rights add up.
class FleetRight {
 public:
  FleetRight() {}
  std::string who;  ///< `*` matches any text: `kubernetes:train/*`
  std::vector<std::string> read;  ///< patterns of targets: `tpu:*,project=p,zone=us-*`, `kubernetes:train`, `*`
  bool metrics = false;  ///< permits /metrics, too
  bool replica = false;  ///< permits to follow the service as one of its replicas
  bool barrier = false;  ///< permits to wait at barriers of the service, and to read who is there
  friend bool operator==(const FleetRight&, const FleetRight&) = default;
};

/// A whole project or cluster that is followed even without requests.
class FleetPlace {
 public:
  FleetPlace() {}
  enum class Kind {
    tpu,         ///< a project's TPUs and queued resources
    gce,         ///< a project's instance groups
    kubernetes,  ///< the jobs of a cluster's namespaces
    slurm,       ///< the jobs of a Slurm cluster
  };
  Kind kind = Kind::tpu;
  std::string project;             ///< of TPUs and groups
  std::vector<std::string> zones;  ///< of these; empty: all
  std::string context;             ///< of the kubeconfig; empty: its current one, or the cluster this runs in
  std::vector<std::string> namespaces;  ///< of jobs; `-`: all of them
  std::string cluster;                  ///< slurm: the FleetSlurm::cluster; empty: the only one
  std::vector<std::string> users;       ///< slurm: whose jobs; empty: all
  std::vector<std::string> partitions;  ///< slurm: of these; empty: all
  friend bool operator==(const FleetPlace&, const FleetPlace&) = default;
};

/// How the Slurm of one cluster is asked.
class FleetSlurm {
 public:
  FleetSlurm() {}
  std::string cluster;  ///< its name, which targets give: `slurm:job/4711,cluster=NAME`; may be empty where there is one only
  std::string restd;    ///< slurmrestd: `unix:/path`, `http://127.0.0.1:6820`, `https://host`; empty: Slurm's programs are run
  std::string token_file;  ///< the token for slurmrestd, read at every use; empty: the variable SLURM_JWT, or none at a unix socket
  std::string login;       ///< the user of the token, where it does not say it
  friend bool operator==(const FleetSlurm&, const FleetSlurm&) = default;
};

/// The lease by which one of several services asks the clouds and the others follow it. Its holder is written into one object of
/// Kubernetes, or one key of etcd, version 3.4 or later, by its JSON gateway.
class FleetLease {
 public:
  FleetLease() {}
  enum class Engine {
    none,        ///< a single service
    kubernetes,  ///< a Lease of coordination.k8s.io
    etcd,
  };
  Engine engine = Engine::none;
  // Kubernetes.
  std::string namespace_name;     ///< empty: the context's, or the pod's own
  std::string name = "rollcall";  ///< of the Lease; services with the same one are replicas of one fleet
  std::string context;            ///< of the kubeconfig; empty: its current one, or the cluster this runs in
  // etcd.
  std::vector<std::string> etcd;  ///< `https://etcd-0:2379`: the servers of one cluster
  // PEM files, read when a connection needs them, so that they may be renewed.
  std::string authorities_file;  ///< authorities of the servers' certificates; empty: the system's
  std::string certificate_file;  ///< the service's own, for servers that ask for one; empty: none
  std::string key_file;          ///< empty: the key is in certificate_file
  std::string user;  ///< with a role that reads and writes the key `/rollcall/FLEET/leader`; empty: none. Needs https, except on loopback
  std::string password_file;  ///< its first line
  std::string fleet = "default";  ///< services with the same one are replicas of one fleet: letters, digits, `-`, `_` and `.`
  // Both.
  Duration ttl = std::chrono::seconds(15);  ///< after this another service takes over from one that is gone; whole seconds, 5 s to 5 min
  /// The URL by which the other replicas reach this one; `${NAME}` is an environment variable: `https://${POD_IP}:7070`. Empty: the first
  /// address that it listens on.
  std::string serves_at;
  // How replicas reach the one that leads: with FleetTls::certificate_file, and these.
  std::string replica_authorities_file;  ///< PEM: authorities of the replicas' certificates; empty: the system's
  std::string token_file;  ///< its first line is the token that this replica shows; empty: none
  friend bool operator==(const FleetLease&, const FleetLease&) = default;
};

/// The service's limits; requests beyond them are refused.
class FleetBounds {
 public:
  FleetBounds() {}
  std::size_t followers = 20'000;  ///< open streams and waiting requests
  std::size_t targets = 5'000;  ///< targets followed at a time
  int streams_a_client = 16;  ///< of these targets, requested by one identity at one address; without `clients`, by one address
  int requests_a_second = 20;  ///< requests of the same client; `burst` are allowed at once
  int burst = 100;
  int unknown_targets_an_hour = 100;  ///< that one identity may request, and that no other identity has requested lately
  friend bool operator==(const FleetBounds&, const FleetBounds&) = default;
};

/// The options that a service is started with.
class FleetServiceOptions {
 public:
  FleetServiceOptions() {}
  /// `IP:PORT`, IPv6 in brackets, or `:PORT` for all addresses; port 0: any. Addresses other than loopback need `tls` and `clients`.
  std::vector<std::string> listen = {"127.0.0.1:7070"};
  /// Addresses for endpoint discovery by gRPC (xDS, ADS), with the same `tls`; empty: none. Envoy's REST discovery uses `listen`.
  std::vector<std::string> xds_listen;
  FleetTls tls;
  FleetLease lease;
  std::vector<FleetSlurm> slurm;  ///< empty: `slurm:job/ID` is asked of Slurm's programs
  std::vector<FleetPlace> follow;
  /// Patterns as FleetRight::read: targets that may be requested beyond `follow`. Empty: none if there are `clients`, else all.
  std::vector<std::string> allow;
  std::vector<FleetClients> clients;  ///< empty: the service does not distinguish its clients
  std::vector<FleetRight> rights;
  FleetBounds bounds;
  std::map<std::string, int>
      polls_per_minute;  ///< by project: the share of the quota that all clients together may use directly when no server answers; else 300
  friend bool operator==(const FleetServiceOptions&, const FleetServiceOptions&) = default;
};

/// The service's settings in YAML as described in docs/fleet.md. Paths in it are relative to its own directory; the files that it names are
/// read and validated. Errors: as Files::read() of the file itself; invalid_argument: all faults, one line of Failure::what() each, with
/// line and path (`fleet.yaml:7: clients[0].google.audience: …`).
Result<FleetServiceOptions> read_fleet_settings(const std::string& path, const Files& files);

/// Checks whether the options are consistent, as FleetService::start() does, too: non-loopback addresses need `tls` and `clients`, clients
/// need the settings of their authentication method, and rights. Sends nothing and opens nothing. Errors: invalid_argument,
/// refused_by_policy.
[[nodiscard]] Result<void> check_fleet_options(const FleetServiceOptions& options);

/// Things that the options name and this machine does not have, a line each: addresses to listen on, and contexts that are missing in the
/// environment's kubeconfig (a file that `kubeconfig` names is read with the settings). They are no faults, since the settings may be for
/// another machine. Binds addresses to check whether they exist; sends nothing.
std::vector<std::string> question_fleet_options(const FleetServiceOptions& options, const Environment& environment, const Files& files);

}  // namespace rollcall
