// One Cloud TPU's condition. Source: TensorFlow's cloud_tpu_client.Client; every member sends new requests, nothing is cached.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rollcall/accelerator.hpp"
#include "rollcall/call.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

/// Something that went wrong on a node at some time.
class TpuSymptom {
 public:
  TpuSymptom() {}
  std::string type;         ///< `OUT_OF_MEMORY`, …
  std::string create_time;  ///< RFC 3339, as the API gives it
  std::string details;
  std::string worker_id;
};

/// The API's view of a node, from one answer.
class TpuDescription {
 public:
  TpuDescription() {}
  explicit TpuDescription(AcceleratorType type) : accelerator(std::move(type)) {}
  AcceleratorType accelerator;
  std::string state;              ///< `READY`, `CREATING`, …
  std::string health;             ///< `HEALTHY`, …; may be empty
  MemberState level = MemberState::ready;  ///< derived from state and health, the worse of both
  std::vector<Endpoint> workers;  ///< in worker order; empty unless READY
};

/// Every awaitable: may suspend; cancellable; bounded by CallOptions::timeout; throws ResolveError, its `try_` twin returns the Failure
/// instead.
class CloudTpuClient : public std::enable_shared_from_this<CloudTpuClient> {
 public:
  virtual ~CloudTpuClient() = default;

  // The symptoms that make recoverable() return false; both on by default.
  virtual void set_runtime_oom_exit(bool on) = 0;
  virtual void set_hbm_oom_exit(bool on) = 0;

  /// The resolved name. Throws ResolveError (invalid_argument, unimplemented) when there is none.
  virtual std::string name() const = 0;
  /// False for `local` and worker lists.
  virtual bool api_available() const = 0;

  // None without the API, or when the field is absent.
  asio::awaitable<std::optional<std::string>> state(CallOptions options = {});
  virtual asio::awaitable<Result<std::optional<std::string>>> try_state(CallOptions options = {}) = 0;
  asio::awaitable<std::optional<std::string>> health(CallOptions options = {});
  virtual asio::awaitable<Result<std::optional<std::string>>> try_health(CallOptions options = {}) = 0;
  asio::awaitable<std::optional<std::string>> accelerator_type(CallOptions options = {});
  virtual asio::awaitable<Result<std::optional<std::string>>> try_accelerator_type(CallOptions options = {}) = 0;
  /// The node's hardware: by acceleratorConfig, which includes the topology, or else by acceleratorType. Errors: failed_precondition
  /// without the API; malformed_response when it has neither, or they cannot be parsed; not_found for an unknown generation.
  asio::awaitable<AcceleratorType> accelerator(CallOptions options = {});
  virtual asio::awaitable<Result<AcceleratorType>> try_accelerator(CallOptions options = {}) = 0;
  /// Accelerators, state and workers by one request. Errors: those of accelerator() and network_endpoints().
  asio::awaitable<TpuDescription> description(CallOptions options = {});
  virtual asio::awaitable<Result<TpuDescription>> try_description(CallOptions options = {}) = 0;
  /// The API's tensorflowVersion or runtimeVersion. Without the API, the answer of the first worker's version switcher (plain http, port
  /// 8475).
  asio::awaitable<std::optional<std::string>> runtime_version(CallOptions options = {});
  virtual asio::awaitable<Result<std::optional<std::string>>> try_runtime_version(CallOptions options = {}) = 0;
  /// The node's own history; none without the API or when the field is absent.
  asio::awaitable<std::optional<std::vector<TpuSymptom>>> symptoms(CallOptions options = {});
  virtual asio::awaitable<Result<std::optional<std::vector<TpuSymptom>>>> try_symptoms(CallOptions options = {}) = 0;
  /// This machine's primary address by the metadata server; 127.0.0.1 for `local`.
  asio::awaitable<std::string> local_ip(CallOptions options = {});
  virtual asio::awaitable<Result<std::string>> try_local_ip(CallOptions options = {}) = 0;
  /// False if TERMINATED or PREEMPTED, or if a memory symptom (see above) is younger than 90 s; true otherwise.
  asio::awaitable<bool> recoverable(CallOptions options = {});
  virtual asio::awaitable<Result<bool>> try_recoverable(CallOptions options = {}) = 0;
  /// In worker order. Errors: not_ready.
  asio::awaitable<std::vector<Endpoint>> network_endpoints(CallOptions options = {});
  virtual asio::awaitable<Result<std::vector<Endpoint>>> try_network_endpoints(CallOptions options = {}) = 0;
  /// Polls health every `interval` until it is HEALTHY. Errors: not_ready when the next poll would come after `timeout`. Zero or less: one
  /// poll. `options.timeout` is not used.
  asio::awaitable<void> wait_for_healthy(std::chrono::nanoseconds timeout = std::chrono::seconds(1200),
                                         std::chrono::nanoseconds interval = std::chrono::seconds(30), CallOptions options = {});
  virtual asio::awaitable<Result<void>> try_wait_for_healthy(std::chrono::nanoseconds timeout = std::chrono::seconds(1200),
                                                             std::chrono::nanoseconds interval = std::chrono::seconds(30),
                                                             CallOptions options = {}) = 0;
  /// Asks every worker's version switcher (plain http, port 8475, no token) to run `version`; `restart_type` is `always` or `ifNeeded`.
  /// Each request is sent once, without retries: an answer may be lost because the runtime is already restarting. Errors: not_found naming
  /// the version, or the failure naming the worker.
  asio::awaitable<void> configure_tpu_version(std::string version, std::string restart_type = "always", CallOptions options = {});
  virtual asio::awaitable<Result<void>> try_configure_tpu_version(std::string version, std::string restart_type = "always",
                                                                  CallOptions options = {}) = 0;
};

/// Sends no request.
std::shared_ptr<CloudTpuClient> make_cloud_tpu_client(Runtime runtime, TpuOptions options);

/// True if a metadata server answers within a second: on Compute Engine. Failures mean false.
asio::awaitable<bool> is_running_in_gce(Runtime runtime, CallOptions options = {});
/// The same; a failure is a value.
asio::awaitable<Result<bool>> try_is_running_in_gce(Runtime runtime, CallOptions options = {});

}  // namespace rollcall
