// Job, JobSet, TrainJob.
#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/workload/wire/workload_roles.hpp"

namespace rollcall {
namespace {

// The number of a Job's pods. `indexed_by_default`: a JobSet's are.
void read_job_number(const ObjectView& spec, bool indexed_by_default, WorkloadRole& role) {
  const std::optional<int> given = spec.number("parallelism");
  const int parallelism = given.value_or(1);
  std::optional<int> completions = spec.number("completions");
  if (!completions && !given) completions = 1;  // as the API server completes a Job; a JobSet keeps it as it was written
  const std::string mode = spec.text("completionMode");
  const bool is_indexed = mode.empty() ? indexed_by_default : mode == "Indexed";
  role.members = completions ? std::min(parallelism, *completions) : parallelism;
  // Fewer than all at a time: the lowest indices that have not finished run, and it is a batch.
  role.is_batch = completions && role.members < *completions;
  role.numbers = is_indexed && completions && !role.is_batch ? RoleNumbers::places : RoleNumbers::counted;
}

constexpr std::string_view set_label_prefix = "jobset.sigs.k8s.io/";

void set_jobset_label(WorkloadRole& role, std::string_view name, std::string value) {
  set_label(role, std::string(set_label_prefix).append(name), std::move(value));
}

}  // namespace

void read_job_roles(const ObjectView& object, Workload& workload) {
  const ObjectView spec = object.at("spec");
  WorkloadRole& role = workload.roles.emplace_back();
  read_job_number(spec, false, role);
  const std::optional<int> completions = spec.number("completions");
  // Of a batch, those that have succeeded are no longer needed.
  if (completions && role.numbers == RoleNumbers::counted)
    role.members = std::min(role.members, std::max(0, *completions - object.at("status").number("succeeded").value_or(0)));
  workload.given_up = object.at("status").text("failedIndexes");
  role.labels = spec.at("template").at("metadata").labels("labels");
  for (const std::string_view prefix : {"", "batch.kubernetes.io/"}) {
    set_label(role, std::string(prefix) + "job-name", workload.name);
    set_label(role, std::string(prefix) + "controller-uid", workload.uid);
  }
  role.selector = read_selector(spec, "selector");
  if (role.selector.empty()) role.selector = "controller-uid=" + workload.uid;
}

void read_job_set_roles(const ObjectView& object, Workload& workload) {
  const ObjectView spec = object.at("spec");
  const std::vector<ObjectView> jobs = spec.list("replicatedJobs");
  workload.is_ordered = spec.at("startupPolicy").text("startupPolicyOrder") == "InOrder";
  for (const ObjectView& job : jobs) {
    WorkloadRole& role = workload.roles.emplace_back();
    role.name = job.text("name");
    role.parts = job.number("replicas").value_or(1);
    const ObjectView job_spec = job.at("template").at("spec");
    read_job_number(job_spec, true, role);
    role.labels = job_spec.at("template").at("metadata").labels("labels");
    set_jobset_label(role, "jobset-name", workload.name);
    set_jobset_label(role, "jobset-uid", workload.uid);
    set_jobset_label(role, "replicatedjob-name", role.name);
    set_jobset_label(role, "replicatedjob-replicas", std::to_string(role.parts));
    const std::vector<std::pair<std::string, std::string>> wanted = {{std::string(set_label_prefix) + "jobset-name", workload.name},
                                                                     {std::string(set_label_prefix) + "replicatedjob-name", role.name}};
    role.selector = selector_of(wanted, job);
    for (const ObjectView& before : job.list("dependsOn")) {
      (before.text("status") == "Complete" ? role.after_end_of : role.after).push_back(before.text("name"));
    }
    const bool is_free = role.after.empty() && role.after_end_of.empty();
    if (is_free && workload.is_ordered && workload.roles.size() > 1) role.after = {workload.roles[workload.roles.size() - 2].name};
  }
  const ObjectView status = object.at("status");
  for (const ObjectView& job : status.list("replicatedJobsStatus")) {
    const std::string name = job.text("name");
    for (WorkloadRole& role : workload.roles) {
      if (role.name == name) role.has_ended = job.number("succeeded").value_or(0) >= role.parts && role.parts > 0;
    }
  }
  // A restart in place keeps the pods.
  if (spec.at("failurePolicy").text("restartStrategy") != "InPlaceRestart") workload.attempt = status.number("restarts").value_or(0);
  // One whose end another waits for is gone when that one comes.
  for (const WorkloadRole& role : workload.roles) {
    for (WorkloadRole& before : workload.roles) {
      if (std::find(role.after_end_of.begin(), role.after_end_of.end(), before.name) != role.after_end_of.end()) before.is_member = false;
    }
  }
}

void read_train_job(const ObjectView& object, Workload& workload) {
  WorkloadReference set;
  set.api_version = "jobset.x-k8s.io/";
  set.kind = "JobSet";
  set.name = workload.name;
  workload.stands_for = std::move(set);
  const std::optional<int> nodes = object.at("spec").at("trainer").number("numNodes");
  if (!nodes) return;  // the runtime has the number, and the JobSet will
  WorkloadRole& role = workload.roles.emplace_back();
  role.name = "node";
  role.members = *nodes;
  role.selector = fmt::format("{}jobset-name={},{}replicatedjob-name=node", set_label_prefix, workload.name, set_label_prefix);
}

}  // namespace rollcall
