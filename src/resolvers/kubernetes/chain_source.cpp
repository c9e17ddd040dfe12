#include "resolvers/kubernetes/chain_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/order.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/kubernetes/access/kubernetes_request.hpp"
#include "resolvers/kubernetes/chain/rules/selector_roots.hpp"
#include "resolvers/kubernetes/rules/pod_causes.hpp"
#include "resolvers/kubernetes/rules/replaced_pods.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_pods_of_stage = 2;

std::vector<KubeObject> made_roots(const Workload* counted) {
  std::vector<KubeObject> roots;
  if (!counted) return roots;
  KubeObject& root = roots.emplace_back();
  root.api_version = counted->api_version;
  root.kind = counted->type->name;
  root.name = counted->name;
  root.namespace_name = counted->namespace_name;
  return roots;
}

// What its Job, or what has made that, tries again is not final.
void add_causes_of(const FoundPod& pod, const UnfinishedStage& stage, WallTime now, std::vector<Cause>& causes) {
  const std::string label = fmt::format("{}: pod {}", printable(stage.name, 64), printable(pod.name, 253));
  PodWhy why = pod_why(pod, now);
  for (Cause& cause : why.causes) {
    const bool is_of_pod = cause.object.empty() || cause.object == "pod";
    cause.object = is_of_pod ? label : fmt::format("{}, {}", label, cause.object);
    cause.is_final = false;
    causes.push_back(std::move(cause));
  }
  if (!why.causes.empty() || pod.phase != "Running") return;
  Cause& cause = causes.emplace_back(CauseLayer::container, pod.phase, "it has not ended yet", label);
  cause.since = pod.created;
}

asio::awaitable<Result<std::vector<Cause>>> causes_of_stages(Call& call, const PodScope& scope, std::vector<UnfinishedStage> stages) {
  const WallTime now = impl_of(call).time->wall_now();
  std::vector<Cause> causes;
  for (const UnfinishedStage& stage : stages) {
    const PodPredicate every;
    const Result<FoundPods> found = co_await list_pods(call, scope, stage.selector, PodDetail::readiness, every);
    if (!found) co_return found.error();
    PodPointers pods;
    // Another namespace may have a workload of that name.
    for (const FoundPod& pod : found->pods) {
      if (pod.namespace_name == stage.namespace_name) pods.push_back(&pod);
    }
    drop_replaced(pods);
    std::erase_if(pods, [](const FoundPod* pod) { return pod->phase == "Succeeded"; });
    const auto is_later = [](const FoundPod* a, const FoundPod* b) { return a->created > b->created; };
    sort_stably(pods, is_later);
    for (std::size_t i = 0; i < std::min(pods.size(), max_pods_of_stage); ++i) add_causes_of(*pods[i], stage, now, causes);
  }
  co_return causes;
}

}  // namespace

ChainSource chain_source(const PodScope& scope, const ExpectedPods& expected, const KubernetesOptions::LabelMapping& jobs,
                         const std::optional<NamedWorkload>& named) {
  ChainSource source(
      [&server = scope.server](std::string path, std::string what) { return kubernetes_request(server, std::move(path), std::move(what)); },
      scope.namespace_name);
  if (named && named->type->kind == WorkloadKind::pod_group) {
    source.groups.emplace_back(std::string(named->type->group), named->name);
    for (const WorkloadType* const other : named->others) source.groups.emplace_back(std::string(other->group), named->name);
  } else if (named) {
    KubeObject& root = source.roots.emplace_back();
    const std::string_view version = named->type->versions.substr(0, named->type->versions.find(' '));
    root.api_version = named->type->group.empty() ? std::string(version) : fmt::format("{}/{}", named->type->group, version);
    root.kind = named->type->name;
    root.name = named->name;
    root.namespace_name = scope.namespace_name;
  }
  for (const auto& [job, selectors] : jobs) {
    for (const std::string& selector : selectors) {
      for (KubeObject& root : roots_of_selector(selector, scope.namespace_name)) source.roots.push_back(std::move(root));
    }
  }
  source.made_by = [&expected] { return made_roots(expected.counted()); };
  source.ask_stages = [&scope, &expected](Call& call) { return causes_of_stages(call, scope, expected.unfinished_stages()); };
  return source;
}

}  // namespace rollcall
