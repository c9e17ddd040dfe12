// Kubeflow's PyTorchJob and its kin, MPIJob, Volcano's Job.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/order.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/workload/wire/workload_roles.hpp"

namespace rollcall {
namespace {

constexpr std::string_view training_prefix = "training.kubeflow.org/";

// By rank: the first is process 0.
std::size_t rank_of_role(std::string_view name) {
  constexpr std::array<std::string_view, 6> ranks = {"master", "chief", "launcher", "ps", "worker", "evaluator"};
  return static_cast<std::size_t>(std::find(ranks.begin(), ranks.end(), name) - ranks.begin());
}

void read_mpi(const ObjectView& spec, Workload& workload) {
  const bool launcher_works = spec.flag("runLauncherAsWorker");
  workload.waits_for_workers = spec.text("launcherCreationPolicy") == "WaitForWorkersReady";
  for (WorkloadRole& role : workload.roles) {
    if (role.name == "launcher") {
      role.is_member = launcher_works;
      if (workload.waits_for_workers) role.after = {"worker"};
    } else if (launcher_works) {
      role.first = 1;
    }
  }
}

}  // namespace

void read_kubeflow_roles(const ObjectView& object, Workload& workload) {
  const ObjectView spec = object.at("spec");
  for (const auto& [key, replicas] : spec.map(workload.type->roles)) {
    WorkloadRole& role = workload.roles.emplace_back();
    role.name = to_lower(key);
    role.members = replicas.number("replicas").value_or(1);
    role.labels = replicas.at("template").at("metadata").labels("labels");
    const std::string job_label = std::string(training_prefix) + "job-name";
    set_label(role, job_label, workload.name);
    const std::vector<std::pair<std::string, std::string>> wanted = {{job_label, workload.name}};
    role.selector = selector_of(wanted, object);
    if (workload.type->kind == WorkloadKind::mpi_job) {  // its operators name the role by different labels
      for (const std::string_view label : {"replica-type", "job-role"})
        set_label(role, std::string(training_prefix).append(label), role.name);
      continue;
    }
    set_label(role, std::string(training_prefix) + "operator-name", to_lower(workload.type->name) + "-controller");
    set_label(role, std::string(training_prefix) + "job-role", role.name == "master" ? "master" : "");
    const std::string type_label = std::string(training_prefix) + "replica-type";
    set_label(role, type_label, role.name);
    const std::vector<std::pair<std::string, std::string>> both = {{job_label, workload.name}, {type_label, role.name}};
    role.selector = selector_of(both, object);
  }
  const auto is_earlier = [](const WorkloadRole& a, const WorkloadRole& b) {
    const std::size_t rank = rank_of_role(a.name);
    const std::size_t other = rank_of_role(b.name);
    return rank != other ? rank < other : a.name < b.name;
  };
  sort_stably(workload.roles, is_earlier);
  const std::optional<int> least = spec.at("elasticPolicy").number("minReplicas");
  if (least) workload.minimum = *least;
  if (workload.type->kind == WorkloadKind::mpi_job) read_mpi(spec, workload);
}

void read_volcano_roles(const ObjectView& object, Workload& workload) {
  const ObjectView spec = object.at("spec");
  const std::string queue = spec.text("queue");
  int number = 0;
  for (const ObjectView& task : spec.list("tasks")) {
    WorkloadRole& role = workload.roles.emplace_back();
    role.name = task.text("name");
    if (role.name.empty()) role.name = fmt::format("default{}", number);
    ++number;
    role.members = task.number("replicas").value_or(1);
    role.labels = task.at("template").at("metadata").labels("labels");
    const std::vector<std::pair<std::string, std::string>> wanted = {{"volcano.sh/job-name", workload.name},
                                                                     {"volcano.sh/task-spec", role.name}};
    for (const auto& [key, value] : wanted) set_label(role, key, value);
    role.selector = selector_of(wanted, task);
    set_label(role, "volcano.sh/job-namespace", workload.namespace_name);
    if (!queue.empty()) set_label(role, "volcano.sh/queue-name", queue);
    role.after = task.at("dependsOn").texts("name");
    role.after_any = task.at("dependsOn").text("iteration") == "any";
  }
  workload.minimum = spec.number("minAvailable").value_or(0);
  const ObjectView state = object.at("status").at("state");
  workload.phase = state.text("phase", 64);
  const bool is_complete = workload.phase == "Completed";
  if (!is_complete && workload.phase != "Failed" && workload.phase != "Aborted" && workload.phase != "Terminated") return;
  WorkloadCondition& end = workload.conditions.emplace_back();
  end.type = is_complete ? "Complete" : "Failed";
  end.status = "True";
  end.reason = state.text("reason");
  if (end.reason.empty()) end.reason = workload.phase;
  end.message = state.text("message", 1024);
}

}  // namespace rollcall
