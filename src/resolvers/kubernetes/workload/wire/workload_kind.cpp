#include "resolvers/kubernetes/workload/wire/workload_kind.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.hpp"

namespace rollcall {
namespace {

// `job` alone is batch's, as kubectl has it: the first row of a word counts.
// clang-format off: a row a line
constexpr WorkloadType types[] = {
    {WorkloadKind::job, "Job", "batch", "jobs", "job", "v1", true},
    {WorkloadKind::job_set, "JobSet", "jobset.x-k8s.io", "jobsets", "jobset", "v1alpha2 v1"},
    {WorkloadKind::leader_worker_set, "LeaderWorkerSet", "leaderworkerset.x-k8s.io", "leaderworkersets", "leaderworkerset lws", "v1"},
    {WorkloadKind::stateful_set, "StatefulSet", "apps", "statefulsets", "statefulset sts", "v1", true},
    {WorkloadKind::deployment, "Deployment", "apps", "deployments", "deployment deploy", "v1", true},
    {WorkloadKind::replica_set, "ReplicaSet", "apps", "replicasets", "replicaset rs", "v1", true},
    {WorkloadKind::train_job, "TrainJob", "trainer.kubeflow.org", "trainjobs", "trainjob", "v1alpha1"},
    {WorkloadKind::kubeflow_job, "PyTorchJob", "kubeflow.org", "pytorchjobs", "pytorchjob", "v1", false, "pytorchReplicaSpecs"},
    {WorkloadKind::kubeflow_job, "TFJob", "kubeflow.org", "tfjobs", "tfjob", "v1", false, "tfReplicaSpecs"},
    {WorkloadKind::kubeflow_job, "JAXJob", "kubeflow.org", "jaxjobs", "jaxjob", "v1", false, "jaxReplicaSpecs"},
    {WorkloadKind::kubeflow_job, "XGBoostJob", "kubeflow.org", "xgboostjobs", "xgboostjob", "v1", false, "xgbReplicaSpecs"},
    {WorkloadKind::kubeflow_job, "PaddleJob", "kubeflow.org", "paddlejobs", "paddlejob", "v1", false, "paddleReplicaSpecs"},
    {WorkloadKind::mpi_job, "MPIJob", "kubeflow.org", "mpijobs", "mpijob", "v2beta1 v1", false, "mpiReplicaSpecs"},
    {WorkloadKind::ray_cluster, "RayCluster", "ray.io", "rayclusters", "raycluster", "v1 v1alpha1"},
    {WorkloadKind::ray_job, "RayJob", "ray.io", "rayjobs", "rayjob", "v1 v1alpha1"},
    {WorkloadKind::volcano_job, "Job", "batch.volcano.sh", "jobs", "vcjob vj", "v1alpha1"},
    {WorkloadKind::pod_group, "PodGroup", "scheduling.volcano.sh", "podgroups", "podgroup pg", "v1beta1"},
    {WorkloadKind::pod_group, "PodGroup", "scheduling.x-k8s.io", "podgroups", "podgroup pg", "v1alpha1"},
    {WorkloadKind::pod_group, "PodGroup", "scheduling.k8s.io", "podgroups", "podgroup pg", "v1alpha2 v1alpha1"},
};
// clang-format on

std::string_view first_word(std::string_view words) { return words.substr(0, words.find(' ')); }

bool is_called(const WorkloadType& type, std::string_view name, std::string_view group) {
  const bool is_plain_job = type.kind == WorkloadKind::volcano_job && (name == "job" || name == "jobs");
  if (!group.empty()) {
    // `jobs.v1.batch` names the version, too.
    const std::size_t dot = group.find('.');
    const bool has_version = group != type.group && dot != std::string_view::npos && group.substr(dot + 1) == type.group &&
                             group.front() == 'v' && dot > 1 && is_digit(group[1]);
    if (group != type.group && !has_version) return false;
    if (is_plain_job) return true;
  }
  if (name == type.resource) return !is_plain_job;
  const std::vector<std::string_view> words = split(type.words, ' ');
  return std::find(words.begin(), words.end(), name) != words.end();
}

// What to name in place of a kind that has no number of pods of its own. Empty: the kind is not known.
std::string_view instead_of(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> makers[] = {
      {"cronjob cronjobs cj", "a CronJob makes Jobs: name one of those"},
      {"rayservice rayservices", "a RayService makes RayClusters: name one of those"},
      {"pod pods po daemonset daemonsets ds", "choose the pods by a label: kubernetes:NAMESPACE,job.worker=KEY=VALUE"}};
  for (const auto& [words, advice] : makers) {
    const std::vector<std::string_view> known = split(words, ' ');
    if (std::find(known.begin(), known.end(), name) != known.end()) return advice;
  }
  return {};
}

}  // namespace

std::span<const WorkloadType> workload_types() noexcept { return types; }

std::string known_workload_words() {
  std::string text;
  std::string_view last;
  for (const WorkloadType& type : types) {
    const std::string_view word = first_word(type.words);
    if (word != std::exchange(last, word)) text += (text.empty() ? "" : ", ") + std::string(word);
  }
  return text;
}

std::vector<const WorkloadType*> other_meanings(std::string_view word, const WorkloadType& type) {
  std::vector<const WorkloadType*> others;
  if (type.kind != WorkloadKind::pod_group || word.find('.') != std::string_view::npos) return others;
  for (const WorkloadType& other : types) {
    if (other.kind == type.kind && &other != &type) others.push_back(&other);
  }
  return others;
}

Result<const WorkloadType*> workload_type_called(std::string_view word) {
  const std::string lower = to_lower(word.substr(0, 256));
  const std::size_t dot = lower.find('.');
  const std::string_view name = std::string_view(lower).substr(0, dot);
  const std::string_view group = dot == std::string::npos ? std::string_view() : std::string_view(lower).substr(dot + 1);
  const bool has_group = dot != std::string::npos;
  for (const WorkloadType& type : types) {
    if ((!has_group || !group.empty()) && word.size() <= 256 && is_called(type, name, group)) return &type;
  }
  std::vector<std::string_view> known;
  for (const WorkloadType& type : types) known.push_back(first_word(type.words));
  Failure failure(Errc::invalid_argument, fmt::format("{} is no kind of workload that is known", quoted(word, 80)));
  const std::string_view instead = instead_of(name);
  if (!instead.empty()) return failure.with_hint(std::string(instead));
  const std::optional<std::string_view> meant = nearest(name, known);
  return failure.with_hint(fmt::format("{}known are {}; KIND.GROUP names one of several of a name (job.batch.volcano.sh)",
                                       meant ? fmt::format("did you mean {}? ", *meant) : std::string(), known_workload_words()));
}

const WorkloadType* workload_type_of(std::string_view api_version, std::string_view kind) noexcept {
  const std::string_view group = api_version.substr(0, api_version.find('/'));
  const auto found =
      std::find_if(std::begin(types), std::end(types), [&](const WorkloadType& type) { return type.name == kind && type.group == group; });
  return found == std::end(types) ? nullptr : found;
}

std::string full_resource(const WorkloadType& type) { return fmt::format("{}.{}", type.resource, type.group); }

}  // namespace rollcall
