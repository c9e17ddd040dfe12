#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "resolvers/target_keys.hpp"
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
  Result<void> fine = check_no_name(target, "reads Slurm's variables");
  SlurmOptions options;
  if (fine) fine = read_slurm_jobs(target, options);
  if (fine) fine = slurm_keys.set(target, options);
  if (!fine) return fine.error();
  return make_slurm_resolver(std::move(runtime), std::move(options));
}

bool is_by_rank(const Target& target) { return target.get("order") == "rank"; }

std::string_view slurm_task_order(const Target& target, const ClusterResolver&) {
  return is_by_rank(target) ? "by Slurm's ranks" : "by the names of hosts, as text";
}

bool slurm_is_step(const ClusterResolver&) { return true; }

}  // namespace

extern const TargetScheme slurm_scheme;
constexpr TargetScheme slurm_scheme = {
    .name = "slurm",
    .synopsis = "slurm:[job.NAME=COUNT…][,order=rank]…",
    .summary = "the tasks of the Slurm step that this process belongs to",
    .example = "slurm:job.ps=1,job.worker=3,order=rank",
    .keys = slurm_keys.names,
    .takes_jobs = true,
    .is_fixed = true,
    .make = make_slurm,
    .task_order = slurm_task_order,
    .is_slurm_step = slurm_is_step,
};

}  // namespace rollcall
