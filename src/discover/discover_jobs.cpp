// The Kubernetes jobs of a search, from the labels of a namespace's pods.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "discover/discovery.hpp"
#include "discover/job_roles.hpp"
#include "resolvers/kubernetes/access/rules/kubernetes_rules.hpp"
#include "resolvers/kubernetes/kubernetes_pods.hpp"
#include "resolvers/kubernetes/pod_status.hpp"
#include "resolvers/kubernetes/replaced_pods.hpp"
#include "rollcall/target.hpp"

namespace rollcall {
namespace {

// Workloads whose pods have a label with the workload's name: only these can be selected by a label [facts: k8s-job-labels].
struct JobKind {
  PodConvention convention;
  std::string_view word;
  std::string_view label;
};
constexpr JobKind job_kinds[] = {
    {PodConvention::jobset, "JobSet", "jobset.sigs.k8s.io/jobset-name"},
    {PodConvention::leader_worker_set, "LeaderWorkerSet", "leaderworkerset.sigs.k8s.io/name"},
    {PodConvention::kubeflow, "KubeflowJob", "training.kubeflow.org/job-name"},
    {PodConvention::ray, "RayCluster", "ray.io/cluster"},
    {PodConvention::volcano, "VolcanoJob", "volcano.sh/job-name"},
    {PodConvention::indexed_job, "Job", "job-name"},
};

const JobKind* job_kind_of(const FoundPod& pod) {
  const auto kind = std::find_if(std::begin(job_kinds), std::end(job_kinds),
                                 [&pod](const JobKind& one) { return one.convention == pod.position.workload; });
  return kind == std::end(job_kinds) ? nullptr : &*kind;
}

// `namespace/workload[/part]`
std::string_view workload_name(const FoundPod& pod) { return split(pod.position.group, '/')[1]; }

// The phase that is furthest from success.
std::string phase_of_pods(const PodPointers& pods) {
  for (const std::string_view phase : {"Failed", "Unknown", "Pending", "Running"}) {
    if (std::any_of(pods.begin(), pods.end(), [phase](const FoundPod* pod) { return pod->phase == phase; })) return std::string(phase);
  }
  return pods.front()->phase;
}

std::string readiness_of_pods(const PodPointers& pods) {
  if (std::all_of(pods.begin(), pods.end(), [](const FoundPod* pod) { return has_ended(*pod); })) return {};
  return std::all_of(pods.begin(), pods.end(), [](const FoundPod* pod) { return pod->is_ready; }) ? "Ready" : "NotReady";
}

Found found_job(const JobKind& kind, PodPointers pods, const KubernetesOptions& options, const std::string& context, PodClock& clock) {
  drop_replaced(pods);
  const FoundPod& first = *pods.front();
  Found found;
  found.kind = FoundKind::job;
  found.name = workload_name(first);
  found.namespace_name = first.namespace_name;
  found.workload = kind.word;
  Target target;
  target.scheme = kubernetes_rules.scheme;
  target.body = first.namespace_name;
  ClusterStatus status;
  PodPointers members;
  for (RoleJob& job : jobs_by_role(fmt::format("{}={}", kind.label, found.name), pods)) {
    FirstOrdinal first_ordinal;
    add_pods(status, job.name, job.pods, options, first_ordinal, clock);
    members.insert(members.end(), job.pods.begin(), job.pods.end());
    target.options.emplace_back("job." + job.name, std::move(job.selectors));
  }
  if (!context.empty()) target.options.emplace_back("context", std::vector<std::string>{context});
  found.target = target.to_text();
  found.state = phase_of_pods(members.empty() ? pods : members);
  found.health = members.empty() ? "NotReady" : readiness_of_pods(members);
  found.members = static_cast<std::size_t>(status.expected);
  for (const Member& member : status.members) {
    if (!member.address.empty()) found.addresses.push_back(member.address);
  }
  return found;
}

}  // namespace

asio::awaitable<Result<void>> list_jobs(Call& call, Discovery& search, const ListTask& task) {
  const KubernetesOptions options;
  const PodScope scope(options, search.kubernetes, task.namespace_name);
  const std::string everything;
  const PodPredicate is_of_job = [](const FoundPod& pod) { return job_kind_of(pod) && !is_leaving(pod); };
  const Result<FoundPods> list = co_await list_pods(call, scope, everything, PodDetail::readiness, is_of_job);
  if (!list) {
    Failure failure = list.error();
    if (failure.code() == Errc::limit_exceeded && task.namespace_name.empty()) failure.with_hint("name the namespaces, one by one");
    co_return co_await search.give_up(std::move(failure), 0);
  }
  std::map<std::tuple<std::string_view, const JobKind*, std::string_view>, PodPointers> jobs;
  for (const FoundPod& pod : list->pods) {
    jobs[{pod.namespace_name, job_kind_of(pod), workload_name(pod)}].push_back(&pod);
  }
  PodClock clock(impl_of(call).time->wall_now());
  std::vector<Found> finds;
  std::vector<Failure> problems;
  for (const auto& [key, pods] : jobs) {
    finds.push_back(found_job(*std::get<const JobKind*>(key), pods, options, search.options.context(), clock));
    // An invalid address is missing from the row, and the first one is reported as a problem.
    const auto refused = std::find_if(pods.begin(), pods.end(), [](const FoundPod* pod) { return !pod->refused.empty(); });
    if (refused != pods.end())
      problems.emplace_back(Errc::malformed_response, fmt::format("pod {} {}", shown_pod(**refused), (*refused)->refused));
  }
  co_return co_await search.pass_on(std::move(finds), std::move(problems));
}

}  // namespace rollcall
