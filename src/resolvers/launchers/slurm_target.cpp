#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/slurm_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetKey slurm_keys[] = {
    {"port_base", "the port of a host's first task; default: 8888"},
    {"gpus_per_node", "default: counted by CUDA_VISIBLE_DEVICES, else SLURM_GPUS_ON_NODE, else 0"},
    {"gpus_per_task", "default: gpus_per_node divided by the most tasks of a node"},
    {"tasks_per_node", "N for every host, or HOST:N+HOST:N; default: SLURM_STEP_TASKS_PER_NODE"},
    {"auto_set_gpu", "true: set CUDA_VISIBLE_DEVICES, where the program allows it; default: false"},
    {"rpc_layer", "default: grpc"},
    {"order", "name (default, as TensorFlow: hosts sorted by name) or rank (as Slurm numbers them)"},
    {"grammar", "of SLURM_STEP_NODELIST: tensorflow (default) or scontrol"},
};

constexpr TargetWord<SlurmOrder> slurm_orders[] = {{"name", SlurmOrder::name}, {"rank", SlurmOrder::rank}};
constexpr TargetWord<HostListGrammar> slurm_grammars[] = {{"tensorflow", HostListGrammar::tensorflow},
                                                          {"scontrol", HostListGrammar::scontrol}};

Result<std::optional<int>> count_option(const Target& target, std::string_view key) {
  const std::optional<std::string> text = target.get(key);
  if (!text) return std::optional<int>();
  const std::optional<int> number = parse_decimal<int>(*text);
  if (!number) return Failure(Errc::invalid_argument, fmt::format("slurm: {}={} is not a number", key, quoted(*text)));
  return number;
}

Result<void> read_slurm_jobs(const Target& target, SlurmOptions& options) {
  SlurmOptions::Jobs jobs;
  for (const auto& [key, items] : target.options) {
    if (!key.starts_with("job.")) continue;
    const std::optional<int> count = items.size() == 1 ? parse_decimal<int>(items.front()) : std::nullopt;
    if (!count) {
      return Failure(Errc::invalid_argument, fmt::format("slurm: {}={} is not a number of tasks", key, quoted(*target.get(key))))
          .with_hint("slurm:job.worker=3,job.ps=1");
    }
    jobs.emplace(key.substr(4), *count);
  }
  if (!jobs.empty()) options.jobs(std::move(jobs));
  return Result<void>();
}

Result<void> read_slurm_nodes(const Target& target, SlurmOptions& options) {
  const auto is_key = [](const auto& option) { return option.first == "tasks_per_node"; };
  const auto found = std::find_if(target.options.begin(), target.options.end(), is_key);
  if (found == target.options.end()) return Result<void>();
  const std::vector<std::string>& items = found->second;
  if (items.size() == 1) {
    if (const auto each = parse_decimal<int>(items.front())) {
      options.tasks_per_node(*each);
      return Result<void>();
    }
  }
  SlurmOptions::TasksPerNode nodes;
  for (const std::string& item : items) {
    const std::size_t colon = item.rfind(':');
    const std::optional<int> count =
        colon == std::string::npos ? std::nullopt : parse_decimal<int>(std::string_view(item).substr(colon + 1));
    const auto is_same = [&](const auto& node) { return node.first == item.substr(0, colon); };
    if (!count || colon == 0 || std::any_of(nodes.begin(), nodes.end(), is_same)) {
      return Failure(Errc::invalid_argument, fmt::format("slurm: tasks_per_node={}: {} is neither a number nor HOST:N of a new host",
                                                         quoted(*target.get("tasks_per_node")), quoted(item)))
          .with_hint("tasks_per_node=2 or tasks_per_node=n1:2+n2:1");
    }
    nodes.emplace_back(item.substr(0, colon), *count);
  }
  options.tasks_per_node(std::move(nodes));
  return Result<void>();
}

Result<void> read_slurm_choices(const Target& target, SlurmOptions& options) {
  using S = SlurmOptions;
  Result<void> fine = word_option(target, "order", slurm_orders, options, &S::order, "is neither name nor rank");
  if (fine) fine = word_option(target, "grammar", slurm_grammars, options, &S::grammar, "is neither tensorflow nor scontrol");
  return fine;
}

Result<std::shared_ptr<ClusterResolver>> make_slurm(Runtime runtime, const Target& target) {
  if (!target.body.empty())
    return Failure(Errc::invalid_argument, fmt::format("slurm: reads Slurm's variables and takes no name, not {}", quoted(target.body)));
  SlurmOptions options;
  Result<void> fine = read_slurm_jobs(target, options);
  if (fine) fine = read_slurm_nodes(target, options);
  if (fine) fine = read_slurm_choices(target, options);
  if (!fine) return fine.error();
  const Result<std::optional<std::uint16_t>> port = port_option(target, "port_base");
  const Result<std::optional<int>> of_node = count_option(target, "gpus_per_node");
  const Result<std::optional<int>> of_task = count_option(target, "gpus_per_task");
  const Result<std::optional<bool>> sets_gpu = flag_option(target, "auto_set_gpu");
  if (!port) return port.error();
  if (!of_node) return of_node.error();
  if (!of_task) return of_task.error();
  if (!sets_gpu) return sets_gpu.error();
  if (*port) options.port_base(**port);
  if (*of_node) options.gpus_per_node(**of_node);
  if (*of_task) options.gpus_per_task(**of_task);
  if (*sets_gpu) options.auto_set_gpu(**sets_gpu);
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  return std::shared_ptr<ClusterResolver>(make_slurm_resolver(std::move(runtime), std::move(options)));
}

}  // namespace

extern const TargetScheme slurm_scheme;
constexpr TargetScheme slurm_scheme = {
    .name = "slurm",
    .synopsis = "slurm:[job.NAME=COUNT…][,order=rank]…",
    .summary = "the tasks of the Slurm step that this process belongs to",
    .example = "slurm:job.ps=1,job.worker=3,order=rank",
    .keys = slurm_keys,
    .takes_jobs = true,
    .make = make_slurm,
};

}  // namespace rollcall
