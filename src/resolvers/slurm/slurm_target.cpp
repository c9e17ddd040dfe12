#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "resolvers/slurm/rules/slurm_rules.hpp"
#include "resolvers/slurm/slurm_doctor.hpp"
#include "resolvers/target_keys.hpp"
#include "rollcall/slurm_job_resolver.hpp"
#include "rollcall/slurm_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetWord<SlurmOrder> slurm_orders[] = {{"name", SlurmOrder::name}, {"rank", SlurmOrder::rank}};
constexpr TargetWord<HostListGrammar> slurm_grammars[] = {{"tensorflow", HostListGrammar::tensorflow},
                                                          {"scontrol", HostListGrammar::scontrol}};

Result<void> read_slurm_nodes(const TargetValue& value, SlurmOptions& options) {
  if (value.items.size() == 1) {
    if (const auto each = parse_decimal<int>(value.items.front())) {
      options.tasks_per_node(*each);
      return {};
    }
  }
  SlurmOptions::TasksPerNode nodes;
  for (const std::string& item : value.items) {
    const std::size_t colon = item.rfind(':');
    const std::optional<int> count =
        colon == std::string::npos ? std::nullopt : parse_decimal<int>(std::string_view(item).substr(colon + 1));
    const auto is_same = [&](const auto& node) { return node.first == item.substr(0, colon); };
    if (!count || colon == 0 || std::any_of(nodes.begin(), nodes.end(), is_same)) {
      return Failure(Errc::invalid_argument, fmt::format("slurm: tasks_per_node={}: {} is neither a number nor HOST:N of a new host",
                                                         quoted(value.text()), quoted(item)))
          .with_hint("tasks_per_node=2 or tasks_per_node=n1:2+n2:1");
    }
    nodes.emplace_back(item.substr(0, colon), *count);
  }
  options.tasks_per_node(std::move(nodes));
  return {};
}

// clang-format off
constexpr TargetKeys slurm_keys(
    port_key("port", &SlurmOptions::port, "the port of a host's first task; default: 8888"),
    count_key("gpus_per_node", &SlurmOptions::gpus_per_node,
              "default: counted by CUDA_VISIBLE_DEVICES, else SLURM_GPUS_ON_NODE, else 0"),
    count_key("gpus_per_task", &SlurmOptions::gpus_per_task, "default: gpus_per_node divided by the most tasks of a node"),
    own_key("tasks_per_node", read_slurm_nodes, "N for every host, or HOST:N+HOST:N; default: SLURM_STEP_TASKS_PER_NODE"),
    flag_key("auto_set_gpu", &SlurmOptions::auto_set_gpu,
             "true: set CUDA_VISIBLE_DEVICES, where the program allows it; default: false"),
    text_key("rpc_layer", &SlurmOptions::rpc_layer, "default: grpc"),
    word_key("order", &SlurmOptions::order, slurm_orders, "is neither name nor rank",
             "name (default, as TensorFlow: hosts sorted by name) or rank (as Slurm numbers them)"),
    word_key("grammar", &SlurmOptions::grammar, slurm_grammars, "is neither tensorflow nor scontrol",
             "of SLURM_STEP_NODELIST: tensorflow (default) or scontrol"));
// clang-format on

constexpr TargetWord<SlurmAddress> slurm_addresses[] = {{"name", SlurmAddress::name}, {"addr", SlurmAddress::addr}};

Result<void> read_token_command(const TargetValue& value, SlurmJobOptions& options) {
  options.token_command(value.items);
  return {};
}

// clang-format off
constexpr TargetKeys slurm_access_keys(
    trusted(text_key("restd", &SlurmJobOptions::restd,
                     "slurmrestd: unix:/path, http://127.0.0.1:6820 or https://host; default: squeue and scontrol are run")),
    path_key("token_file", &SlurmJobOptions::token_file, "a file with the token for it; default: the variable SLURM_JWT"),
    trusted(own_key("token_command", read_token_command, "a program that prints the token: scontrol+token+lifespan=600")),
    text_key("login", &SlurmJobOptions::login, "the user of the token, where it does not say it"));
constexpr TargetKeys slurm_job_keys(
    text_key("cluster", &SlurmJobOptions::cluster, "the cluster that the job must be of; a service asks that one; default: any"),
    text_key("user", &SlurmJobOptions::user, "whose job a name means"),
    word_key("address", &SlurmJobOptions::address, slurm_addresses, "is neither name nor addr",
             "name (default, as in Slurm's node list) or addr (NodeAddr)"),
    flag_key("probe_nodes", &SlurmJobOptions::probes_nodes,
             "true: while the job is followed, connect to slurmd of each node, so that a dead one is named at once; default: false"));
constexpr TargetKeys slurm_common_keys(
    port_key("port", &SlurmJobOptions::port, ""),
    text_key("rpc_layer", &SlurmJobOptions::rpc_layer, ""));
// clang-format on

// Both kinds of targets take `port` and `rpc_layer`, whose rows are the step's.
constexpr auto all_slurm_keys = [] {
  std::array<TargetKey, slurm_keys.names.size() + slurm_access_keys.names.size() + slurm_job_keys.names.size()> all{};
  auto end = std::copy(slurm_keys.names.begin(), slurm_keys.names.end(), all.begin());
  end = std::copy(slurm_access_keys.names.begin(), slurm_access_keys.names.end(), end);
  std::copy(slurm_job_keys.names.begin(), slurm_job_keys.names.end(), end);
  return all;
}();

constexpr std::string_view job_prefix = "job/";

bool names_slurm_job(const Target& target) { return target.body == "job" || target.body.starts_with(job_prefix); }

// A key of the other kind would be ignored.
template <class Keys>
Result<void> check_no_keys_of(const Keys& others, const Target& target, std::string_view goes_with) {
  for (const auto& [key, items] : target.options) {
    const auto is_it = [&key = key](const TargetKey& other) { return other.name == key; };
    const bool is_common = std::any_of(slurm_common_keys.names.begin(), slurm_common_keys.names.end(), is_it);
    if (!is_common && std::any_of(others.names.begin(), others.names.end(), is_it))
      return Failure(Errc::invalid_argument, fmt::format("slurm: {}= goes with {}", key, goes_with))
          .with_hint("slurm:job/4711 is a job, slurm: the step that this process belongs to");
  }
  return {};
}

Result<void> read_slurm_jobs(const Target& target, SlurmOptions& options) {
  SlurmOptions::Jobs jobs;
  for (const auto& [key, items] : target.options) {
    if (!key.starts_with("job.")) continue;
    const std::optional<int> count = items.size() == 1 ? parse_decimal<int>(items.front()) : std::nullopt;
    if (!count) return TargetValue{target, key, items}.wrong("is not a number of tasks").with_hint("slurm:job.worker=3,job.ps=1");
    jobs.emplace(key.substr(4), *count);
  }
  if (!jobs.empty()) options.jobs(std::move(jobs));
  return {};
}

Result<std::shared_ptr<ClusterResolver>> make_slurm(Runtime runtime, const Target& target) {
  if (names_slurm_job(target)) {
    const Result<SlurmJobOptions> job = slurm_job_options(target);
    if (!job) return job.error();
    return make_slurm_job_resolver(std::move(runtime), *job);
  }
  Result<void> fine = check_no_name(target, "reads Slurm's variables", "slurm:job/ID is a job");
  if (fine) fine = check_no_keys_of(slurm_job_keys, target, "a job");
  SlurmOptions options;
  if (fine) fine = read_slurm_jobs(target, options);
  if (fine) fine = slurm_keys.set(target, options);
  SlurmJobOptions own_job;  // its nodes have states, the step's variables have none
  if (fine) fine = slurm_access_keys.set(target, own_job);
  if (!fine) return fine.error();
  std::shared_ptr<ClusterResolver> job = make_slurm_job_resolver(runtime, std::move(own_job));
  return make_slurm_resolver(std::move(runtime), std::move(options), std::move(job));
}

bool is_by_rank(const Target& target) { return target.get("order") == "rank"; }

std::string_view slurm_task_order(const Target& target, const ClusterResolver&) {
  if (names_slurm_job(target)) return "by Slurm's list of nodes";
  return is_by_rank(target) ? "by Slurm's ranks" : "by the names of hosts, as text";
}

bool slurm_is_step(const ClusterResolver& resolver) { return dynamic_cast<const SlurmResolver*>(&resolver) != nullptr; }

}  // namespace

Result<SlurmJobOptions> slurm_job_options(const Target& target) {
  SlurmJobOptions options;
  if (target.body.starts_with(job_prefix)) options.job(target.body.substr(job_prefix.size()));
  Result<void> fine = check_no_keys_of(slurm_keys, target, "a step");
  for (const auto& [key, items] : target.options) {
    if (fine && key.starts_with("job."))
      fine = Failure(Errc::invalid_argument, fmt::format("slurm: {}= goes with a step", printable(key, 80)));
  }
  if (fine && target.body == job_prefix)
    fine = Failure(Errc::invalid_argument, "slurm:job/ names no job")
               .with_hint("slurm:job/4711, slurm:job/NAME, or slurm:job for the own one");
  if (fine) fine = slurm_access_keys.set(target, options);
  if (fine) fine = slurm_job_keys.set(target, options);
  if (fine) fine = slurm_common_keys.set(target, options);
  if (!fine) return fine.error();
  return options;
}

extern const TargetScheme slurm_scheme;
constexpr TargetScheme slurm_scheme = {
    .name = "slurm",
    .synopsis = "slurm:[job.NAME=COUNT…|job/ID][,order=rank][,restd=URL]…",
    .summary =
        "the tasks of the Slurm step that this process belongs to; job/ID or job/NAME: the nodes of that job, from anywhere; job: the own "
        "one",
    .example = "slurm:job.ps=1,job.worker=3,order=rank",
    .keys = all_slurm_keys,
    .takes_jobs = true,
    .is_fixed = true,
    .is_followed = names_slurm_job,
    .make = make_slurm,
    .rules = &slurm_rules,
    .doctor = doctor_slurm,
    .task_order = slurm_task_order,
    .is_slurm_step = slurm_is_step,
};

}  // namespace rollcall
