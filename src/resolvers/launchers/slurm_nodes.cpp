#include "resolvers/launchers/slurm_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr int max_tasks_of_a_node = 65'535;  // each task needs a port

// The alternative to a missing variable, as the end of a message.
std::string_view other_than(std::string_view variable) {
  if (variable == "SLURM_STEP_NODELIST") return ", or give tasks_per_node with the hosts";
  if (variable == "SLURM_STEP_TASKS_PER_NODE") return ", or give tasks_per_node";
  if (variable == "SLURM_STEP_NUM_TASKS") return ", or give the jobs";
  return variable == "SLURM_DIST_PLANESIZE" ? ", or choose the order name" : "";
}

Result<std::string> slurm_variable(const Environment& environment, std::string_view name) {
  std::optional<std::string> value = environment.get(name);
  if (value) return *std::move(value);
  return Failure(Errc::failed_precondition, fmt::format("slurm: {} is not set", name))
      .with_hint(fmt::format("run under srun{}", other_than(name)));
}

Failure with_variable(std::string_view name, Failure failure) {
  failure.with_what(fmt::format("slurm: {}: {}", name, failure.what()));
  return failure;
}

Result<std::vector<std::string>> slurm_hosts(const SlurmOptions& options, const Environment& environment) {
  constexpr std::string_view name = "SLURM_STEP_NODELIST";
  const Result<std::string> text = slurm_variable(environment, name);
  if (!text) return text.error();
  Result<std::vector<std::string>> hosts = expand_host_list(*text, options.grammar());
  if (hosts) return hosts;
  Failure failure = with_variable(name, hosts.error());
  const bool is_too_strict = options.grammar() == HostListGrammar::tensorflow && failure.code() == Errc::invalid_argument &&
                             expand_host_list(*text, HostListGrammar::scontrol);
  if (is_too_strict) failure.with_hint("TensorFlow's resolver cannot read it, Slurm's tools can: choose the grammar scontrol");
  return failure;
}

Result<SlurmOptions::TasksPerNode> tasks_by_host(const SlurmOptions& options, const Environment& environment) {
  if (const auto* const given = std::get_if<SlurmOptions::TasksPerNode>(&options.tasks_per_node())) return *given;
  Result<std::vector<std::string>> hosts = slurm_hosts(options, environment);
  if (!hosts) return hosts.error();
  std::vector<int> tasks;
  if (const int* const each = std::get_if<int>(&options.tasks_per_node())) {
    tasks.assign(hosts->size(), *each);
  } else {
    constexpr std::string_view name = "SLURM_STEP_TASKS_PER_NODE";
    const Result<std::string> text = slurm_variable(environment, name);
    if (!text) return text.error();
    Result<std::vector<int>> expanded = expand_tasks_per_node(*text);
    if (!expanded) return with_variable(name, expanded.error());
    tasks = *std::move(expanded);
  }
  SlurmOptions::TasksPerNode by_host;  // as upstream's zip(): the longer list is cut
  for (std::size_t i = 0; i < std::min(hosts->size(), tasks.size()); ++i) by_host.emplace_back(std::move((*hosts)[i]), tasks[i]);
  return by_host;
}

Result<std::vector<SlurmNode>> nodes_in_list_order(const SlurmOptions& options, const Environment& environment) {
  const Result<SlurmOptions::TasksPerNode> by_host = tasks_by_host(options, environment);
  if (!by_host) return by_host.error();
  // As in upstream's dictionary: the last count of a host applies, at the place of its first mention.
  std::vector<SlurmNode> nodes;
  std::map<std::string_view, std::size_t> places;
  for (const auto& [host, tasks] : *by_host) {
    const auto [at, is_new] = places.try_emplace(host, nodes.size());
    if (is_new) nodes.push_back({host, 0});
    nodes[at->second].tasks = tasks;
  }
  return nodes;
}

// The number of consecutive ranks of a node before the next node follows.
Result<int> ranks_in_a_row(const Environment& environment) {
  // Such as `cyclic:block,Pack`: the part before the colon is about nodes, the rest about sockets and packing.
  const std::string text = to_lower(environment.get("SLURM_DISTRIBUTION").value_or("block"));
  const std::string_view method = std::string_view(text).substr(0, text.find_first_of(":,="));
  if (method == "block" || method == "*" || method.empty()) return std::numeric_limits<int>::max();
  if (method == "cyclic") return 1;
  if (method == "plane") {
    const Result<int> size = slurm_number(environment, "SLURM_DIST_PLANESIZE", std::numeric_limits<int>::max());
    if (size && *size == 0) return Failure(Errc::invalid_argument, "slurm: SLURM_DIST_PLANESIZE is 0");
    return size;
  }
  return Failure(Errc::unimplemented, fmt::format("slurm: SLURM_DISTRIBUTION is {}: the node of each rank is not known", quoted(text)))
      .with_hint("block, cyclic and plane can be followed; or choose the order name");
}

}  // namespace

Result<int> slurm_number(const Environment& environment, std::string_view name, int high) {
  const Result<std::string> text = slurm_variable(environment, name);
  if (!text) return text.error();
  const std::optional<std::int64_t> value = parse_python_int(*text);
  if (!value || *value < 0 || *value > high)
    return Failure(Errc::invalid_argument, fmt::format("slurm: {} is {}, not a number from 0 to {}", name, quoted(*text), high));
  return static_cast<int>(*value);
}

Result<std::vector<SlurmNode>> slurm_nodes(const SlurmOptions& options, const Environment& environment) {
  Result<std::vector<SlurmNode>> nodes = nodes_in_list_order(options, environment);
  if (!nodes) return nodes;
  if (nodes->empty())
    return Failure(Errc::invalid_argument, "slurm: there is no node").with_hint("SLURM_STEP_NODELIST or tasks_per_node must name one");
  for (const SlurmNode& node : *nodes) {
    if (node.host.empty()) return Failure(Errc::invalid_argument, "slurm: a host's name is empty");
    if (node.tasks >= 0 && node.tasks <= max_tasks_of_a_node) continue;
    return Failure(Errc::invalid_argument,
                   fmt::format("slurm: {} tasks on {}, not 0 to {}", node.tasks, quoted(node.host), max_tasks_of_a_node));
  }
  if (options.order() == SlurmOrder::name)
    std::sort(nodes->begin(), nodes->end(), [](const SlurmNode& a, const SlurmNode& b) { return a.host < b.host; });
  return nodes;
}

Result<std::vector<std::size_t>> slurm_ranks(SlurmOrder order, const std::vector<SlurmNode>& nodes, const Environment& environment) {
  int in_a_row = std::numeric_limits<int>::max();
  if (order == SlurmOrder::rank) {
    const Result<int> found = ranks_in_a_row(environment);
    if (!found) return found.error();
    in_a_row = *found;
  }
  std::vector<std::size_t> ranks;
  std::vector<int> left;
  std::vector<std::size_t> waiting;  // nodes with tasks left
  for (const SlurmNode& node : nodes) {
    if (node.tasks > 0) waiting.push_back(left.size());
    left.push_back(node.tasks);
  }
  while (!waiting.empty()) {
    for (const std::size_t node : waiting) {
      const int turn = std::min(in_a_row, left[node]);
      ranks.insert(ranks.end(), static_cast<std::size_t>(turn), node);
      left[node] -= turn;
    }
    std::erase_if(waiting, [&](std::size_t node) { return left[node] == 0; });
  }
  return ranks;
}

}  // namespace rollcall
