#include "command/ask/launch_facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command/ask/own_task.hpp"
#include "command/ask/slices.hpp"
#include "launch/job_environment.hpp"
#include "launch/outside_ports.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/slurm_resolver.hpp"
#include "rollcall/target_scheme.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/tpu_slices.hpp"

namespace rollcall::command {
namespace {

bool any_of_them(const std::vector<LaunchFormat>& forms, bool LaunchFormatFacts::* use) {
  return std::any_of(forms.begin(), forms.end(), [use](LaunchFormat form) { return facts_of(form).*use; });
}

// True if the members of the part are known here, or beside this machine: to ask for them costs little, and shows whether they are a part.
bool is_own_cluster(const ClusterPart& part) {
  const TargetScheme* const scheme = scheme_of(part.target);
  return is_of_fixed_list(part.target) || (scheme && scheme->own_slice);
}

bool is_of_tpus(const ClusterPart& part) { return tpu_of(*part.resolver) || slices_of(*part.resolver); }

bool knows_slices(const ClusterPart& part) { return slices_of(*part.resolver) != nullptr; }

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

// A cluster that is asked for once may have members that are still being made, of which the service has no address.
Result<void> check_all_there(const LaunchFacts& facts) {
  constexpr std::size_t max_shown = 4;
  std::string absent;
  std::size_t count = 0;
  for (const Member& member : facts.members) {
    const bool is_chosen = facts.jobs.empty() || std::find(facts.jobs.begin(), facts.jobs.end(), member.job) != facts.jobs.end();
    if (!is_chosen || !member.address.empty() || facts.spec.task_address(member.job, member.index)) continue;
    if (++count <= max_shown) absent += (absent.empty() ? "" : ", ") + member.label();
  }
  if (count == 0) return {};
  return Failure(Errc::not_ready, fmt::format("{} of {} members have no address yet ({}{}): ranks count over all", count,
                                              facts.members.size(), absent, count > max_shown ? ", …" : ""))
      .with_hint("rollcall wait waits for them, and takes --format, too");
}

}  // namespace

std::string same_address_hint(const std::vector<ClusterPart>& parts) {
  for (const ClusterPart& part : parts) {
    const TargetScheme* const scheme = scheme_of(part.target);
    const Result<Target> target = Target::parse(part.target);
    if (!scheme || !scheme->same_address_hint || !target) continue;
    const std::string_view hint = scheme->same_address_hint(*target);
    if (!hint.empty()) return std::string(hint);
  }
  return {};
}

asio::awaitable<Result<LaunchFacts>> ask_launch_facts(LaunchFacts facts, ClusterSpec spec, std::optional<ClusterStatus> status,
                                                      std::vector<LaunchFormat> forms, std::vector<ClusterPart> parts,
                                                      std::shared_ptr<ClusterResolver> together, QuestionOptions options) {
  const Result<void> ports = check_ports(facts, forms);
  if (!ports) co_return ports.error();
  const Result<void> whole = check_slices(parts, forms);
  if (!whole) co_return whole.error();
  facts.spec = std::move(spec);
  facts.same_address_hint = same_address_hint(parts);
  try {
    if (!facts.rpc_layer) facts.rpc_layer = together->rpc_layer();
  } catch (const ResolveError& error) {
    co_return error.failure();
  }
  const bool needs_count = any_of_them(forms, &LaunchFormatFacts::uses_accelerators);  // their kind, too, where the number is given
  const bool needs_parts = !facts.task && any_of_them(forms, &LaunchFormatFacts::uses_task) && counts_within_part();
  const bool needs_type = any_of_them(forms, &LaunchFormatFacts::uses_type);
  // Where no API knows the slices, the members may say which TPUs they have.
  const bool asks_type = needs_type && std::none_of(parts.begin(), parts.end(), knows_slices);
  // A TPU may be READY before the service has all of its addresses.
  const bool may_lack_some = any_of_them(forms, &LaunchFormatFacts::needs_task) && std::any_of(parts.begin(), parts.end(), is_of_tpus);
  const bool needs_status =
      asks_type || needs_count || needs_parts || may_lack_some || std::any_of(parts.begin(), parts.end(), is_own_cluster);
  if (needs_count && std::all_of(parts.begin(), parts.end(), is_of_tpus)) facts.accelerator_kind = "TPU";
  if (!status && needs_status) {
    Result<ClusterStatus> asked = co_await together->try_cluster_status(options.next());
    if (!asked) co_return asked.error();
    status = std::move(*asked);
  }
  std::string type;
  if (status) {
    facts.members = std::move(status->members);
    type = std::move(status->accelerator_type);
  }
  if (!facts.task && any_of_them(forms, &LaunchFormatFacts::needs_task)) {
    const Result<OwnTask> task = co_await find_own_task(facts.spec, facts.members, parts, options);
    if (!task) co_return task.error();
    facts.task.emplace(task->job, task->index);
  } else if (!facts.task && any_of_them(forms, &LaunchFormatFacts::uses_task)) {
    const Result<std::optional<OwnTask>> task = co_await find_declared_own_task(facts.spec, facts.members, parts, options);
    if (!task) co_return task.error();
    if (*task) facts.task.emplace((*task)->job, (*task)->index);
    const bool is_for_program = std::find(forms.begin(), forms.end(), LaunchFormat::env) != forms.end();
    const Result<void> started = !facts.task && is_for_program ? check_is_started_as_task(parts) : Result<void>();
    if (!started) co_return started.error();
  }
  // An index that is missing may be one of an elastic job, which is numbered again.
  const bool lacks_job = facts.task && any_of_them(forms, &LaunchFormatFacts::uses_task) && !facts.spec.has_job(facts.task->job);
  const Result<void> known = lacks_job ? check_launched_task(facts.spec, *facts.task) : Result<void>();
  if (!known) co_return known.error();
  const bool has_coordinator =
      std::any_of(forms.begin(), forms.end(), [](LaunchFormat form) { return facts_of(form).coordinator_port != 0; });
  const Result<void> outside = has_coordinator ? take_outside_ports(facts, *process_environment()) : Result<void>();
  if (!outside) co_return outside.error();
  facts.run = run_of(parts);
  if (needs_type) {
    Result<LaunchFacts> reported =
        co_await ask_slices(std::move(facts), std::move(forms), std::move(parts), std::move(type), std::move(options));
    co_return reported;
  }
  co_return facts;
}

std::string run_of(const std::vector<ClusterPart>& parts) {
  if (parts.size() != 1) return {};
  const ClusterPart& part = parts.front();
  const TargetScheme* const scheme = scheme_of(part.target);
  if (!scheme || !scheme->is_slurm_step || !scheme->is_slurm_step(*part.resolver)) return {};
  const Result<SlurmProcess> process = find_slurm_process(*process_environment());
  return process ? process->run : std::string();
}

asio::awaitable<Result<LaunchFacts>> ask_cluster_and_facts(LaunchFacts facts, LaunchFormat format, std::vector<ClusterPart> parts,
                                                           std::shared_ptr<ClusterResolver> together, QuestionOptions options) {
  Result<ClusterSpec> spec = co_await together->try_cluster_spec(options.next());
  if (!spec) co_return spec.error();
  std::vector<LaunchFormat> forms(1, format);
  Result<LaunchFacts> found = co_await ask_launch_facts(std::move(facts), std::move(*spec), std::nullopt, std::move(forms),
                                                        std::move(parts), together, std::move(options));
  if (!found) co_return found;
  const Result<void> whole = facts_of(format).needs_task ? check_all_there(*found) : Result<void>();
  if (!whole) co_return whole.error();
  co_return found;
}

}  // namespace rollcall::command
