#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/kubernetes_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetKey kubernetes_keys[] = {
    {"port", "of every task; default: 8470"},
    {"address", "host (default) or pod"},
    {"family", "ipv4 or ipv6, where pods have both; default: the one that Kubernetes names first"},
    {"order", "automatic (default): by index where all pods have one; name; or index, which must be without gaps"},
    {"context", "of the kubeconfig; default: its current-context"},
    {"kubeconfig", "this file; default: $KUBECONFIG, then ~/.kube/config, then the pod's own account"},
    {"location", "automatic (default), within_cluster or off_cluster: where to look for the configuration"},
    {"api_server", "the API server's address, instead of looking it up"},
    {"token_file", "the token to send, instead of what the configuration has or makes one with"},
    {"rpc_layer", "default: grpc"},
    {"type", "this task's job"},
    {"task", "this task's index"},
};

constexpr TargetWord<PodAddress> pod_address_words[] = {{"host", PodAddress::host}, {"pod", PodAddress::pod}};
constexpr TargetWord<AddressFamily> pod_family_words[] = {
    {"any", AddressFamily::any}, {"ipv4", AddressFamily::ipv4}, {"ipv6", AddressFamily::ipv6}};
constexpr TargetWord<PodOrder> pod_order_words[] = {
    {"automatic", PodOrder::automatic}, {"name", PodOrder::name}, {"index", PodOrder::index}};

Result<void> add_jobs(const Target& target, KubernetesOptions& options) {
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

Result<void> add_choices(const Target& target, KubernetesOptions& options) {
  using K = KubernetesOptions;
  Result<void> fine = word_option(target, "address", pod_address_words, options, &K::address, "is none of host, pod");
  if (fine) fine = word_option(target, "family", pod_family_words, options, &K::family, "is none of any, ipv4, ipv6");
  if (fine) fine = word_option(target, "order", pod_order_words, options, &K::order, "is none of automatic, name, index");
  if (!fine) return fine;
  const Result<std::optional<std::uint16_t>> port = port_option(target);
  if (!port) return port.error();
  if (*port) options.tf_server_port(**port);
  if (const auto v = target.get("location")) {
    const Result<ExecutableLocation> location = parse_executable_location(*v);
    if (!location) return location.error();
    options.executable_location(*location);
  }
  return {};
}

Result<std::shared_ptr<ClusterResolver>> make_kubernetes(Runtime runtime, const Target& target) {
  KubernetesOptions options;
  options.namespace_name(target.body);
  if (const Result<void> added = add_jobs(target, options); !added) return added.error();
  if (const Result<void> added = add_choices(target, options); !added) return added.error();
  if (const auto v = target.get("context")) options.context(*v);
  if (const auto v = target.get("kubeconfig")) options.kubeconfig(*v);
  if (const auto v = target.get("api_server")) options.api_server(*v);
  if (const auto v = target.get("token_file")) options.credentials(token_file(*v));
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  const Result<std::optional<int>> task = task_option(target);
  if (!task) return task.error();
  std::shared_ptr<ClusterResolver> resolver = make_kubernetes_resolver(std::move(runtime), std::move(options));
  if (const auto v = target.get("type")) {
    if (const Result<void> set = resolver->set_task_type(*v); !set) return set.error();
  }
  if (*task) {
    if (const Result<void> set = resolver->set_task_id(**task); !set) return set.error();
  }
  return resolver;
}

}  // namespace

extern const TargetScheme kubernetes_scheme;
constexpr TargetScheme kubernetes_scheme = {
    .name = "kubernetes",
    .synopsis = "kubernetes:[NAMESPACE][,job.NAME=SELECTOR[+SELECTOR…]]…[,port=N][,address=pod]…",
    .summary = "pods by label; no NAMESPACE: of all namespaces; '.': of the kubeconfig's or the pod's own",
    .example = "kubernetes:train,job.worker=app=trainer,address=pod",
    .keys = kubernetes_keys,
    .takes_jobs = true,
    .make = make_kubernetes,
};

}  // namespace rollcall
