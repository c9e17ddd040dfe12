#include "command/ask/launch_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "command/ask/own_task.hpp"
#include "command/ask/slices.hpp"
#include "launch/job_environment.hpp"
#include "launch/outside_ports.hpp"
#include "rollcall/target_scheme.hpp"
#include "rollcall/tpu_call.hpp"

namespace rollcall::command {
namespace {

bool any_of_them(const std::vector<LaunchFormat>& forms, bool LaunchFormatFacts::* use) {
  return std::any_of(forms.begin(), forms.end(), [use](LaunchFormat form) { return facts_of(form).*use; });
}

// The part that knows how many accelerators a host has, without asking runtimes that may not be started yet.
bool counts_without_runtime(const ClusterPart& part) {
  const TargetScheme* const scheme = scheme_of(part.target);
  return scheme && scheme->counts_without_runtime && scheme->counts_without_runtime(*part.resolver);
}

}  // namespace

asio::awaitable<Result<std::optional<int>>> ask_accelerators_per_host(std::vector<ClusterPart> parts, QuestionOptions options) {
  std::optional<int> count;
  std::string whose;
  for (const ClusterPart& part : parts) {
    if (!counts_without_runtime(part)) continue;
    CallOptions by_type = options.next();
    by_type.with(by_type.get<TpuCallOptions>().count_from(CountFrom::accelerator_type));
    const Result<AcceleratorCounts> counts = co_await part.resolver->try_num_accelerators({}, {}, std::move(by_type));
    if (!counts) {
      if (counts.error().code() == Errc::failed_precondition) continue;  // a list of workers has no type
      co_return counts.error();
    }
    if (counts->counts().size() != 1 || counts->counts().begin()->second < 1) continue;
    const int here = counts->counts().begin()->second;
    if (count && *count != here) {
      Failure failure(Errc::failed_precondition, fmt::format("hosts of {} have {} accelerators, and those of {} have {}", printable(whose),
                                                             *count, target_text(part.target), here));
      co_return failure.with_hint("say how many processes a host shall have: --slots N");
    }
    count = here;
    whose = part.target;
  }
  co_return count;
}

namespace {

// Rejects one given port for two forms: both listen on the first host. Their usual and their derived ports differ.
Result<void> check_ports(const LaunchFacts& facts, const std::vector<LaunchFormat>& forms) {
  constexpr LaunchFormat listening[] = {LaunchFormat::jax, LaunchFormat::torchrun, LaunchFormat::torch_env, LaunchFormat::torch_xla};
  if (!facts.coordinator_port && facts.port_rule != CoordinatorPort::task) return Result<void>();
  const auto has = [&forms](LaunchFormat form) { return std::find(forms.begin(), forms.end(), form) != forms.end(); };
  if (!has(LaunchFormat::megascale)) return Result<void>();
  const auto other = std::find_if(std::begin(listening), std::end(listening), has);
  if (other == std::end(listening)) return Result<void>();
  return Failure(Errc::invalid_argument,
                 fmt::format("{} and megascale would both listen at that port of the first host", to_string(*other)))
      .with_hint("leave --coordinator-port out, or let it be derived");
}

}  // namespace

asio::awaitable<Result<LaunchFacts>> ask_launch_facts(LaunchFacts facts, ClusterSpec spec, std::vector<LaunchFormat> forms,
                                                      std::vector<ClusterPart> parts, std::shared_ptr<ClusterResolver> together,
                                                      QuestionOptions options) {
  const Result<void> ports = check_ports(facts, forms);
  if (!ports) co_return ports.error();
  facts.spec = std::move(spec);
  try {
    if (!facts.rpc_layer) facts.rpc_layer = together->rpc_layer();
  } catch (const ResolveError& error) {
    co_return error.failure();
  }
  if (!facts.task && any_of_them(forms, &LaunchFormatFacts::needs_task)) {
    const Result<OwnTask> task = co_await find_own_task(facts.spec, parts, options);
    if (!task) co_return task.error();
    facts.task.emplace(task->job, task->index);
  } else if (!facts.task && any_of_them(forms, &LaunchFormatFacts::uses_task)) {
    const Result<std::optional<OwnTask>> task = co_await find_declared_own_task(facts.spec, parts, options);
    if (!task) co_return task.error();
    if (*task) facts.task.emplace((*task)->job, (*task)->index);
  }
  // An index that is missing may be one of an elastic job, which is numbered again.
  const bool lacks_job = facts.task && any_of_them(forms, &LaunchFormatFacts::uses_task) && !facts.spec.has_job(facts.task->job);
  const Result<void> known = lacks_job ? check_launched_task(facts.spec, *facts.task) : Result<void>();
  if (!known) co_return known.error();
  if (!facts.accelerators_per_host && any_of_them(forms, &LaunchFormatFacts::uses_accelerators)) {
    const Result<std::optional<int>> count = co_await ask_accelerators_per_host(parts, options);
    if (!count) co_return count.error();
    facts.accelerators_per_host = *count;
  }
  const bool has_coordinator =
      std::any_of(forms.begin(), forms.end(), [](LaunchFormat form) { return facts_of(form).coordinator_port != 0; });
  const Result<void> outside = has_coordinator ? take_outside_ports(facts, *process_environment()) : Result<void>();
  if (!outside) co_return outside.error();
  if (any_of_them(forms, &LaunchFormatFacts::uses_type)) {
    Result<LaunchFacts> reported = co_await ask_slices(std::move(facts), std::move(forms), std::move(parts), std::move(options));
    co_return reported;
  }
  co_return facts;
}

asio::awaitable<Result<LaunchFacts>> ask_cluster_and_facts(LaunchFacts facts, LaunchFormat format, std::vector<ClusterPart> parts,
                                                           std::shared_ptr<ClusterResolver> together, QuestionOptions options) {
  Result<ClusterSpec> spec = co_await together->try_cluster_spec(options.next());
  if (!spec) co_return spec.error();
  std::vector<LaunchFormat> forms(1, format);
  co_return co_await ask_launch_facts(std::move(facts), std::move(*spec), std::move(forms), std::move(parts), together, std::move(options));
}

}  // namespace rollcall::command
