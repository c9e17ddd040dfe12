#include <fmt/format.h>

#include "call/runtime_impl.hpp"
#include "readiness/fixed_members.hpp"
#include "resolvers/launchers/slurm_plan.hpp"
#include "resolvers/listed_status.hpp"

namespace rollcall {
namespace {

class SlurmStep final : public SlurmResolver, public FixedMembers {
 public:
  // GPUs are counted once, since cluster_spec() may change the variable from which they are counted.
  SlurmStep(Runtime runtime_handle, SlurmOptions options)
      : SlurmResolver(std::move(runtime_handle)), options_(std::move(options)), gpus_per_node_(count_slurm_gpus(environment())) {
    rpc_layer_ = options_.rpc_layer();
  }

  std::string describe() const override { return "slurm"; }

  Result<SlurmTask> task() const override {
    const Result<SlurmPlan> plan = plan_slurm(options_, environment(), gpus_per_node_);
    if (!plan) return plan.error();
    return plan->task();
  }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override { co_return apply_plan(); }

  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    Result<ClusterStatus> status = co_await listed_status(SlurmResolver::do_cluster_status(call));
    if (!status) co_return status;
    const Result<SlurmPlan> plan = plan_slurm(options_, environment(), gpus_per_node_);
    if (!plan || plan->gpus_per_task == 0) co_return status;
    for (Member& member : status->members) member.accelerators.emplace("GPU", plan->gpus_per_task, "Slurm's variables");
    co_return status;
  }
  bool has_fixed_members() const override { return true; }

  // As in TensorFlow the task is not known before the first spec: master() is "" until then [facts: slurm-master].
  asio::awaitable<Result<std::string>> do_master(Call&, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    if (!task_type) task_type = task_type_;
    if (!task_id) task_id = task_id_;
    if (!rpc_layer || rpc_layer->empty()) rpc_layer = rpc_layer_;
    if (!task_type || !task_id) {
      const Result<SlurmPlan> plan = plan_slurm(options_, environment(), gpus_per_node_);
      if (!plan) co_return plan.error();
      co_return std::string();
    }
    const Result<ClusterSpec> spec = apply_plan();
    if (!spec) co_return spec.error();
    const Result<std::string> address = spec->task_address(*task_type, *task_id);
    if (!address) co_return address;
    co_return format_master_url(*address, rpc_layer);
  }

  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call&, std::optional<std::string>, std::optional<int>) override {
    const Result<SlurmPlan> plan = plan_slurm(options_, environment(), gpus_per_node_);
    if (!plan) co_return plan.error();
    std::map<std::string, int, std::less<>> counts;
    counts.emplace("GPU", plan->gpus_per_task);
    co_return AcceleratorCounts(std::move(counts), CountSource::given);
  }

 private:
  const Environment& environment() const { return *impl_of(runtime()).environment; }

  Result<ClusterSpec> apply_plan() {
    const Result<SlurmPlan> plan = plan_slurm(options_, environment(), gpus_per_node_);
    if (!plan) return plan.error();
    const Result<SlurmTask> task = plan->task();
    if (!task && options_.auto_set_gpu()) return task.error();
    if (task && options_.auto_set_gpu() && plan->gpus_per_task > 0) {
      const Result<void> is_set = environment().set("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(task->gpus, ",")));
      if (!is_set) {
        Failure failure = is_set.error();
        return failure.with_hint("leave auto_set_gpu out; a program may give its Runtime writable_process_environment()");
      }
    }
    if (task) {
      task_type_ = task->task_type;
      task_id_ = task->task_id;
    }
    return plan->cluster();
  }

  SlurmOptions options_;
  Result<int> gpus_per_node_;
};

}  // namespace

std::shared_ptr<SlurmResolver> make_slurm_resolver(Runtime runtime, SlurmOptions options) {
  return std::make_shared<SlurmStep>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
