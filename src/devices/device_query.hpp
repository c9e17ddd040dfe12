// Lists a cluster's devices by its own runtime [facts: tf-list-devices, tf-sessions].
#pragma once

#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/device.hpp"

namespace rollcall {

class ClusterResolver;

/// The master and the workers to ask, and the time limits.
class DeviceQuestion {
 public:
  DeviceQuestion() {}
  /// `url` is in master()'s form: `grpc://host:port`, `grpcs://…` (TLS), or without a scheme. Errors: failed_precondition for an
  /// empty one, unimplemented for an address that is not for gRPC (`/bns/…`).
  static Result<DeviceQuestion> of_master(std::string_view url);

  std::string master;        ///< `host:port`
  std::string url;           ///< as given
  bool is_tls = false;
  std::vector<std::string> workers;     ///< addresses in worker order; empty: those of `resolver`
  ClusterResolver* resolver = nullptr;  ///< lists the workers when they are needed; must outlive the question
  /// The answer must include every worker: a master with fewer is asked in a session with the cluster's definition.
  bool needs_all_workers = false;
  std::string job = "worker";           ///< the workers' name in that session
  bool waits_for_workers = false;       ///< waits for a worker that does not answer; otherwise it is named at once
  bool gives_up_when_refused = false;   ///< the caller has another source
};

/// All devices that the cluster lists, its master's first. Suspends; a master that answers UNAVAILABLE, DEADLINE_EXCEEDED or
/// RESOURCE_EXHAUSTED is asked again [facts: tf-query-retries]. Errors: unavailable naming the workers that do not answer with the reason;
/// those of rpc_send().
asio::awaitable<Result<std::vector<DeviceAttributes>>> ask_devices(Call& call, DeviceQuestion question);

/// The same in a session on the master, for the time of the listing: CreateSession, ListDevices, CloseSession. The session is closed
/// in every case, even on cancellation. `cluster` is the session's cluster definition; may be empty. Errors: those of rpc_send().
asio::awaitable<Result<std::vector<DeviceAttributes>>> list_devices_in_session(Call& call, const DeviceQuestion& question,
                                                                               const ClusterSpec& cluster, SteadyTime deadline);

}  // namespace rollcall
