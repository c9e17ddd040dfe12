#include <fmt/format.h>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "cluster/alike_accelerators.hpp"
#include "google/cloud_place.hpp"
#include "resolvers/gce/gce_api.hpp"
#include "resolvers/own_rpc_layer.hpp"
#include "rollcall/tpu_call.hpp"

namespace rollcall {
namespace {

// An empty task type and task 0 count as given values [facts: compute-task].
class GceResolver final : public OwnRpcLayerResolver {
 public:
  GceResolver(Runtime runtime_handle, GceOptions options)
      : OwnRpcLayerResolver(std::move(runtime_handle)), options_(std::move(options)),
        plan_(plan_gce(options_, *impl_of(runtime()).environment)) {
    task_type_ = options_.task_type();
    task_id_ = options_.task_id();
    rpc_layer_ = options_.rpc_layer();
  }

  std::string describe() const override { return "gce:" + printable(options_.instance_group(), 80); }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const Result<GcePlan> plan = co_await complete_plan(call);
    if (!plan) co_return plan.error();
    Result<std::vector<GceInstance>> instances = co_await find_running(call, *plan, GceDetails::addresses);
    if (!instances) co_return instances.error();
    Result<std::vector<GceTask>> tasks = gce_tasks(*plan, options_, *instances);
    if (!tasks) co_return tasks.error();
    std::vector<std::string> addresses;
    addresses.reserve(tasks->size());
    for (GceTask& task : *tasks) addresses.push_back(std::move(task.address));
    ClusterSpec spec;
    spec.set_job(options_.task_type(), std::move(addresses));
    co_return spec;
  }

  // Unlike the spec, the status includes members that are being created: they are waiting.
  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    const Result<GcePlan> plan = co_await complete_plan(call);
    if (!plan) co_return plan.error();
    Result<std::vector<InstanceGroupMember>> members = co_await list_members(call, *plan, options_, GceMembers::all);
    if (!members) co_return members.error();
    std::vector<InstanceGroupMember> running;
    std::vector<GceInstance> others;
    for (InstanceGroupMember& member : *members) {
      if (is_running(member)) {
        running.push_back(std::move(member));
      } else {
        others.emplace_back().member = std::move(member);
      }
    }
    Result<std::vector<GceInstance>> found =
        co_await look_up_members(call, *plan, options_, std::move(running), GceDetails::hardware, GoneMember::left_out);
    if (!found) co_return found.error();
    std::vector<GceInstance> instances;
    for (GceInstance& one : *found) {
      if (!one.instance.status.empty()) one.member.status = one.instance.status;  // the status may have changed since the list
      std::vector<GceInstance>& those = is_running(one.member) ? instances : others;
      those.push_back(std::move(one));
    }
    Result<std::vector<GceTask>> tasks = gce_tasks(*plan, options_, instances);
    if (!tasks) co_return tasks.error();
    co_return gce_status(options_.task_type(), std::move(*tasks), std::move(others));
  }

  // The devices of a runtime count where Compute Engine does not say how many accelerators each running member has.
  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    if (call.options().get<TpuCallOptions>().count_from() == CountFrom::automatic) {
      const Result<GcePlan> plan = co_await complete_plan(call);
      if (!plan) co_return plan.error();
      Result<std::vector<GceInstance>> instances = co_await find_running(call, *plan, GceDetails::hardware);
      if (!instances) co_return instances.error();
      Result<std::vector<GceTask>> tasks = gce_tasks(*plan, options_, *instances);
      if (!tasks) co_return tasks.error();
      const ClusterStatus status = gce_status(options_.task_type(), std::move(*tasks), {});
      std::optional<Result<AcceleratorCounts>> known = alike_accelerators(status.members, task_type, task_id);
      if (known) co_return std::move(*known);
    }
    co_return co_await OwnRpcLayerResolver::do_num_accelerators(call, std::move(task_type), task_id);
  }

  Result<void> check_task_type(const std::optional<std::string>&) const override {
    return Failure(Errc::failed_precondition, describe() + ": task_type cannot be assigned: it names the job that the group becomes")
        .with_hint("give it when the resolver is made");
  }

 private:
  asio::awaitable<Result<std::vector<GceInstance>>> find_running(Call& call, const GcePlan& plan, GceDetails details) {
    Result<std::vector<InstanceGroupMember>> members = co_await list_members(call, plan, options_);
    if (!members) co_return members.error();
    Result<std::vector<GceInstance>> instances = co_await look_up_members(call, plan, options_, std::move(*members), details);
    co_return instances;
  }

  // The plan with project, zone and the API's address filled in.
  asio::awaitable<Result<GcePlan>> complete_plan(Call& call) {
    if (!plan_) co_return plan_.error();
    GcePlan plan = *plan_;
    const Result<void> placed = co_await complete_place(call, plan.who(), plan.project, plan.region.empty() ? &plan.zone : nullptr);
    if (!placed) co_return placed.error();
    Result<Url> root = co_await find_compute(call, plan.root);
    if (!root) {
      Failure failure = root.error();
      failure.with_what(fmt::format("{}: {}", plan.who(), failure.what()));
      co_return failure;
    }
    plan.root.url = std::move(*root);
    co_return plan;
  }

  GceOptions options_;
  Result<GcePlan> plan_;
};

}  // namespace

std::shared_ptr<ClusterResolver> make_gce_resolver(Runtime runtime, GceOptions options) {
  return std::make_shared<GceResolver>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
