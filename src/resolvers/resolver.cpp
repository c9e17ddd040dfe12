#include "rollcall/resolver.hpp"

#include <fmt/format.h>

#include "call/call_scope.hpp"
#include "devices/device_query.hpp"
#include "readiness/follow.hpp"
#include "rollcall/tpu_call.hpp"
#include "rollcall/tpu_metadata.hpp"

namespace rollcall {
ClusterResolver::ClusterResolver(Runtime runtime) : runtime_(std::move(runtime)) {}
ClusterResolver::~ClusterResolver() = default;

// The public calls are plain functions that take a reference to the object before they return, so that
// `co_spawn(io, r->cluster_spec(), …)` is safe even if the last other pointer is released before the coroutine starts.

asio::awaitable<Result<ClusterSpec>> ClusterResolver::try_cluster_spec(CallOptions options) {
  auto script = [self = shared_from_this()](Call& call) { return self->do_cluster_spec(call); };
  return run_call<ClusterSpec>(shared_impl_of(runtime_), std::move(options), CallSubject(*this, "cluster_spec"), std::move(script));
}

asio::awaitable<ClusterSpec> ClusterResolver::cluster_spec(CallOptions options) {
  return value_or_throw(try_cluster_spec(std::move(options)));
}

asio::awaitable<Result<std::string>> ClusterResolver::try_master(std::optional<std::string> task_type, std::optional<int> task_id,
                                                                 std::optional<std::string> rpc_layer, CallOptions options) {
  auto script = [self = shared_from_this(), type = std::move(task_type), task_id, layer = std::move(rpc_layer)](Call& call) {
    return self->do_master(call, type, task_id, layer);
  };
  return run_call<std::string>(shared_impl_of(runtime_), std::move(options), CallSubject(*this, "master"), std::move(script));
}

asio::awaitable<std::string> ClusterResolver::master(std::optional<std::string> task_type, std::optional<int> task_id,
                                                     std::optional<std::string> rpc_layer, CallOptions options) {
  return value_or_throw(try_master(std::move(task_type), task_id, std::move(rpc_layer), std::move(options)));
}

asio::awaitable<Result<AcceleratorCounts>> ClusterResolver::try_num_accelerators(std::optional<std::string> task_type,
                                                                                 std::optional<int> task_id, CallOptions options) {
  auto script = [self = shared_from_this(), type = std::move(task_type), task_id](Call& call) {
    return self->do_num_accelerators(call, type, task_id);
  };
  return run_call<AcceleratorCounts>(shared_impl_of(runtime_), std::move(options), CallSubject(*this, "num_accelerators"),
                                     std::move(script));
}

asio::awaitable<AcceleratorCounts> ClusterResolver::num_accelerators(CallOptions options) {
  return value_or_throw(try_num_accelerators({}, {}, std::move(options)));
}

asio::awaitable<AcceleratorCounts> ClusterResolver::num_accelerators(std::optional<std::string> task_type, std::optional<int> task_id,
                                                                     CallOptions options) {
  return value_or_throw(try_num_accelerators(std::move(task_type), task_id, std::move(options)));
}

asio::awaitable<Result<std::vector<DeviceAttributes>>> ClusterResolver::try_list_devices(CallOptions options) {
  auto script = [self = shared_from_this()](Call& call) { return self->do_list_devices(call); };
  return run_call<std::vector<DeviceAttributes>>(shared_impl_of(runtime_), std::move(options), CallSubject(*this, "list_devices"),
                                                 std::move(script));
}

asio::awaitable<std::vector<DeviceAttributes>> ClusterResolver::list_devices(CallOptions options) {
  return value_or_throw(try_list_devices(std::move(options)));
}

std::optional<std::string> ClusterResolver::task_type() const { return value_or_throw(do_task_type()); }
std::optional<int> ClusterResolver::task_id() const { return value_or_throw(do_task_id()); }
std::optional<std::string> ClusterResolver::rpc_layer() const { return value_or_throw(do_rpc_layer()); }
std::optional<std::string> ClusterResolver::environment() const { return value_or_throw(do_environment()); }

Result<void> ClusterResolver::set_task_type(std::optional<std::string> value) {
  const Result<void> allowed = check_task_type(value);
  if (!allowed) return allowed;
  task_type_ = std::move(value);
  return Result<void>();
}

Result<void> ClusterResolver::set_task_id(std::optional<int> value) {
  if (value && *value < 0) return Failure(Errc::invalid_argument, fmt::format("{}: a task id cannot be negative: {}", describe(), *value));
  task_id_ = value;
  return Result<void>();
}

Result<void> ClusterResolver::set_rpc_layer(std::optional<std::string> value) {
  rpc_layer_ = std::move(value);
  return Result<void>();
}

Result<void> ClusterResolver::fill_in(std::optional<std::string>& task_type, std::optional<int>& task_id,
                                      std::optional<std::string>& rpc_layer) const {
  if (!task_type) {
    Result<std::optional<std::string>> own = do_task_type();
    if (!own) return own.error();
    task_type = std::move(*own);
  }
  if (!task_id) {
    Result<std::optional<int>> own = do_task_id();
    if (!own) return own.error();
    task_id = *own;
  }
  if (!rpc_layer) {
    Result<std::optional<std::string>> own = do_rpc_layer();
    if (!own) return own.error();
    rpc_layer = std::move(*own);
  }
  return Result<void>();
}

asio::awaitable<Result<std::string>> ClusterResolver::do_master(Call& call, std::optional<std::string> task_type,
                                                                std::optional<int> task_id, std::optional<std::string> rpc_layer) {
  const Result<void> filled = fill_in(task_type, task_id, rpc_layer);
  if (!filled) co_return filled.error();
  if (!task_type || !task_id) co_return std::string();
  Result<ClusterSpec> spec = co_await do_cluster_spec(call);
  if (!spec) co_return spec.error();
  Result<std::string> address = spec->task_address(*task_type, *task_id);
  if (!address) co_return address;
  co_return format_master_url(*address, rpc_layer);
}

namespace {

asio::awaitable<Result<std::vector<DeviceAttributes>>> devices_by_master(Call& call, ClusterResolver& resolver,
                                                                         std::optional<std::string> task_type, std::optional<int> task_id) {
  const bool names_task = task_type && task_id;
  Result<std::string> master = co_await resolver.do_master(call, std::move(task_type), task_id, std::nullopt);
  if (!master) co_return master.error();
  if (master->empty() && !names_task) {
    // The master is empty and the caller named no task: the resolver's own task, if known, is asked.
    const Result<std::optional<std::string>> own_type = resolver.do_task_type();
    const Result<std::optional<int>> own_id = resolver.do_task_id();
    if (own_type && own_id && *own_type && *own_id) {
      master = co_await resolver.do_master(call, *own_type, *own_id, std::nullopt);
      if (!master) co_return master.error();
    }
  }
  Result<DeviceQuestion> question = DeviceQuestion::of_master(*master);
  if (!question) {
    Failure failure = question.error();
    failure.with_what(fmt::format("{}: {}", resolver.describe(), failure.what()));
    co_return failure;
  }
  question->resolver = &resolver;
  co_return co_await ask_devices(call, std::move(*question));
}

}  // namespace

asio::awaitable<Result<AcceleratorCounts>> ClusterResolver::do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                                std::optional<int> task_id) {
  if (call.options().get<TpuCallOptions>().count_from() == CountFrom::accelerator_type) {
    co_return Failure(Errc::invalid_argument, describe() + ": only a TPU that the API knows has an accelerator type to count by");
  }
  const Result<std::vector<DeviceAttributes>> devices = co_await devices_by_master(call, *this, task_type, task_id);
  if (!devices) co_return devices.error();
  co_return count_accelerators(*devices, task_type, task_id);
}

asio::awaitable<Result<std::vector<DeviceAttributes>>> ClusterResolver::do_list_devices(Call& call) {
  return devices_by_master(call, *this, std::nullopt, std::nullopt);
}

asio::awaitable<Result<ClusterStatus>> ClusterResolver::try_cluster_status(CallOptions options) {
  auto script = [self = shared_from_this()](Call& call) { return self->do_cluster_status(call); };
  return run_call<ClusterStatus>(shared_impl_of(runtime_), std::move(options), CallSubject(*this, "cluster_status"), std::move(script));
}

asio::awaitable<ClusterStatus> ClusterResolver::cluster_status(CallOptions options) {
  return value_or_throw(try_cluster_status(std::move(options)));
}

asio::awaitable<Result<ExplainedStatus>> ClusterResolver::try_explained_status(CallOptions options) {
  auto script = [self = shared_from_this()](Call& call) { return self->do_explained_status(call); };
  return run_call<ExplainedStatus>(shared_impl_of(runtime_), std::move(options), CallSubject(*this, "explained_status"), std::move(script));
}

asio::awaitable<ExplainedStatus> ClusterResolver::explained_status(CallOptions options) {
  return value_or_throw(try_explained_status(std::move(options)));
}

asio::awaitable<Result<ExplainedStatus>> ClusterResolver::do_explained_status(Call& call) {
  Result<ClusterStatus> status = co_await do_cluster_status(call);
  if (!status) co_return status.error();
  co_return ExplainedStatus(std::move(*status));
}

asio::awaitable<Result<ClusterStatus>> ClusterResolver::do_cluster_status(Call& call) {
  const Result<ClusterSpec> spec = co_await do_cluster_spec(call);
  ClusterStatus status;
  if (!spec) {
    const Failure failure = spec.error();
    if (failure.code() != Errc::not_ready) co_return failure;
    status.state = Condition(MemberState::waiting, failure.what());
    co_return status;
  }
  for (const ClusterSpec::Job& job : spec->job_list()) {
    status.jobs.push_back(job.name);
    for (const auto& [index, address] : job.tasks) {
      Member& member = status.members.emplace_back(job.name, index);
      member.address = address;
    }
  }
  co_return status;
}

asio::awaitable<Result<void>> ClusterResolver::do_follow(Call& call, StatusObserver& observer) {
  std::vector<Polled> clusters;
  clusters.emplace_back(*this, observer);
  return follow_by_polling(call, std::move(clusters));
}

Result<std::optional<std::string>> ClusterResolver::do_task_type() const { return task_type_; }
Result<std::optional<int>> ClusterResolver::do_task_id() const { return task_id_; }
Result<std::optional<std::string>> ClusterResolver::do_rpc_layer() const { return rpc_layer_; }
Result<std::optional<std::string>> ClusterResolver::do_environment() const { return std::optional<std::string>(""); }
Result<void> ClusterResolver::check_task_type(const std::optional<std::string>&) const { return Result<void>(); }

std::string format_master_url(std::string_view address, const std::optional<std::string>& rpc_layer) {
  if (!rpc_layer || rpc_layer->empty()) return std::string(address);
  return fmt::format("{}://{}", *rpc_layer, address);
}

}  // namespace rollcall
