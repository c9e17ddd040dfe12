#include <fmt/format.h>

#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/fixed_members.hpp"
#include "resolvers/listed_status.hpp"
#include "resolvers/tpu/tpu_api.hpp"
#include "resolvers/tpu/tpu_coordinator.hpp"
#include "resolvers/tpu/tpu_count.hpp"
#include "resolvers/tpu/tpu_spec.hpp"
#include "resolvers/tpu/tpu_status.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/tpu_slices.hpp"

namespace rollcall {
namespace {

class CloudTpuResolver final : public TpuResolver, public TpuSlicesResolver, public FixedMembers {
 public:
  CloudTpuResolver(Runtime runtime_handle, TpuOptions&& options)
      : TpuResolver(std::move(runtime_handle)), options_(std::move(options)), plan_(plan_tpu(options_, *impl_of(runtime()).environment)) {
    task_type_ = options_.job_name();
    task_id_ = 0;
    if (plan_ && (plan_->kind == TpuKind::api || plan_->kind == TpuKind::workers)) rpc_layer_ = "grpc";
  }

  std::string describe() const override { return fmt::format("tpu:{}", printable(name(), 80)); }
  std::string name() const override { return plan_ ? plan_->name : std::string(); }
  bool uses_api() const override { return plan_ && plan_->kind == TpuKind::api; }
  bool has_fixed_members() const override { return plan_ && plan_->kind != TpuKind::api; }
  int coordinator_socket() const override { return coordinator_.descriptor(); }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    return options_.coordinator_name().empty() ? workers_spec(call) : spec_with_coordinator(call);
  }

  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    if (!plan_) co_return plan_.error();
    if (plan_->kind != TpuKind::api) {
      co_return co_await listed_status(TpuResolver::do_cluster_status(call));
    }
    TpuAnswer node;
    const Result<void> asked = co_await ask_tpu(call, *plan_, options_, node);
    if (!asked) co_return asked.error();
    ClusterStatus status = tpu_status(plan_->name, node, task_type_.value_or(options_.job_name()));
    const Result<void> added = co_await add_coordinator(call, status);
    if (!added) co_return added.error();
    co_return status;
  }

  asio::awaitable<Result<std::string>> do_master(Call& call, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    if (!plan_) co_return plan_.error();
    if (plan_->kind == TpuKind::local) co_return std::string();
    if (!rpc_layer || rpc_layer->empty()) rpc_layer = rpc_layer_;
    if (plan_->kind == TpuKind::google) co_return format_master_url(plan_->name.substr(0, plan_->name.find(',')), rpc_layer);
    if (!rpc_layer || rpc_layer->empty()) rpc_layer = "grpc";
    // A type or an id without the other is ignored [facts: tpu-master].
    if (!task_type || !task_id) {
      task_type = task_type_.value_or(options_.job_name());
      task_id = task_type_ && task_id_ ? *task_id_ : 0;
    }
    Result<ClusterSpec> spec = co_await do_cluster_spec(call);
    if (!spec) co_return spec.error();
    Result<std::string> address = spec->task_address(*task_type, *task_id);
    if (!address) co_return address;
    co_return format_master_url(*address, rpc_layer);
  }

  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string>, std::optional<int>) override {
    if (!plan_) co_return plan_.error();
    co_return co_await count_tpu(call, *plan_, options_, task_type().value_or(""));
  }

  asio::awaitable<Result<std::vector<DeviceAttributes>>> do_list_devices(Call& call) override {
    if (!plan_) co_return plan_.error();
    Result<TpuSystemMetadata> metadata = co_await describe_tpu(call, *plan_, options_, task_type().value_or(""), false);
    if (!metadata) co_return metadata.error();
    co_return std::move(metadata->devices);
  }

  asio::awaitable<Result<TpuSystemMetadata>> do_system_metadata(Call& call, bool waits) override {
    if (!plan_) co_return plan_.error();
    co_return co_await describe_tpu(call, *plan_, options_, task_type().value_or(""), waits);
  }

  asio::awaitable<Result<std::vector<TpuSlice>>> try_slices(CallOptions call_options) override {
    auto script = [self = std::static_pointer_cast<CloudTpuResolver>(shared_from_this())](Call& call) { return self->ask_slice(call); };
    return run_call<std::vector<TpuSlice>>(shared_impl_of(runtime()), std::move(call_options), CallSubject(*this, "slices"),
                                           std::move(script));
  }

  Result<std::optional<std::string>> do_environment() const override {
    return std::optional<std::string>(plan_ && plan_->kind == TpuKind::google ? "google" : "");
  }

 private:
  // The workers that the name itself lists.
  std::vector<std::string> listed_workers() const {
    std::vector<std::string> workers;
    if (plan_->kind == TpuKind::google) workers.push_back(plan_->name);
    for (const Endpoint& endpoint : plan_->workers) workers.push_back(endpoint.to_text());
    return workers;
  }

  asio::awaitable<Result<std::vector<TpuSlice>>> ask_slice(Call& call) {
    if (!plan_) co_return plan_.error();
    if (plan_->kind != TpuKind::api) {
      Failure failure(Errc::failed_precondition,
                      fmt::format("TPU {} has no type: it is no affair of the TPU API's", quoted(plan_->name, 80)));
      co_return failure;
    }
    TpuAnswer node;
    const Result<void> asked = co_await ask_tpu(call, *plan_, options_, node);
    if (!asked) co_return asked.error();
    const Result<std::vector<Endpoint>> workers = worker_endpoints(plan_->name, node);
    if (!workers) co_return node.with_origin(workers.error());
    Result<AcceleratorType> type = accelerator_of(plan_->name, node);
    if (!type) type = node.with_origin(type.error());
    std::vector<TpuSlice> slices;
    slices.emplace_back(task_type_.value_or(options_.job_name()), std::move(type), static_cast<int>(workers->size()));
    co_return slices;
  }

  // Not a coroutine: saves a frame per call.
  asio::awaitable<Result<ClusterSpec>> workers_spec(Call& call) {
    std::string job = task_type_.value_or(options_.job_name());
    if (plan_ && plan_->kind == TpuKind::api) return ask_tpu_spec(call, *plan_, options_, std::move(job));
    return listed_spec(std::move(job));
  }

  asio::awaitable<Result<ClusterSpec>> listed_spec(std::string job) {
    if (!plan_) co_return plan_.error();
    ClusterSpec spec;
    if (plan_->kind != TpuKind::local) spec.set_job(std::move(job), listed_workers());
    co_return spec;
  }

  asio::awaitable<Result<ClusterSpec>> spec_with_coordinator(Call& call) {
    Result<ClusterSpec> spec = co_await workers_spec(call);
    if (!spec || spec->job_list().empty()) co_return spec;
    if (spec->job_list().front().name == options_.coordinator_name()) {
      co_return Failure(Errc::invalid_argument,
                        fmt::format("the coordinator and the workers cannot both be job {}", quoted(options_.coordinator_name())));
    }
    Result<std::string> address = co_await coordinator_address(call);
    if (!address) co_return address.error();
    spec->set_job(options_.coordinator_name(), std::vector<std::string>{*address});
    co_return spec;
  }

  asio::awaitable<Result<void>> add_coordinator(Call& call, ClusterStatus& status) {
    if (options_.coordinator_name().empty()) co_return Result<void>();
    Result<std::string> address = co_await coordinator_address(call);
    if (!address) co_return address.error();
    Member coordinator(options_.coordinator_name(), 0);
    coordinator.address = std::move(*address);
    status.members.push_back(std::move(coordinator));
    if (status.expected > 0) ++status.expected;
    co_return Result<void>();
  }

  asio::awaitable<Result<std::string>> coordinator_address(Call& call) {
    if (!options_.coordinator_address().empty()) co_return options_.coordinator_address();
    co_return co_await coordinator_.address(call, false);
  }

  TpuOptions options_;
  Result<TpuPlan> plan_;
  LocalCoordinator coordinator_;
};

}  // namespace

asio::awaitable<Result<TpuSystemMetadata>> TpuResolver::try_system_metadata(CallOptions options) {
  auto script = [self = std::static_pointer_cast<TpuResolver>(shared_from_this())](Call& call) {
    return self->do_system_metadata(call, false);
  };
  return run_call<TpuSystemMetadata>(shared_impl_of(runtime()), std::move(options), CallSubject(*this, "system_metadata"),
                                     std::move(script));
}

TpuResolver* tpu_of(ClusterResolver& resolver) noexcept { return dynamic_cast<TpuResolver*>(&resolver); }
TpuSlicesResolver* slices_of(ClusterResolver& resolver) noexcept { return dynamic_cast<TpuSlicesResolver*>(&resolver); }

asio::awaitable<std::vector<TpuSlice>> TpuSlicesResolver::slices(CallOptions options) {
  return value_or_throw(try_slices(std::move(options)));
}

asio::awaitable<TpuSystemMetadata> TpuResolver::system_metadata(CallOptions options) {
  return value_or_throw(try_system_metadata(std::move(options)));
}

asio::awaitable<Result<TpuSystemMetadata>> TpuResolver::try_wait_for_system_metadata(CallOptions options) {
  auto script = [self = std::static_pointer_cast<TpuResolver>(shared_from_this())](Call& call) {
    return self->do_system_metadata(call, true);
  };
  return run_call<TpuSystemMetadata>(shared_impl_of(runtime()), std::move(options), CallSubject(*this, "wait_for_system_metadata"),
                                     std::move(script));
}

asio::awaitable<TpuSystemMetadata> TpuResolver::wait_for_system_metadata(CallOptions options) {
  return value_or_throw(try_wait_for_system_metadata(std::move(options)));
}

std::string TpuResolver::coordination_service_leader() const { return fmt::format("/job:{}/task:0", task_type().value_or("")); }

std::shared_ptr<TpuResolver> make_tpu_resolver(Runtime runtime, TpuOptions options) {
  return std::make_shared<CloudTpuResolver>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
