// The Kubernetes jobs of a search, from the labels of a namespace's pods.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>

#include "async/group.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "discover/discovery.hpp"
#include "discover/job_roles.hpp"
#include "resolvers/kubernetes/access/rules/kubernetes_rules.hpp"
#include "resolvers/kubernetes/expected_pods.hpp"
#include "resolvers/kubernetes/kubernetes_pods.hpp"
#include "resolvers/kubernetes/rules/pod_status.hpp"
#include "resolvers/kubernetes/rules/replaced_pods.hpp"
#include "resolvers/kubernetes/status_of_pods.hpp"
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

// One workload with its pods.
class JobToDescribe {
 public:
  const JobKind* kind = nullptr;
  PodPointers pods;
};

// The number of members is that of a status of the same target.
asio::awaitable<Result<Found>> describe_job(Call& call, const PodScope& scope, const Discovery& search, JobToDescribe& job) {
  drop_replaced(job.pods);
  const FoundPod& first = *job.pods.front();
  Found found;
  found.kind = FoundKind::job;
  found.name = workload_name(first);
  found.namespace_name = first.namespace_name;
  found.workload = job.kind->word;
  if (!search.filter.may_match(found)) co_return found;  // nothing is asked for one that is passed over
  Target target;
  target.scheme = kubernetes_rules.scheme;
  target.body = first.namespace_name;
  KubernetesOptions::LabelMapping mapping;
  std::vector<PodPointers> lists;
  for (RoleJob& role : jobs_by_role(fmt::format("{}={}", job.kind->label, found.name), job.pods)) {
    target.options.emplace_back("job." + role.name, role.selectors);
    mapping.emplace_back(std::move(role.name), std::move(role.selectors));
    std::move(role.pods.begin(), role.pods.end(), std::back_inserter(lists));
  }
  const std::string& context = search.options.context();
  if (!context.empty()) target.options.emplace_back("context", std::vector<std::string>{context});
  found.target = target.to_text();

  ExpectedPods expected(scope, std::move(mapping));
  const Result<void> read = co_await expected.look_up(call, lists);
  if (!read && read.error().code() == Errc::cancelled) co_return read.error();
  expected.take(lists);
  PodPointers members;
  for (const PodPointers& list : lists) members.insert(members.end(), list.begin(), list.end());
  std::vector<FirstOrdinal> first_ordinals(lists.size());
  PodClock clock(impl_of(call).time->wall_now());
  const ClusterStatus status = co_await status_of_pods(expected, std::move(lists), scope.options, first_ordinals, clock);
  found.state = phase_of_pods(members.empty() ? job.pods : members);
  found.members = static_cast<std::size_t>(status.expected);
  found.expected_source = status.expected_source;
  found.health = members.empty() || members.size() < found.members ? "NotReady" : readiness_of_pods(members);
  for (const Member& member : status.members) {
    if (!member.address.empty()) found.addresses.push_back(member.address);
  }
  co_return found;
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
  std::vector<JobToDescribe> to_describe;
  std::vector<Failure> problems;
  for (auto& [key, pods] : jobs) {
    // An invalid address is missing from the row, and the first one is reported as a problem.
    const auto refused = std::find_if(pods.begin(), pods.end(), [](const FoundPod* pod) { return !pod->refused.empty(); });
    if (refused != pods.end())
      problems.emplace_back(Errc::malformed_response, fmt::format("pod {} {}", shown_pod(**refused), (*refused)->refused));
    JobToDescribe& job = to_describe.emplace_back();
    job.kind = std::get<const JobKind*>(key);
    job.pods = std::move(pods);
  }
  constexpr std::size_t max_at_once = 32;
  std::function<asio::awaitable<Result<Found>>(std::size_t)> describe = [&](std::size_t i) {
    return describe_job(call, scope, search, to_describe[i]);
  };
  Result<std::vector<Found>> finds = co_await join_bounded<Found>(to_describe.size(), max_at_once, std::move(describe));
  if (!finds) co_return finds.error();
  co_return co_await search.pass_on(std::move(*finds), std::move(problems));
}

}  // namespace rollcall
