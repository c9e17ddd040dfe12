// Cloud TPUs. Source: tf.distribute.cluster_resolver.TPUClusterResolver; cloud.google.com/tpu/docs/reference/rest.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollcall/endpoint.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/target.hpp"
#include "rollcall/tpu_call.hpp"
#include "rollcall/tpu_metadata.hpp"

namespace rollcall {

/// Of the Cloud TPU API.
enum class TpuApiVersion { v1, v2, v2alpha1 };
/// `v1`, `v2`, `v2alpha1`
std::string_view to_string(TpuApiVersion version) noexcept;

class TpuOptions {
 public:
  /// No name: KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS, TPU_NAME, then TPU_CONFIG decide.
  TpuOptions() {}
  /// A TPU's name; its full resource name `projects/P/locations/Z/nodes/N`; `local`; a worker list `grpc://host[:port],…`;
  /// or, inside Google, `localhost:…`, `/bns/…`, `uptc://…`.
  explicit TpuOptions(std::string tpu) : name_(std::move(tpu)) {}

  // clang-format off
  /// Upstream's list form: one name; none or several fail with invalid_argument and unimplemented.
  TpuOptions& names(std::vector<std::string> v) { names_ = std::move(v); return *this; }
  /// Default: a full name's, TPU_CONFIG's, GOOGLE_CLOUD_PROJECT, GCLOUD_PROJECT, CLOUDSDK_CORE_PROJECT, then the credential file, gcloud's
  /// active configuration, the metadata server.
  TpuOptions& project(std::string v) { project_ = std::move(v); return *this; }
  /// Default: a full name's, TPU_CONFIG's, CLOUDSDK_COMPUTE_ZONE, then gcloud's active configuration, the metadata server.
  TpuOptions& zone(std::string v) { zone_ = std::move(v); return *this; }
  TpuOptions& job_name(std::string v) { job_name_ = std::move(v); return *this; }
  /// Adds a job of that name with one address: coordinator_address, or else a socket that is bound here (see
  /// TpuResolver::coordinator_socket).
  TpuOptions& coordinator_name(std::string v) { coordinator_name_ = std::move(v); return *this; }
  TpuOptions& coordinator_address(std::string v) { coordinator_address_ = std::move(v); return *this; }
  /// Default: v2.
  TpuOptions& api_version(TpuApiVersion v) { api_version_ = v; return *this; }
  /// Replaces https://tpu.googleapis.com/, or that of the credentials' universe; https, or http on loopback.
  TpuOptions& endpoint(std::string v) { endpoint_ = std::move(v); return *this; }
  /// A discovery document's URL, `{api}` and `{apiVersion}` expanded. TPU_API_DISCOVERY_URL wins over it.
  TpuOptions& discovery_url(std::string v) { discovery_url_ = std::move(v); return *this; }
  /// A host that a discovery document may name and that may then receive tokens.
  TpuOptions& allow_token_to(std::string host) { token_hosts_.push_back(std::move(host)); return *this; }

  // clang-format on

  /// Empty: none, or a list.
  const std::string& name() const { return name_; }
  /// None: no list was given.
  const std::optional<std::vector<std::string>>& names() const { return names_; }
  const std::string& project() const { return project_; }
  const std::string& zone() const { return zone_; }
  const std::string& job_name() const { return job_name_; }
  const std::string& coordinator_name() const { return coordinator_name_; }
  const std::string& coordinator_address() const { return coordinator_address_; }
  TpuApiVersion api_version() const { return api_version_; }
  const std::string& endpoint() const { return endpoint_; }
  const std::string& discovery_url() const { return discovery_url_; }
  const std::vector<std::string>& token_hosts() const { return token_hosts_; }

 private:
  std::string name_;
  std::optional<std::vector<std::string>> names_;
  std::string project_;
  std::string zone_;
  std::string job_name_ = "worker";
  std::string coordinator_name_;
  std::string coordinator_address_;
  TpuApiVersion api_version_ = TpuApiVersion::v2;
  std::string endpoint_;
  std::string discovery_url_;
  std::vector<std::string> token_hosts_;
};

/// A TPU's workers. The name is resolved when the object is constructed; a bad name fails at the first call.
class TpuResolver : public ClusterResolver {
 public:
  /// The resolved name, as given; empty for `no name` (every call fails then).
  virtual std::string name() const = 0;
  /// True if the TPU API is used (not for `local`, worker lists and Google-internal names).
  virtual bool uses_api() const = 0;
  /// Cores, hosts and devices of the whole TPU. TpuCallOptions::count_from selects the source of the number; the accelerator type gives a
  /// topology but no devices. Errors also: failed_precondition (hosts with different numbers of cores).
  asio::awaitable<TpuSystemMetadata> system_metadata(CallOptions options = {});
  asio::awaitable<Result<TpuSystemMetadata>> try_system_metadata(CallOptions options = {});
  /// The same, after waiting for the TPU to be READY and for workers that do not answer yet, until the deadline. Upstream: connect().
  asio::awaitable<TpuSystemMetadata> wait_for_system_metadata(CallOptions options = {});
  asio::awaitable<Result<TpuSystemMetadata>> try_wait_for_system_metadata(CallOptions options = {});
  /// `/job:<job>/task:0`; the job is task_type().
  std::string coordination_service_leader() const;
  /// The resolver's socket for a coordinator_name without address, once bound; -1 before. It listens on its address, unless that belongs to
  /// another machine.
  virtual int coordinator_socket() const = 0;

  // As ClusterResolver's do_ members.
  virtual asio::awaitable<Result<TpuSystemMetadata>> do_system_metadata(Call& call, bool waits) = 0;

 protected:
  using ClusterResolver::ClusterResolver;
};

/// The resolver as one of a TPU; null: it is of something else.
TpuResolver* tpu_of(ClusterResolver& resolver) noexcept;

/// The options of a `tpu:` target whose keys are known ones (check_keys). Errors: invalid_argument (an unknown version of the API).
Result<TpuOptions> tpu_options(const Target& target);

/// Sends no request.
std::shared_ptr<TpuResolver> make_tpu_resolver(Runtime runtime, TpuOptions options);

}  // namespace rollcall
