#include "resolvers/kubernetes/workload/wire/workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "json/json_dom.hpp"
#include "resolvers/kubernetes/workload/wire/workload_roles.hpp"

namespace rollcall {
namespace {

// The controllers that make pods in this cluster, as `managedBy` names them.
constexpr std::array<std::string_view, 6> own_controllers = {"kubernetes.io/job-controller",
                                                             "jobset.sigs.k8s.io/jobset-controller",
                                                             "trainer.kubeflow.org/trainjob-controller",
                                                             "kubeflow.org/training-operator",
                                                             "kubeflow.org/mpi-operator",
                                                             "ray.io/kuberay-operator"};

bool is_object_name(std::string_view name) {
  const auto is_fine = [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; };
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), is_fine);
}

void read_metadata(const ObjectView& object, Workload& workload) {
  workload.api_version = object.text("apiVersion");
  const ObjectView metadata = object.at("metadata");
  workload.name = metadata.text("name");
  workload.namespace_name = metadata.text("namespace");
  workload.uid = metadata.text("uid");
  workload.version = metadata.text("resourceVersion");
  workload.is_leaving = !metadata.text("deletionTimestamp").empty();
  for (const auto& [key, value] : metadata.labels("labels")) {
    if (key == "kueue.x-k8s.io/queue-name") workload.queue = value;
  }
  for (const ObjectView& owner : metadata.list("ownerReferences")) {
    if (!owner.flag("controller")) continue;
    WorkloadReference& one = workload.owner.emplace();
    one.api_version = owner.text("apiVersion");
    one.kind = owner.text("kind");
    one.name = owner.text("name");
    one.uid = owner.text("uid");
  }
  if (!is_object_name(workload.name)) metadata.complain("name", fmt::format("is {}, no name of an object", quoted(workload.name, 80)));
}

void read_state(const ObjectView& object, Workload& workload) {
  const ObjectView spec = object.at("spec");
  const bool is_operators = workload.type->kind == WorkloadKind::kubeflow_job || workload.type->kind == WorkloadKind::mpi_job;
  const ObjectView policy = is_operators ? spec.at("runPolicy") : spec;
  workload.is_suspended = policy.flag("suspend");
  const std::string manager = policy.text("managedBy");
  if (!manager.empty() && std::find(own_controllers.begin(), own_controllers.end(), manager) == own_controllers.end())
    workload.managed_by = manager;
  // Volcano's conditions are those of another kind.
  if (workload.type->kind == WorkloadKind::volcano_job) return;
  for (const ObjectView& condition : object.at("status").list("conditions")) {
    WorkloadCondition& one = workload.conditions.emplace_back();
    one.type = condition.text("type");
    one.status = condition.text("status");
    one.reason = condition.text("reason");
    one.message = condition.text("message", 1024);
    one.since = parse_rfc3339(condition.text("lastTransitionTime"));
  }
}

void read_roles(const ObjectView& object, Workload& workload) {
  switch (workload.type->kind) {
    case WorkloadKind::job: return read_job_roles(object, workload);
    case WorkloadKind::job_set: return read_job_set_roles(object, workload);
    case WorkloadKind::train_job: return read_train_job(object, workload);
    case WorkloadKind::leader_worker_set: return read_leader_worker_roles(object, workload);
    case WorkloadKind::stateful_set:
    case WorkloadKind::deployment:
    case WorkloadKind::replica_set: return read_replica_roles(object, workload);
    case WorkloadKind::kubeflow_job:
    case WorkloadKind::mpi_job: return read_kubeflow_roles(object, workload);
    case WorkloadKind::ray_cluster: return read_ray_roles(object, workload);
    case WorkloadKind::ray_job: return read_ray_job(object, workload);
    case WorkloadKind::volcano_job: return read_volcano_roles(object, workload);
    case WorkloadKind::pod_group: return read_pod_group(object, workload);
  }
}

}  // namespace

int WorkloadRole::size() const noexcept {
  int product = 0;
  return __builtin_mul_overflow(parts, members, &product) ? std::numeric_limits<int>::max() : product;
}

const WorkloadCondition* Workload::condition(std::string_view wanted) const noexcept {
  const auto found = std::find_if(conditions.begin(), conditions.end(), [wanted](const auto& one) { return one.type == wanted; });
  return found == conditions.end() ? nullptr : &*found;
}

bool Workload::is_true(std::string_view wanted) const noexcept {
  const WorkloadCondition* const found = condition(wanted);
  return found && found->status == "True";
}

const WorkloadRole* Workload::role(std::string_view wanted) const noexcept {
  const auto found = std::find_if(roles.begin(), roles.end(), [wanted](const WorkloadRole& one) { return one.name == wanted; });
  return found == roles.end() ? nullptr : &*found;
}

std::string Workload::title() const { return fmt::format("{} {}", type ? type->name : "object", printable(name, 253)); }

Result<Workload> parse_workload(const WorkloadType& type, std::string_view json, const ParseLimits& limits) {
  const std::string document = fmt::format("the {}", type.name);
  const Result<JsonDocument> parsed = JsonDocument::parse(document, json, limits);
  if (!parsed) return parsed.error();
  if (!parsed->root().is_object())
    return Failure(Errc::malformed_response, fmt::format("{} is {}, not an object", document, kind_name(parsed->root())));
  std::string complaint;
  const ObjectView object(parsed->root(), {}, complaint);
  Workload workload;
  workload.type = &type;
  const std::string kind = object.text("kind");
  if (kind != type.name) return Failure(Errc::malformed_response, fmt::format("{} is of the kind {}", document, quoted(kind, 80)));
  read_metadata(object, workload);
  if (complaint.empty()) read_state(object, workload);
  if (complaint.empty()) read_roles(object, workload);
  if (!complaint.empty()) return Failure(Errc::malformed_response, fmt::format("{} is malformed: {}", document, complaint));
  name_jobs(workload);
  return workload;
}

Result<Workload> parse_owner(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> parsed = JsonDocument::parse("the owner", json, limits);
  if (!parsed) return parsed.error();
  std::string complaint;
  Workload workload;
  read_metadata(ObjectView(parsed->root(), {}, complaint), workload);
  if (!complaint.empty()) return Failure(Errc::malformed_response, fmt::format("the owner is malformed: {}", complaint));
  return workload;
}

Result<std::vector<std::string>> parse_api_versions(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> parsed = JsonDocument::parse("the API group", json, limits);
  if (!parsed) return parsed.error();
  std::string complaint;
  const ObjectView group(parsed->root(), {}, complaint);
  std::vector<std::string> versions;
  const auto add = [&versions](const ObjectView& of) {
    const std::string version = of.text("version", 64);
    const bool is_fine = !version.empty() && std::all_of(version.begin(), version.end(), [](char c) { return is_alnum(c); });
    if (is_fine && std::find(versions.begin(), versions.end(), version) == versions.end()) versions.push_back(version);
  };
  add(group.at("preferredVersion"));
  for (const ObjectView& version : group.list("versions")) {
    if (versions.size() < 16) add(version);
  }
  if (complaint.empty() && versions.empty()) complaint = "versions is missing";
  if (!complaint.empty()) return Failure(Errc::malformed_response, fmt::format("the API group is malformed: {}", complaint));
  return versions;
}

Result<bool> has_api_resource(std::string_view json, std::string_view resource, const ParseLimits& limits) {
  const Result<JsonDocument> parsed = JsonDocument::parse("the list of resources", json, limits);
  if (!parsed) return parsed.error();
  std::string complaint;
  const ObjectView list(parsed->root(), {}, complaint);
  const std::vector<ObjectView> resources = list.list("resources");
  const bool has =
      std::any_of(resources.begin(), resources.end(), [resource](const ObjectView& one) { return one.text("name") == resource; });
  if (!complaint.empty()) return Failure(Errc::malformed_response, fmt::format("the list of resources is malformed: {}", complaint));
  return has;
}

}  // namespace rollcall
