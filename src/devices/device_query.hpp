// Asks a cluster's own runtime for its devices [facts: tf-list-devices, tf-sessions].
#pragma once

#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/device.hpp"

namespace rollcall {

class ClusterResolver;

/// Whom to ask, and how patiently.
class DeviceQuestion {
 public:
  DeviceQuestion() {}
  /// `url` as master() gives it: `grpc://host:port`, `grpcs://…` (TLS), or without a scheme. Errors: failed_precondition for an
  /// empty one, unimplemented for what is no gRPC address (`/bns/…`).
  static Result<DeviceQuestion> of_master(std::string_view url);

  std::string master;        ///< `host:port`
  std::string url;           ///< as given
  bool is_tls = false;
  std::vector<std::string> workers;     ///< addresses in worker order; empty: those of `resolver`
  ClusterResolver* resolver = nullptr;  ///< asked for the workers when they are needed; outlives the question
  /// The answer must tell of every worker: a master that knows fewer is asked in a session that is told of the cluster.
  bool needs_all_workers = false;
  std::string job = "worker";           ///< the workers' name in that session
  bool waits_for_workers = false;       ///< a worker that does not answer is waited for, else named at once
  bool gives_up_when_refused = false;   ///< the caller has another answer
};

/// All devices that the cluster lists, its master's first. Suspends; a master that answers UNAVAILABLE, DEADLINE_EXCEEDED or
/// RESOURCE_EXHAUSTED is asked again [facts: tf-query-retries]. Errors: unavailable naming the workers that do not answer and how they
/// fail; those of rpc_send().
asio::awaitable<Result<std::vector<DeviceAttributes>>> ask_devices(Call& call, DeviceQuestion question);

/// The same in a session on the master, for as long as it takes to list the devices: CreateSession, ListDevices, CloseSession. It is closed
/// whatever happens, cancellation included. `cluster`: what the session is told of; may be empty. Errors: those of rpc_send().
asio::awaitable<Result<std::vector<DeviceAttributes>>> list_devices_in_session(Call& call, const DeviceQuestion& question,
                                                                               const ClusterSpec& cluster, SteadyTime deadline);

}  // namespace rollcall
