#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "async/async_event.hpp"
#include "async/group.hpp"
#include "async/turns.hpp"
#include "async/with_background.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "cluster/alike_accelerators.hpp"
#include "resolvers/kubernetes/access/kubernetes_request.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"
#include "resolvers/kubernetes/chain/explain_pods.hpp"
#include "resolvers/kubernetes/chain/explaining_observer.hpp"
#include "resolvers/kubernetes/chain_source.hpp"
#include "resolvers/kubernetes/expected_pods.hpp"
#include "resolvers/kubernetes/kubernetes_pods.hpp"
#include "resolvers/kubernetes/pod_follow.hpp"
#include "resolvers/kubernetes/rules/found_pod.hpp"
#include "resolvers/kubernetes/rules/pod_status.hpp"
#include "resolvers/kubernetes/rules/selected_tasks.hpp"
#include "resolvers/own_rpc_layer.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "rollcall/tpu_call.hpp"

namespace rollcall {
namespace {

constexpr std::string_view own_namespace = ".";

Result<void> check_selector(const std::string& job, const std::string& selector) {
  constexpr std::size_t max_bytes = 8192;
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const bool is_fine =
      selector.size() <= max_bytes && is_valid_utf8(selector) && std::none_of(selector.begin(), selector.end(), is_control);
  if (is_fine) return {};
  return Failure(Errc::invalid_argument, fmt::format("the selector {} of job {} cannot be one", quoted(selector, 200), quoted(job, 80)))
      .with_hint("selectors are like app=trainer,tier!=test,zone in (a,b),!old");
}

bool stays(const FoundPod& pod) { return !is_leaving(pod); }

class KubernetesResolver final : public OwnRpcLayerResolver {
 public:
  KubernetesResolver(Runtime runtime_handle, KubernetesOptions options)
      : OwnRpcLayerResolver(std::move(runtime_handle)), options_(std::move(options)), jobs_(options_.job_to_label_mapping()) {
    rpc_layer_ = options_.rpc_layer();
    if (!options_.workload_name().empty()) {
      const Result<const WorkloadType*> type = workload_type_called(options_.workload_kind());
      if (type) {
        NamedWorkload& one = named_.emplace();
        one.type = *type;
        one.name = options_.workload_name();
        one.others = other_meanings(options_.workload_kind(), **type);
      }
      return;
    }
    if (jobs_.empty()) jobs_.emplace_back("worker", KubernetesOptions::Selectors{"job-name=tensorflow"});
  }

  std::string describe() const override {
    std::string text = "kubernetes:" + printable(options_.namespace_name(), 80);
    if (!options_.workload_name().empty())
      text += fmt::format("/{}/{}", printable(options_.workload_kind(), 80), printable(options_.workload_name(), 253));
    return text;
  }

  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call& call) override {
    const Result<PodScope> scope = co_await find_scope(call);
    if (!scope) co_return scope.error();
    ExpectedPods expected = expected_of(*scope);
    if (expected.is_named()) {
      const Result<void> read = co_await expected.refresh(call);
      if (!read) co_return read.error();
    }
    const PodDetail detail = expected.detail(PodDetail::address);
    std::vector<asio::awaitable<Result<FoundPods>>> questions;
    for (const auto& [job, selectors] : expected.jobs()) {
      for (const std::string& selector : selectors) questions.push_back(list_pods(call, *scope, selector, detail, stays));
    }
    const std::vector<Result<FoundPods>> answers = co_await gather(std::move(questions), OnFailure::cancel_later);
    std::vector<PodPointers> pods;
    for (const Result<FoundPods>& answer : answers) {
      if (!answer) co_return answer.error();
      PodPointers& mine = pods.emplace_back();
      mine.reserve(answer->pods.size());
      for (const FoundPod& pod : answer->pods) mine.push_back(&pod);
    }
    const Result<void> found = co_await expected.look_up(call, pods);
    if (!found) co_return found.error();
    expected.take(pods);
    std::string said;
    note_unknown_number(call, expected, said);
    const Result<void> alive = expected.check_alive();
    if (!alive) co_return alive.error();
    ClusterSpec spec;
    std::size_t next = 0;
    for (const auto& [job, selectors] : expected.jobs()) {
      SelectedTasks all;
      for (std::size_t i = 0; i < selectors.size(); ++i, ++next) {
        Result<SelectedTasks> tasks = co_await tasks_of(call, pods[next], expected.places(next));
        if (!tasks) co_return tasks.error();
        all.append(std::move(*tasks));
      }
      const Result<void> set = std::move(all).add_to(spec, job);
      if (!set) co_return set.error();
    }
    const Result<void> complete = expected.check_complete(spec);
    if (!complete) co_return complete.error();
    co_return spec;
  }

  asio::awaitable<Result<ClusterStatus>> do_cluster_status(Call& call) override {
    const Result<PodScope> scope = co_await find_scope(call);
    if (!scope) co_return scope.error();
    ExpectedPods expected = expected_of(*scope);
    co_return co_await ask_pods(call, *scope, expected);
  }

  asio::awaitable<Result<ExplainedStatus>> do_explained_status(Call& call) override {
    const Result<PodScope> scope = co_await find_scope(call);
    if (!scope) co_return scope.error();
    ExpectedPods expected = expected_of(*scope);
    Result<ClusterStatus> status = co_await ask_pods(call, *scope, expected);
    if (!status) co_return status.error();
    const ChainSource source = chain_source(*scope, expected, jobs_, named_);
    co_return co_await explain_pods(call, source, std::move(*status));
  }

  asio::awaitable<Result<AcceleratorCounts>> do_num_accelerators(Call& call, std::optional<std::string> task_type,
                                                                 std::optional<int> task_id) override {
    if (call.options().get<TpuCallOptions>().count_from() == CountFrom::automatic) {
      const Result<ClusterStatus> status = co_await do_cluster_status(call);
      if (!status) co_return status.error();
      std::optional<Result<AcceleratorCounts>> known = alike_accelerators(status->members, task_type, task_id);
      if (known) co_return std::move(*known);
    }
    co_return co_await OwnRpcLayerResolver::do_num_accelerators(call, std::move(task_type), task_id);
  }

  asio::awaitable<Result<std::vector<DeviceAttributes>>> do_list_devices(Call& call) override {
    Result<std::vector<DeviceAttributes>> devices = co_await OwnRpcLayerResolver::do_list_devices(call);
    if (devices || devices.error().code() != Errc::failed_precondition) co_return devices;
    Failure failure = devices.error();
    co_return failure.with_hint(
        "a pod says by its resources how many accelerators it has, such as nvidia.com/gpu; these name none that is known");
  }

  bool supports_watch() const override { return true; }

  // A server's other certificate, and the authority that has issued it, may have come since the files were read.
  asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& observer) override {
    std::optional<Failure> refused;  // by the certificate, with `access`
    std::shared_ptr<const ServerAccess> access;
    for (;;) {
      const Result<PodScope> scope = co_await find_scope(call);
      const ServerAccess* const now = scope ? scope->server.access.get() : nullptr;
      const bool is_same = now == access.get() || (now && access && *now == *access);
      if (refused && (!scope || is_same)) co_return *refused;
      if (!scope) co_return scope.error();
      Result<void> ended = co_await follow_at(call, *scope, observer);
      if (ended || ended.error().code() != Errc::tls_failed) co_return ended;
      refused = ended.error();
      access = scope->server.access;
    }
  }

 private:
  asio::awaitable<Result<void>> follow_at(Call& call, const PodScope& scope, StatusObserver& observer) {
    ExpectedPods expected = expected_of(scope);
    const ChainSource source = chain_source(scope, expected, jobs_, named_);
    ExplainingObserver explaining(call, source, observer);
    asio::awaitable<Result<void>> follow = follow_pods(call, scope, expected, explaining);
    co_return co_await with_background(explaining.run(), std::move(follow));
  }

  // The server by the current options, environment and files.
  asio::awaitable<Result<PodScope>> find_scope(Call& call) const {
    const Result<void> fine = check_options();
    if (!fine) co_return fine.error();
    Result<KubernetesServer> server = co_await find_kubernetes(call, options_);
    if (!server) co_return server.error();
    Result<std::string> namespace_name = options_.namespace_name();
    if (*namespace_name == own_namespace) namespace_name = server->own_namespace();
    if (!namespace_name) co_return namespace_name.error();
    if (named_ && namespace_name->empty()) {
      co_return Failure(Errc::invalid_argument, "a workload is named without its namespace")
          .with_hint("kubernetes:NAMESPACE/KIND/NAME; '.' is the kubeconfig context's namespace, or the pod's own");
    }
    co_return PodScope(options_, *std::move(server), *std::move(namespace_name));
  }

  Result<void> check_options() const {
    if (const Result<void> fine = check_namespace(options_.namespace_name()); !fine) return fine;
    if (const Result<void> fine = check_workload(options_); !fine) return fine;
    if (options_.port() == 0) return Failure(Errc::invalid_argument, "the tasks' port cannot be 0");
    for (const auto& [job, selectors] : jobs_) {
      for (const std::string& selector : selectors) {
        if (const Result<void> fine = check_selector(job, selector); !fine) return fine;
      }
    }
    return {};
  }

  // Each step takes nearly a millisecond with thousands of pods.
  asio::awaitable<Result<SelectedTasks>> tasks_of(Call& call, PodPointers& pods, const PodPlaces* places) const {
    const Result<void> fit = fit_pods(pods, options_, impl_of(call).time->wall_now());
    if (!fit) co_return fit.error();
    co_await next_turn();
    const Result<void> ordered = order_pods(pods, options_.order());
    if (!ordered) co_return ordered.error();
    co_await next_turn();
    if (places) {
      const TaskOrder order(options_, places);
      co_await sort_in_turns(pods, order);
    }
    co_return SelectedTasks(pods, options_, places != nullptr);
  }

  ExpectedPods expected_of(const PodScope& scope) const { return named_ ? ExpectedPods(scope, *named_) : ExpectedPods(scope, jobs_); }

  KubernetesOptions options_;
  KubernetesOptions::LabelMapping jobs_;
  std::optional<NamedWorkload> named_;
};

}  // namespace

bool is_namespace(std::string_view name) noexcept {
  if (name.empty() || name.size() > 63 || name.front() == '-' || name.back() == '-') return false;
  return std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

Result<void> check_namespace(const std::string& name) {
  if (name.empty() || name == own_namespace || is_namespace(name)) return {};
  return Failure(Errc::invalid_argument, fmt::format("{} is not a namespace", quoted(name, 80)))
      .with_hint(
          "namespaces are of lower-case letters, digits and hyphens; none means all of them, '.' your own; pods by a label: "
          "kubernetes:NAMESPACE,job.worker=KEY=VALUE");
}

Result<void> check_workload(const KubernetesOptions& options) {
  if (options.workload_name().empty() && options.workload_kind().empty()) return {};
  const Result<const WorkloadType*> type = workload_type_called(options.workload_kind());
  if (!type) return type.error();
  const std::string& name = options.workload_name();
  const bool is_fine = !name.empty() && name.size() <= 253 && is_alnum(name.front()) && is_alnum(name.back()) &&
                       std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-' || c == '.'; });
  if (!is_fine) {
    return Failure(Errc::invalid_argument, fmt::format("{} is not the name of a {}", quoted(name, 80), (*type)->name))
        .with_hint("names are of lower-case letters, digits, hyphens and dots");
  }
  if (options.job_to_label_mapping().empty()) return {};
  return Failure(Errc::invalid_argument, fmt::format("the {} {} has its own jobs, and job {} is given besides", (*type)->name,
                                                     quoted(name, 80), quoted(options.job_to_label_mapping().front().first, 80)))
      .with_hint("name the workload alone, or the jobs by labels alone: kubernetes:NAMESPACE,job.worker=job-name=NAME");
}

Result<ExecutableLocation> parse_executable_location(std::string_view text) {
  if (equals_ignoring_case(text, "automatic")) return ExecutableLocation::automatic;
  if (equals_ignoring_case(text, "within_cluster")) return ExecutableLocation::within_cluster;
  if (equals_ignoring_case(text, "off_cluster")) return ExecutableLocation::off_cluster;
  return Failure(Errc::invalid_argument, fmt::format("{} is not an executable location", quoted(text, 80)))
      .with_hint("it is automatic, within_cluster or off_cluster");
}

std::shared_ptr<ClusterResolver> make_kubernetes_resolver(Runtime runtime, KubernetesOptions options) {
  return std::make_shared<KubernetesResolver>(std::move(runtime), std::move(options));
}

}  // namespace rollcall
