#include "resolvers/launchers/slurm_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"

namespace rollcall {
namespace {

constexpr int max_tasks_of_a_node = 65'535;  // each task needs a port

// The alternative to a missing variable, as the end of a message.
std::string_view other_than(std::string_view variable) {
  if (variable == "SLURM_STEP_NODELIST") return ", or give tasks_per_node with the hosts";
  if (variable == "SLURM_STEP_TASKS_PER_NODE") return ", or give tasks_per_node";
  if (variable == "SLURM_STEP_NUM_TASKS") return ", or give the jobs";
  if (variable == "SLURM_PROCID") return "; from outside a step slurm:job/ID is a job";
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
  // The order of Slurm's own ranks is none of TensorFlow's, and needs no list that TensorFlow could read.
  const HostListGrammar grammar = options.order() == SlurmOrder::rank ? HostListGrammar::scontrol : options.grammar();
  Result<std::vector<std::string>> hosts = expand_host_list(*text, grammar);
  if (hosts) return hosts;
  Failure failure = with_variable(name, hosts.error());
  const bool is_too_strict = grammar == HostListGrammar::tensorflow && failure.code() == Errc::invalid_argument &&
                             expand_host_list(*text, HostListGrammar::scontrol);
  if (is_too_strict)
    failure.with_hint("TensorFlow's resolver cannot read it, Slurm's tools can: choose the grammar scontrol (grammar=scontrol)");
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
  if (options.order() == SlurmOrder::rank && hosts->size() != tasks.size()) {
    return Failure(Errc::conflict, fmt::format("slurm: SLURM_STEP_NODELIST has {} nodes, but SLURM_STEP_TASKS_PER_NODE has {}",
                                               hosts->size(), tasks.size()))
        .with_hint("one of the two is another step's: start the program by srun, with Slurm's own variables");
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

void sort_by_name(std::vector<SlurmNode>& nodes) {
  std::sort(nodes.begin(), nodes.end(), [](const SlurmNode& a, const SlurmNode& b) { return a.host < b.host; });
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
  if (options.order() == SlurmOrder::name) {
    sort_by_name(*nodes);
  } else if (!std::holds_alternative<SlurmOptions::TasksPerNode>(options.tasks_per_node())) {
    return arrange_by_component(*std::move(nodes), environment);
  }
  return nodes;
}

bool is_slurm_hostfile_used(const SlurmOptions& options, const Environment& environment) {
  const std::string method = to_lower(slurm_text(environment, {"SLURM_DISTRIBUTION"}));
  return options.order() == SlurmOrder::rank && method.starts_with("arbitrary") && !slurm_text(environment, {"SLURM_HOSTFILE"}).empty();
}

Result<std::vector<SlurmNode>> slurm_allocation(const SlurmOptions& options, const Environment& environment) {
  std::vector<std::string> variables = slurm_component_lists(environment);
  if (variables.empty()) variables = {slurm_text(environment, {"SLURM_JOB_NODELIST"}).empty() ? "SLURM_NODELIST" : "SLURM_JOB_NODELIST"};
  std::vector<SlurmNode> nodes;
  std::set<std::string, std::less<>> names;
  for (const std::string& variable : variables) {
    const std::string text = slurm_text(environment, {variable});
    if (text.empty()) return Failure(Errc::failed_precondition, "slurm: SLURM_JOB_NODELIST is not set").with_hint("run under srun");
    const Result<std::vector<std::string>> hosts = expand_host_list(text);
    if (!hosts) return with_variable(variable, hosts.error());
    for (const std::string& host : *hosts) {
      if (names.insert(host).second) nodes.push_back({host, 1});
    }
    if (nodes.size() > max_hosts_in_list)
      return Failure(Errc::limit_exceeded, fmt::format("slurm: the allocation has more than {} nodes", max_hosts_in_list));
  }
  const auto declared = parse_decimal<std::size_t>(slurm_text(environment, {"SLURM_JOB_NUM_NODES"}));
  if (variables.size() == 1 && declared && *declared != nodes.size()) {
    return Failure(Errc::conflict,
                   fmt::format("slurm: {} has {} nodes, but SLURM_JOB_NUM_NODES is {}", variables.front(), nodes.size(), *declared));
  }
  if (options.order() == SlurmOrder::name) sort_by_name(nodes);
  return nodes;
}

}  // namespace rollcall
