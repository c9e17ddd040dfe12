// One public call: its options, and the operations that a resolver may use within it.
#pragma once

#include <asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "rollcall/detail/call_state.hpp"
#include "rollcall/http.hpp"
#include "rollcall/retry_policy.hpp"
#include "rollcall/runtime.hpp"

namespace rollcall {

/// How TPU nodes are looked up when several of one project and zone are needed.
enum class TpuLookup {
  automatic,  ///< one nodes.get per TPU; calls that exceed the host's limit of requests in flight share one nodes.list
  each,       ///< one nodes.get per TPU; of a union, as many at a time as requests may be in flight to a host
  list,  ///< one nodes.list per project and zone, shared by the TPUs of the call (a union): a TPU that is not in the list does not exist
};

/// Where a number of accelerators comes from.
enum class CountFrom {
  automatic,  ///< the accelerator type where no runtime listens (a TPU VM of API v2), else the devices
  devices,  ///< the device list of the cluster's own runtime
  accelerator_type,  ///< the TPU's type, by the topology table; no request to a worker
};

/// Which servers are asked for the devices.
enum class DeviceQuery {
  master,  ///< the master, for all; if it is late (half a second, or a quarter of the deadline), every worker
  workers,  ///< every worker from the start, in parallel
};

class CallOptions {
 public:
  CallOptions() {}
  // clang-format off
  /// For the whole call, retries and waits included. Default 30 s; must be positive.
  CallOptions& timeout(std::chrono::nanoseconds t) { timeout_ = t; return *this; }
  CallOptions& retry(RetryPolicy p) { retry_ = p; return *this; }
  CallOptions& tpu_lookup(TpuLookup l) { tpu_lookup_ = l; return *this; }

  CallOptions& count_from(CountFrom c) { count_from_ = c; return *this; }
  CallOptions& device_query(DeviceQuery q) { device_query_ = q; return *this; }
  // clang-format on

  std::chrono::nanoseconds timeout() const noexcept { return timeout_; }
  const RetryPolicy& retry() const noexcept { return retry_; }
  TpuLookup tpu_lookup() const noexcept { return tpu_lookup_; }
  CountFrom count_from() const noexcept { return count_from_; }
  DeviceQuery device_query() const noexcept { return device_query_; }

 private:
  std::chrono::nanoseconds timeout_ = std::chrono::seconds(30);
  RetryPolicy retry_;
  TpuLookup tpu_lookup_ = TpuLookup::automatic;
  CountFrom count_from_ = CountFrom::automatic;
  DeviceQuery device_query_ = DeviceQuery::master;
};

class TpuNodeLists;

/// A call in progress. Resolvers receive it and pass it on.
class Call {
 public:
  Call(std::shared_ptr<Runtime::Impl> runtime, CallOptions options);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const CallOptions& options() const noexcept { return options_; }
  SteadyTime started() const noexcept { return started_; }
  SteadyTime deadline() const noexcept { return deadline_; }
  std::uint64_t id() const noexcept { return id_; }

  /// Sends one HTTP request through the library's retries, limits and tracing; for resolvers that users write. `with_token`: send the
  /// Runtime's credentials (https or loopback only). Non-2xx final answers become failures by status. A request that the server may have
  /// processed is sent again only if that is safe (HttpRequest::is_repeatable; not set: a GET). Any request is sent again when the server
  /// certainly did not process it: no server accepted it, or the server rejected it (401, 429, 503 with Retry-After).
  asio::awaitable<Result<HttpResponse>> fetch(HttpRequest request, bool with_token = false);

  /// Suspends until the earlier of `when` and the deadline (deadline_exceeded). Cancellable.
  asio::awaitable<Result<void>> sleep_until(SteadyTime when);

 private:
  friend Runtime::Impl& impl_of(const Call& call) noexcept;
  friend CallState& state_of(Call& call) noexcept;
  friend std::shared_ptr<TpuNodeLists>& node_lists_of(Call& call) noexcept;
  std::shared_ptr<Runtime::Impl> runtime_;
  CallOptions options_;
  SteadyTime started_;
  SteadyTime deadline_;
  std::uint64_t id_;
  CallState state_;
  std::shared_ptr<TpuNodeLists> node_lists_;  // of TpuLookup::list
};

}  // namespace rollcall
