#include <fmt/format.h>

#include <algorithm>

#include "async/async_event.hpp"
#include "base/path_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "call/runtime_impl.hpp"
#include "readiness/dated_observer.hpp"
#include "readiness/fixed_members.hpp"
#include "readiness/follow.hpp"
#include "resolvers/launchers/slurm_gpus.hpp"
#include "resolvers/launchers/slurm_plan.hpp"
#include "resolvers/launchers/slurm_states.hpp"
#include "resolvers/listed_status.hpp"

namespace rollcall {
namespace {

class SlurmStep final : public SlurmResolver, public FixedMembers {
 public:
  // GPUs are counted once, since cluster_spec() may change the variable from which they are counted.
  SlurmStep(Runtime runtime_handle, SlurmOptions options, std::shared_ptr<ClusterResolver> job)
      : SlurmResolver(std::move(runtime_handle)), options_(std::move(options)), job_(std::move(job)), gpus_(environment()) {
    rpc_layer_ = options_.rpc_layer();
  }

  std::string describe() const override { return "slurm"; }

  Result<SlurmTask> task() const override {
    const Result<SlurmPlan> planned = plan();
    if (!planned) return planned.error();
    return planned->task();
  }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override { co_return apply_plan(); }

  // Once the states of the nodes have been known, a list without them would hide the loss of one.
  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    Result<ClusterStatus> status = co_await listed(call);
    if (!status || !job_) co_return status;
    const Result<ClusterStatus> job = co_await job_->do_cluster_status(call);
    if (job) {
      const Result<SlurmPlan> planned = plan();
      const StepUses uses = planned && !planned->outside.empty() ? StepUses::whole_nodes : StepUses::parts;
      const Result<void> taken = take_job_states(*job, job->expected_source, uses, *status);
      if (!taken) co_return taken.error();
      knows_states_ = true;
      co_return status;
    }
    if (knows_states_ || job.error().code() == Errc::cancelled) co_return job.error();
    report_unknown_states(call, job.error());
    add_end_by_variable(impl_of(call).time->wall_now(), *status);
    co_return status;
  }
  bool has_fixed_members() const override { return true; }

  // A step of thousands of tasks that are launched, or follow it, must not ask Slurm all at once: a task goes by the list first, and all
  // together ask about 50 times a second.
  asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& observer) override {
    if (!job_) co_return co_await SlurmResolver::do_follow(call, observer);
    const Result<SlurmPlan> planned = plan();
    if (!planned) co_return planned.error();
    Runtime::Impl& impl = impl_of(call);
    const bool is_alone = !planned->outside.empty();
    const Duration spread = is_alone ? Duration::zero() : std::chrono::milliseconds(20) * planned->slots.size();
    if (!is_alone && !knows_states_) {
      Result<ClusterStatus> first = co_await listed(call);
      if (!first) co_return first.error();
      report_seen(observer, Seen(impl.time->now(), std::chrono::seconds(60) + spread));
      observer.report(std::move(*first));
      const Duration pause = std::chrono::seconds(1) + std::chrono::duration_cast<Duration>(spread * impl.uniform());
      const bool is_awake = co_await sleep_until(*impl.timers, saturating_sum(impl.time->now(), pause));
      if (!is_awake) co_return Failure(Errc::cancelled, "cancelled before the first question");
    }
    std::vector<Polled> polled;
    polled.emplace_back(*this, observer);
    const PollPace pace(std::chrono::seconds(2) + spread, std::chrono::seconds(10) + spread);
    co_return co_await follow_by_polling(call, std::move(polled), pace);
  }

  // As in TensorFlow the task is not known before the first spec: master() is "" until then [facts: slurm-master].
  asio::awaitable<Result<std::string>> do_master(Call&, std::optional<std::string> task_type, std::optional<int> task_id,
                                                 std::optional<std::string> rpc_layer) override {
    if (!task_type) task_type = task_type_;
    if (!task_id) task_id = task_id_;
    if (!rpc_layer || rpc_layer->empty()) rpc_layer = rpc_layer_;
    if (!task_type || !task_id) {
      const Result<SlurmPlan> planned = plan();
      if (!planned) co_return planned.error();
      co_return std::string();
    }
    const Result<ClusterSpec> spec = apply_plan();
    if (!spec) co_return spec.error();
    const Result<std::string> address = spec->task_address(*task_type, *task_id);
    if (!address) co_return address;
    co_return format_master_url(*address, rpc_layer);
  }

  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call&, std::optional<std::string>, std::optional<int>) override {
    const Result<SlurmPlan> planned = plan();
    if (!planned) co_return planned.error();
    std::map<std::string, int, std::less<>> counts;
    counts.emplace("GPU", planned->gpus_per_task);
    co_return AcceleratorCounts(std::move(counts), CountSource::given);
  }

 private:
  const Environment& environment() const { return *impl_of(runtime()).environment; }

  Result<SlurmPlan> plan() const {
    SlurmHostFile file;
    if (is_slurm_hostfile_used(options_, environment())) file = read_hostfile();
    return plan_slurm(options_, environment(), gpus_, file);
  }

  Result<std::string> read_hostfile() const {
    const std::string path = slurm_text(environment(), {"SLURM_HOSTFILE"});
    const Result<void> fine = check_path("slurm: SLURM_HOSTFILE", path);
    if (!fine) return fine.error();
    const Runtime::Impl& impl = impl_of(runtime());
    Result<std::string> text = impl.files->read(path, impl.limits.max_body_bytes);
    if (text) return text;
    Failure failure = text.error();
    return std::move(failure).with_target(path_text(path));
  }

  // From the environment alone.
  asio::awaitable<Result<ClusterStatus>> listed(Call& call) {
    Result<ClusterStatus> status = co_await listed_status(SlurmResolver::do_cluster_status(call));
    if (!status) co_return status;
    const Result<SlurmPlan> planned = plan();
    if (planned) describe_members(*planned, *status);
    co_return status;
  }

  void report_unknown_states(Call& call, Failure failure) {
    if (std::exchange(has_reported_, true)) return;
    failure.with_what("the states of its nodes are not known: " + failure.what());
    impl_of(call).emit({.kind = EventKind::omitted, .call = call.id(), .subject = "slurm", .failure = &failure});
  }

  // The end as it was when the step began: `scontrol update` may have moved it. [facts: slurm-end-time]
  void add_end_by_variable(WallTime now, ClusterStatus& status) const {
    constexpr std::int64_t year_2100 = 4'102'444'800;
    const auto seconds = parse_decimal<std::int64_t>(slurm_text(environment(), {"SLURM_JOB_END_TIME"}), 1, year_2100);
    if (!seconds) return;
    const WallTime end{std::chrono::seconds(*seconds)};
    if (end <= now || end - now > std::chrono::minutes(10)) return;
    status.notices.emplace_back(NoticeKind::preemption, "Slurm job " + printable(slurm_job_id(environment()), 40),
                                fmt::format("it reaches its time limit at {}, by SLURM_JOB_END_TIME", format_rfc3339(end)));
  }

  // The machine of each member, and its accelerators.
  void describe_members(const SlurmPlan& plan, ClusterStatus& status) const {
    if (plan.slots.empty()) return;
    const std::size_t own_node = node_of_this_process(plan);
    for (Member& member : status.members) {
      const auto job = std::find_if(plan.jobs.begin(), plan.jobs.end(), [&](const SlurmPlan::Job& one) { return one.name == member.job; });
      if (job == plan.jobs.end() || member.index < 0 || member.index >= job->count) continue;
      const auto slot = static_cast<std::size_t>(job->first + member.index);
      member.host = plan.nodes[plan.slots[slot].node].host;
      member.accelerators = slurm_accelerators(gpus_, options_, plan, slot, own_node);
    }
  }

  // Slurm's name of it counts, as hosts that are sorted by name are not in the order of the ranks.
  std::size_t node_of_this_process(const SlurmPlan& plan) const {
    const std::string name = slurm_text(environment(), {"SLURMD_NODENAME"});
    const auto own = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                  [&name](const SlurmNode& node) { return equals_ignoring_case(node.host, name); });
    if (own != plan.nodes.end()) return static_cast<std::size_t>(own - plan.nodes.begin());
    return plan.rank < static_cast<int>(plan.slots.size()) ? plan.slots[static_cast<std::size_t>(plan.rank)].node : 0;
  }

  Result<ClusterSpec> apply_plan() {
    const Result<SlurmPlan> planned = plan();
    if (!planned) return planned.error();
    const Result<SlurmTask> task = planned->task();
    if (!task && options_.auto_set_gpu()) return task.error();
    if (task && options_.auto_set_gpu() && planned->gpus_per_task > 0) {
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
    return planned->cluster();
  }

  SlurmOptions options_;
  std::shared_ptr<ClusterResolver> job_;  // null: nothing is asked
  SlurmGpus gpus_;
  bool knows_states_ = false;
  bool has_reported_ = false;  // why they are not known
};

}  // namespace

std::shared_ptr<SlurmResolver> make_slurm_resolver(Runtime runtime, SlurmOptions options, std::shared_ptr<ClusterResolver> job) {
  return std::make_shared<SlurmStep>(std::move(runtime), std::move(options), std::move(job));
}

}  // namespace rollcall
