#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"
#include "resolvers/kubernetes/access/rules/kubernetes_rules.hpp"
#include "resolvers/kubernetes/kubernetes_doctor.hpp"
#include "resolvers/target_keys.hpp"
#include "rollcall/kubernetes_resolver.hpp"

namespace rollcall {
namespace {

// The task is the resolver's, not one of its options.
class WantedPods : public KubernetesOptions {
 public:
  // clang-format off
  WantedPods& task_type(std::string v) { type = std::move(v); return *this; }
  WantedPods& task_id(int v) { task = v; return *this; }
  // clang-format on
  std::optional<std::string> type;
  std::optional<int> task;
};

constexpr TargetWord<PodAddress> pod_addresses[] = {{"host", PodAddress::host}, {"pod", PodAddress::pod}};
constexpr TargetWord<AddressFamily> pod_families[] = {
    {"any", AddressFamily::any}, {"ipv4", AddressFamily::ipv4}, {"ipv6", AddressFamily::ipv6}};
constexpr TargetWord<PodOrder> pod_orders[] = {{"automatic", PodOrder::automatic}, {"name", PodOrder::name}, {"index", PodOrder::index}};

Result<void> read_location(const TargetValue& value, KubernetesOptions& options) {
  const Result<ExecutableLocation> location = parse_executable_location(value.text());
  if (!location) return location.error();
  options.executable_location(*location);
  return {};
}

Result<void> read_token_file(const TargetValue& value, KubernetesOptions& options) {
  const Result<std::string> path = read_path(value);
  if (!path) return path.error();
  options.credentials(token_file(*path));
  return {};
}

// clang-format off
constexpr TargetKeys kubernetes_keys(
    port_key("port", &WantedPods::port, "of every task; default: 8470"),
    word_key("address", &WantedPods::address, pod_addresses, "is none of host, pod", "host (default) or pod"),
    word_key("family", &WantedPods::family, pod_families, "is none of any, ipv4, ipv6",
             "ipv4 or ipv6, where pods have both; default: the one that Kubernetes names first"),
    word_key("order", &WantedPods::order, pod_orders, "is none of automatic, name, index",
             "automatic (default): by index where pods have one; name; or index, which must be without gaps"),
    text_key("context", &WantedPods::context, "of the kubeconfig; default: its current-context"),
    path_key("kubeconfig", &WantedPods::kubeconfig, "this file; default: $KUBECONFIG, then ~/.kube/config, then the pod's own account"),
    own_key("location", read_location, "automatic (default), within_cluster or off_cluster: where to look for the configuration"),
    trusted(text_key("api_server", &WantedPods::api_server, "the API server's address, instead of looking it up")),
    trusted(own_key("token_file", read_token_file, "the token to send, instead of what the configuration has or makes one with")),
    text_key("rpc_layer", &WantedPods::rpc_layer, "default: grpc"),
    text_key("type", &WantedPods::task_type, "this task's job"),
    task_key("task", &WantedPods::task_id, "this task's index"));
// clang-format on

Result<void> read_pod_jobs(const Target& target, KubernetesOptions& options) {
  for (const auto& [key, items] : target.options) {
    if (!key.starts_with("job.")) continue;
    if (items.empty()) {
      return Failure(Errc::invalid_argument, fmt::format("kubernetes: {}= has no selector", printable(key, 80)))
          .with_hint("kubernetes:NAMESPACE,job.worker=app=trainer; a comma inside a selector is %2C, a second selector follows a +");
    }
    if (std::any_of(items.begin(), items.end(), [](const std::string& item) { return trim(item).empty(); })) {
      return Failure(Errc::invalid_argument,
                     fmt::format("kubernetes: {}= has an empty selector, which would select every pod", printable(key, 80)))
          .with_hint("a + stands between two selectors: job.worker=app=trainer+app=spare");
    }
    options.job(key.substr(4), items);
  }
  return {};
}

// `NAMESPACE`, or `NAMESPACE/KIND/NAME`.
Result<void> read_pod_place(const Target& target, KubernetesOptions& options) {
  const std::vector<std::string_view> parts = split(target.body, '/');
  options.namespace_name(std::string(parts[0]));
  if (parts.size() == 1) return {};
  const bool is_fine = parts.size() == 3 && !parts[0].empty() && !parts[1].empty() && !parts[2].empty();
  if (!is_fine) {
    return Failure(Errc::invalid_argument, fmt::format("kubernetes: {} names no workload", quoted(target.body, 128)))
        .with_hint("kubernetes:NAMESPACE/KIND/NAME, such as kubernetes:train/jobset/trainer; '.' is your own namespace");
  }
  options.workload(std::string(parts[1]), std::string(parts[2]));
  return {};
}

Result<WantedPods> wanted_pods(const Target& target) {
  WantedPods wanted;
  Result<void> fine = read_pod_place(target, wanted);
  if (fine) fine = read_pod_jobs(target, wanted);
  if (fine) fine = check_workload(wanted);
  if (fine) fine = kubernetes_keys.set(target, wanted);
  if (!fine) return fine.error();
  return wanted;
}

Result<std::shared_ptr<ClusterResolver>> make_kubernetes(Runtime runtime, const Target& target) {
  const Result<WantedPods> read = wanted_pods(target);
  if (!read) return read.error();
  const WantedPods& wanted = *read;
  std::shared_ptr<ClusterResolver> resolver = make_kubernetes_resolver(std::move(runtime), wanted);
  Result<void> fine;
  if (wanted.type) fine = resolver->set_task_type(*wanted.type);
  if (fine && wanted.task) fine = resolver->set_task_id(*wanted.task);
  if (!fine) return fine.error();
  return resolver;
}

std::string_view pod_task_order(const Target& target, const ClusterResolver&) {
  return target.get("order") == "name" ? "by the names of pods" : "by the indices that controllers give pods, else by their names";
}

std::string_view pod_same_address_hint(const Target& target) {
  if (target.get("address") == "pod") return {};  // then pods of the host's network have one address, and another port is needed
  return "pods of one machine share its address: add address=pod to the target";
}

}  // namespace

extern const TargetScheme kubernetes_scheme;
constexpr TargetScheme kubernetes_scheme = {
    .name = "kubernetes",
    .synopsis = "kubernetes:[NAMESPACE[/KIND/NAME]][,job.NAME=SELECTOR[+SELECTOR…]]…[,port=N][,address=pod]…",
    .summary =
        "the pods of a workload (KIND as kubectl takes it: job, jobset, lws, sts, pytorchjob, raycluster …), or pods by label; no "
        "NAMESPACE: "
        "of all namespaces; '.': of the kubeconfig's or the pod's own; no job: worker, of the pods with job-name=tensorflow",
    .example = "kubernetes:train,job.worker=app=trainer,address=pod",
    .keys = kubernetes_keys.names,
    .takes_jobs = true,
    .make = make_kubernetes,
    .rules = &kubernetes_rules,
    .doctor = doctor_kubernetes,
    .task_order = pod_task_order,
    .same_address_hint = pod_same_address_hint,
};

Result<KubernetesOptions> kubernetes_options(const Target& target) {
  const Result<WantedPods> wanted = wanted_pods(target);
  if (!wanted) return wanted.error();
  return KubernetesOptions(*wanted);
}

}  // namespace rollcall
