// The resolver of queued resources.
#include "rollcall/queued_resource.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "call/call_scope.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/queued/queued_api.hpp"
#include "resolvers/queued/queued_spec.hpp"
#include "resolvers/queued/queued_status.hpp"
#include "rollcall/tpu_call.hpp"
#include "rollcall/tpu_slices.hpp"

namespace rollcall {
namespace {

class QueuedResourceResolver final : public ClusterResolver, public TpuSlicesResolver {
 public:
  QueuedResourceResolver(Runtime runtime_handle, QueuedResourceOptions options)
      : ClusterResolver(std::move(runtime_handle)), options_(std::move(options)),
        plan_(plan_queued(options_, *impl_of(runtime()).environment)) {
    task_type_ = options_.slices() == SliceJobs::each ? slice_job(options_.job_name(), 0) : options_.job_name();
    task_id_ = 0;
    rpc_layer_ = "grpc";
  }

  std::string describe() const override { return fmt::format("tpu:qr/{}", printable(options_.name(), 80)); }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const Result<std::vector<FoundSlice>> slices = co_await active_slices(call);
    if (!slices) co_return slices.error();
    const std::string& job = options_.job_name();
    co_return spec_of_slices(plan_->name, *slices, job, options_.slices());
  }

  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    if (!plan_) co_return plan_.error();
    QueuedPlan plan = *plan_;
    const Result<FoundQueued> found = co_await ask_queued(call, plan);
    if (!found) co_return found.error();
    const std::string& job = options_.job_name();
    const std::string& state = found->request.state;
    std::vector<FoundSlice> slices;
    if (state == "ACTIVE" || state == "PROVISIONING") {
      Result<std::vector<FoundSlice>> asked = co_await ask_slices(call, plan, *found);
      if (!asked) co_return asked.error();
      slices = std::move(*asked);
    }
    co_return queued_status(plan.name, found->request, std::move(slices), job, options_.slices());
  }

  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    const CountFrom from = call.options().get<TpuCallOptions>().count_from();
    if (from == CountFrom::devices) {
      co_return co_await ClusterResolver::do_num_accelerators(call, std::move(task_type), task_id);
    }
    const Result<std::vector<FoundSlice>> slices = co_await active_slices(call);
    if (!slices) co_return slices.error();
    co_return counts_of_slices(plan_->name, *slices);
  }

  asio::awaitable<Result<std::vector<TpuSlice>>> try_slices(CallOptions call_options) override {
    auto script = [self = std::static_pointer_cast<QueuedResourceResolver>(shared_from_this())](Call& call) {
      return self->do_slices(call);
    };
    return run_call<std::vector<TpuSlice>>(shared_impl_of(runtime()), std::move(call_options), CallSubject(*this, "slices"),
                                           std::move(script));
  }

 private:
  asio::awaitable<Result<std::vector<TpuSlice>>> do_slices(Call& call) {
    const Result<std::vector<FoundSlice>> slices = co_await active_slices(call);
    if (!slices) co_return slices.error();
    const std::string& job = options_.job_name();
    co_return types_of_slices(plan_->name, *slices, job, options_.slices());
  }

  // The nodes of a request in the state ACTIVE.
  asio::awaitable<Result<std::vector<FoundSlice>>> active_slices(Call& call) {
    if (!plan_) co_return plan_.error();
    QueuedPlan plan = *plan_;
    const Result<FoundQueued> found = co_await ask_queued(call, plan);
    if (!found) co_return found.error();
    if (found->request.state != "ACTIVE") {
      Failure failure = explain_queued(plan.name, found->request);
      co_return failure.with_target(found->asked).with_last_status(found->status);
    }
    co_return co_await ask_slices(call, plan, *found);
  }

  QueuedResourceOptions options_;
  Result<QueuedPlan> plan_;
};

}  // namespace

std::shared_ptr<ClusterResolver> make_queued_resource_resolver(Runtime runtime, QueuedResourceOptions options) {
  return std::make_shared<QueuedResourceResolver>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
