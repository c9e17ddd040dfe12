// The interface of every resolver; users derive from it to write their own.
#pragma once

#include <asio/awaitable.hpp>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/accelerator.hpp"
#include "rollcall/call.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/device.hpp"
#include "rollcall/error.hpp"
#include "rollcall/explained_status.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// Finds a cluster. Objects live in a std::shared_ptr; a call keeps its resolver alive. Nothing is cached between calls.
///
/// Every awaitable of this class: may suspend; can be cancelled by Asio's per-operation cancellation (ends with Errc::cancelled in the next
/// turn of the loop); is bounded by CallOptions::timeout (default 30 s; ends with Errc::deadline_exceeded or a phase's time-out); throws
/// ResolveError, its `try_` twin returns the Failure instead.
class ClusterResolver : public std::enable_shared_from_this<ClusterResolver> {
 public:
  virtual ~ClusterResolver();
  ClusterResolver(const ClusterResolver&) = delete;
  ClusterResolver& operator=(const ClusterResolver&) = delete;

  /// The cluster's jobs and addresses, requested at every call.
  asio::awaitable<ClusterSpec> cluster_spec(CallOptions options = {});
  asio::awaitable<Result<ClusterSpec>> try_cluster_spec(CallOptions options = {});

  /// The address of the session master, `rpc_layer://host:port` when there is an rpc_layer; may be empty. A missing
  /// task_type or task_id means the resolver's own. Errors also: not_found (no such job or task).
  asio::awaitable<std::string> master(std::optional<std::string> task_type = {}, std::optional<int> task_id = {},
                                      std::optional<std::string> rpc_layer = {}, CallOptions options = {});
  asio::awaitable<Result<std::string>> try_master(std::optional<std::string> task_type = {}, std::optional<int> task_id = {},
                                                  std::optional<std::string> rpc_layer = {}, CallOptions options = {});

  /// Accelerators per host by type, with the source of the numbers.
  asio::awaitable<AcceleratorCounts> num_accelerators(CallOptions options = {});
  /// The same, of one task's host only.
  asio::awaitable<AcceleratorCounts> num_accelerators(std::optional<std::string> task_type, std::optional<int> task_id,
                                                      CallOptions options = {});
  asio::awaitable<Result<AcceleratorCounts>> try_num_accelerators(std::optional<std::string> task_type = {},
                                                                  std::optional<int> task_id = {}, CallOptions options = {});

  /// All devices that the cluster's own runtime lists, CPUs too: from the master over gRPC, or from every worker (see
  /// TpuCallOptions::device_query). Errors also: unavailable naming the workers that do not answer and how they fail, rpc_error. Source:
  /// TensorFlow's Session.list_devices.
  asio::awaitable<std::vector<DeviceAttributes>> list_devices(CallOptions options = {});
  asio::awaitable<Result<std::vector<DeviceAttributes>>> try_list_devices(CallOptions options = {});

  /// The state of the cluster and of each member, requested at every call; a cluster that is not ready is an answer here, not an error. See
  /// wait.hpp and watch.hpp for following it over time.
  asio::awaitable<ClusterStatus> cluster_status(CallOptions options = {});
  asio::awaitable<Result<ClusterStatus>> try_cluster_status(CallOptions options = {});

  /// The same, with causes from everywhere around the members that are not ready: of Kubernetes their controllers, queues, events, nodes.
  /// What may not be read is left out and named. Costs a few more requests.
  asio::awaitable<ExplainedStatus> explained_status(CallOptions options = {});
  asio::awaitable<Result<ExplainedStatus>> try_explained_status(CallOptions options = {});

  // Properties. They do not suspend. The getters throw ResolveError where the value comes from a malformed environment (TF_CONFIG); call
  // them from the Runtime's executor.
  std::optional<std::string> task_type() const;
  std::optional<int> task_id() const;
  std::optional<std::string> rpc_layer() const;
  std::optional<std::string> environment() const;  ///< "google" inside Google, else "" or none
  /// Setters may refuse: failed_precondition.
  [[nodiscard]] Result<void> set_task_type(std::optional<std::string> value);
  [[nodiscard]] Result<void> set_task_id(std::optional<int> value);
  [[nodiscard]] Result<void> set_rpc_layer(std::optional<std::string> value);

  /// How messages name this resolver, such as `tpu:trainer`. Never a secret.
  virtual std::string describe() const = 0;

  const Runtime& runtime() const noexcept { return runtime_; }

  // The hooks that a resolver implements. Deadline, cancellation, tracing and the conversion of errors are handled outside, once: so call
  // them only through the public calls, or from another resolver that passes its own Call on.
  virtual asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) = 0;
  /// Default: task_type and task_id default to the properties; "" unless both are known; else the spec's address, prefixed.
  virtual asio::awaitable<Result<std::string>> do_master(Call& call, std::optional<std::string> task_type, std::optional<int> task_id,
                                                         std::optional<std::string> rpc_layer);
  /// Default: the devices that the master lists, without CPUs; with a task type and a task id those of exactly that task.
  virtual asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                         std::optional<int> task_id);
  /// Default: requests them from the master of do_master().
  virtual asio::awaitable<Result<std::vector<DeviceAttributes>>> do_list_devices(Call& call);
  /// Default: the tasks of do_cluster_spec(), all ready; if that fails with not_ready, no members and its message.
  virtual asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call);
  /// Default: do_cluster_status(), which says all that is known.
  virtual asio::awaitable<Result<ExplainedStatus>> do_explained_status(Call& call);
  /// Reports the cluster's status to `observer`, at once and from then on, until it is cancelled; ends only with a failure that another
  /// attempt cannot fix. `observer` outlives the await. Default: calls do_cluster_status() by the schedule of wait_until_ready().
  virtual asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& observer);
  /// True if the service notifies do_follow() of changes. A union polls its other children together.
  virtual bool supports_watch() const { return false; }
  virtual Result<std::optional<std::string>> do_task_type() const;
  virtual Result<std::optional<int>> do_task_id() const;
  virtual Result<std::optional<std::string>> do_rpc_layer() const;
  virtual Result<std::optional<std::string>> do_environment() const;
  virtual Result<void> check_task_type(const std::optional<std::string>& value) const;

 protected:
  explicit ClusterResolver(Runtime runtime);

  /// Replaces a missing argument by the property of that name; an argument stays missing if the property is missing, too.
  Result<void> fill_in(std::optional<std::string>& task_type, std::optional<int>& task_id, std::optional<std::string>& rpc_layer) const;

  // The stored property values: written by the setters and read by the default hooks.
  std::optional<std::string> task_type_;
  std::optional<int> task_id_;
  std::optional<std::string> rpc_layer_;

 private:
  Runtime runtime_;
};

/// `rpc_layer://address`, or the address alone when rpc_layer is missing or empty. No check for an existing scheme.
std::string format_master_url(std::string_view address, const std::optional<std::string>& rpc_layer);

/// A resolver from a target (see target.hpp). Errors: invalid_argument, naming the nearest scheme or key on a misspelling.
Result<std::shared_ptr<ClusterResolver>> make_resolver(Runtime runtime, std::string_view target);

}  // namespace rollcall
