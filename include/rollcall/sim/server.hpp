// The simulated cloud on loopback sockets: HTTP, HTTPS with a certificate authority of its own, and gRPC for the workers.
#pragma once

#include <asio/any_io_executor.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/sim/cloud.hpp"
#include "rollcall/time_source.hpp"

namespace rollcall::sim {

class SimServerOptions {
 public:
  SimServerOptions() {}
  std::string ip = "127.0.0.1";
  std::uint16_t http_port = 0;    ///< metadata server and API; 0: any
  std::uint16_t https_port = 0;   ///< API; 0: any
  bool points_to_https = false;   ///< environment() names the API's https address; clients then need the authority's certificate
  bool awaits_request = false;    ///< the cloud's time (of timelines and faults) begins with the first request; else at once
  std::shared_ptr<TimeSource> time;  ///< default: system_time()
};

/// Serves a Cloud until stop() or destruction. gRPC, with threads of its own, is started only for a file with workers that run at some
/// time. A connection that is to be refused is reset instead: it has already been accepted when the request shows the route.
class SimServer {
 public:
  /// `executor` must be serial. Errors: failed_precondition naming the port that is not available.
  static Result<std::shared_ptr<SimServer>> start(asio::any_io_executor executor, std::shared_ptr<Cloud> cloud,
                                                  SimServerOptions options = {});
  ~SimServer();
  SimServer(const SimServer&) = delete;
  SimServer& operator=(const SimServer&) = delete;

  std::uint16_t http_port() const noexcept;
  std::uint16_t https_port() const noexcept;
  /// The port of all workers that are not at an address of this machine; 0: there are none.
  std::uint16_t workers_port() const noexcept;

  /// The variables that point clients here: GCE_METADATA_HOST, GCE_METADATA_IP, CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU,
  /// CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE, CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER, TPU_API_DISCOVERY_URL; of a file
  /// with a Slurm cluster SLURM_JWT and ROLLCALL_SIM_SLURM, the address for `restd=`; of one with members of a preflight
  /// ROLLCALL_SIM_MEMBERS, their target; of a recording of one target ROLLCALL_TARGET.
  std::vector<std::pair<std::string, std::string>> environment() const;
  /// The same as lines for `eval "$(…)"`: `export NAME='value'`.
  std::string export_lines() const;
  /// The services' own names and the workers' addresses mapped to this server, in the form of `--connect-to`:
  /// `tpu.googleapis.com:443:127.0.0.1:PORT`, `10.0.0.2:8470:127.0.0.1:PORT`. Workers at addresses of this machine (127.0.0.0/8) are served
  /// at that address, and refuse connections while they are stopped.
  std::vector<std::string> connect_to() const;

  /// For clients of the file's Kubernetes cluster; empty: it has none. Contains the users' tokens.
  std::string kubeconfig() const;

  /// The certificate of the authority that signs for every host name.
  const std::string& ca_pem() const noexcept;
  /// Writes it to a file. Errors: failed_precondition naming the path.
  [[nodiscard]] Result<void> write_ca(const std::string& path) const;

  /// Requests by route, as Cloud::counts().
  const std::map<std::string, std::uint64_t, std::less<>>& counts() const noexcept;
  /// Closes every listener and connection; idempotent. Waits until gRPC's threads no longer use them.
  void stop();

 private:
  class Impl;
  explicit SimServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace rollcall::sim
