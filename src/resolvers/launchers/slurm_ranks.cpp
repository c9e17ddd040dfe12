// The distribution of a step's ranks over its nodes, and the check of this process's own place in it [facts: slurm-distributions].
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "base/text.hpp"
#include "resolvers/launchers/slurm_plan.hpp"
#include "resolvers/launchers/wire/slurm_hostfile.hpp"

namespace rollcall {
namespace {

constexpr int all_in_a_row = std::numeric_limits<int>::max();

// The part of SLURM_DISTRIBUTION that is about nodes; the rest, as in `cyclic:block,Pack`, is about sockets and packing.
std::string distribution_method(const Environment& environment) {
  const std::string text = to_lower(environment.get("SLURM_DISTRIBUTION").value_or("block"));
  return text.substr(0, text.find_first_of(":,="));
}

Failure unknown_distribution(const Environment& environment) {
  const std::string text = slurm_text(environment, {"SLURM_DISTRIBUTION"});
  std::string_view hint = "block, cyclic and plane can be followed; or choose the order name";
  if (distribution_method(environment) == "arbitrary")
    hint = "set SLURM_HOSTFILE to the file with the node of each rank, where it can be read; or choose the order name";
  return Failure(Errc::unimplemented,
                 fmt::format("slurm: SLURM_DISTRIBUTION is {}: the node of each rank is not known", quoted(to_lower(text))))
      .with_hint(std::string(hint));
}

// The number of consecutive ranks of a node before the next node follows.
Result<int> ranks_in_a_row(const Environment& environment) {
  const std::string method = distribution_method(environment);
  if (method == "block" || method == "*" || method.empty()) return all_in_a_row;
  if (method == "cyclic") return 1;
  if (method == "plane") {
    const Result<int> size = slurm_number(environment, "SLURM_DIST_PLANESIZE", all_in_a_row);
    if (size && *size == 0) return Failure(Errc::invalid_argument, "slurm: SLURM_DIST_PLANESIZE is 0");
    return size;
  }
  return unknown_distribution(environment);
}

// Appends the ranks of the nodes from `begin` to `end`.
void deal_out(const std::vector<SlurmNode>& nodes, std::size_t begin, std::size_t end, int in_a_row, std::vector<std::size_t>& ranks) {
  std::vector<int> left;
  std::vector<std::size_t> waiting;  // nodes with tasks left
  for (std::size_t node = begin; node < end; ++node) {
    if (nodes[node].tasks > 0) waiting.push_back(node);
    left.push_back(nodes[node].tasks);
  }
  while (!waiting.empty()) {
    for (const std::size_t node : waiting) {
      const int turn = std::min(in_a_row, left[node - begin]);
      ranks.insert(ranks.end(), static_cast<std::size_t>(turn), node);
      left[node - begin] -= turn;
    }
    std::erase_if(waiting, [&](std::size_t node) { return left[node - begin] == 0; });
  }
}

// Each task has the distribution of its own component, so that another component's is known only where each is in blocks, which every task
// of the step sees, or where it makes no difference.
Result<void> check_components(const std::vector<SlurmNode>& nodes, const Environment& environment) {
  std::map<int, std::pair<std::size_t, int>> components;  // nodes, and the most tasks of one
  for (const SlurmNode& node : nodes) {
    auto& [count, most] = components[node.component];
    ++count;
    most = std::max(most, node.tasks);
  }
  if (components.size() < 2) return {};
  for (const auto& [component, size] : components) {
    if (size.first < 2 || size.second < 2) continue;
    return Failure(Errc::unimplemented,
                   fmt::format("slurm: this is a heterogeneous step, and SLURM_DISTRIBUTION is {}, which may be that of one component "
                               "only: the nodes of the ranks of component {} are not known",
                               quoted(slurm_text(environment, {"SLURM_DISTRIBUTION"}), 80), component))
        .with_hint("use the distribution block (srun -m block), or the order name");
  }
  return {};
}

Result<std::vector<std::size_t>> ranks_of_file(const std::vector<SlurmNode>& nodes, const Result<std::string>& file) {
  std::size_t count = 0;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    count += static_cast<std::size_t>(nodes[i].tasks);
    places[to_lower(nodes[i].host)] = i;
  }
  const Result<std::vector<std::string>> hosts = file ? parse_slurm_hostfile(*file, count) : file.error();
  if (!hosts) {
    Failure failure = hosts.error();
    failure.with_what("slurm: SLURM_HOSTFILE: " + failure.what());
    return failure;
  }
  const auto contradiction = [](std::string what) {
    return Failure(Errc::conflict, "slurm: SLURM_HOSTFILE " + std::move(what)).with_hint("it must be the file that srun was given");
  };
  if (hosts->size() < count) return contradiction(fmt::format("names nodes for {} of {} tasks", hosts->size(), count));
  std::vector<std::size_t> ranks;
  std::vector<int> used(nodes.size(), 0);
  for (const std::string& host : *hosts) {
    const auto found = places.find(to_lower(host));
    if (found == places.end()) return contradiction(fmt::format("names {}, which SLURM_STEP_NODELIST does not", quoted(host, 80)));
    ++used[found->second];
    ranks.push_back(found->second);
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (used[i] == nodes[i].tasks) continue;
    return contradiction(
        fmt::format("has {} tasks on {}, but SLURM_STEP_TASKS_PER_NODE {}", used[i], printable(nodes[i].host, 80), nodes[i].tasks));
  }
  return ranks;
}

// The place of the rank by the plan, in words.
std::string place_in_words(const SlurmPlan& plan, const SlurmPlan::Slot& slot) {
  return fmt::format("rank {} (SLURM_PROCID) is task {} on {} by the step's nodes, tasks and distribution", plan.rank, slot.index,
                     printable(plan.nodes[slot.node].host, 80));
}

Failure place_failure(const SlurmPlan& plan, const SlurmPlan::Slot& slot, const Environment& environment, std::string_view name) {
  return Failure(Errc::conflict,
                 fmt::format("slurm: {}, but {} is {}", place_in_words(plan, slot), name, quoted(slurm_text(environment, {name}), 80)))
      .with_hint("check that all of the SLURM_* variables are those that srun gave to this task; or say the task: --task JOB:INDEX");
}

// SLURM_GTIDS has the ranks of the node. True also if it is not set.
Result<bool> agrees_with_ids(const SlurmPlan& plan, std::size_t node, const Environment& environment) {
  const std::string text = slurm_text(environment, {"SLURM_GTIDS"});
  if (text.empty()) return true;
  std::set<std::size_t> ids;
  for (const std::string_view field : split(text, ',')) {
    const auto id = parse_decimal<std::size_t>(trim(field));
    if (!id) return Failure(Errc::invalid_argument, fmt::format("slurm: SLURM_GTIDS is {}, which is no list of ranks", quoted(text, 80)));
    ids.insert(*id);
  }
  std::size_t found = 0;
  for (std::size_t rank = 0; rank < plan.slots.size(); ++rank) {
    if (plan.slots[rank].node == node && !ids.contains(rank)) return false;
    found += plan.slots[rank].node == node ? 1U : 0U;
  }
  return found == ids.size();
}

}  // namespace

Result<std::vector<std::size_t>> slurm_ranks(SlurmOrder order, const std::vector<SlurmNode>& nodes, const Environment& environment,
                                             const SlurmHostFile& file) {
  if (file) return ranks_of_file(nodes, *file);
  int in_a_row = all_in_a_row;
  if (order == SlurmOrder::rank) {
    const Result<int> found = ranks_in_a_row(environment);
    if (!found) return found.error();
    in_a_row = *found;
  }
  if (in_a_row != all_in_a_row) {
    const Result<void> fine = check_components(nodes, environment);
    if (!fine) return fine.error();
  }
  std::vector<std::size_t> ranks;
  for (std::size_t begin = 0, end = 0; begin < nodes.size(); begin = end) {
    while (end < nodes.size() && nodes[end].component == nodes[begin].component) ++end;
    deal_out(nodes, begin, end, in_a_row, ranks);
  }
  return ranks;
}

Result<void> check_slurm_place(const SlurmPlan& plan, const Environment& environment) {
  if (plan.rank >= static_cast<int>(plan.slots.size())) return {};
  const SlurmPlan::Slot& slot = plan.slots[static_cast<std::size_t>(plan.rank)];
  const std::string name = slurm_text(environment, {"SLURMD_NODENAME"});
  const auto is_named = [&name](const SlurmNode& node) { return equals_ignoring_case(node.host, name); };
  const bool is_listed = std::any_of(plan.nodes.begin(), plan.nodes.end(), is_named);
  if (is_listed && !is_named(plan.nodes[slot.node])) return place_failure(plan, slot, environment, "SLURMD_NODENAME");
  const auto local = parse_decimal<int>(slurm_text(environment, {"SLURM_LOCALID"}));
  if (local && *local != slot.index) return place_failure(plan, slot, environment, "SLURM_LOCALID");
  const auto node = parse_decimal<std::size_t>(slurm_text(environment, {"SLURM_NODEID"}));
  if (node && *node != slot.node) return place_failure(plan, slot, environment, "SLURM_NODEID");
  const Result<bool> agrees = agrees_with_ids(plan, slot.node, environment);
  if (!agrees) return agrees.error();
  return *agrees ? Result<void>() : place_failure(plan, slot, environment, "SLURM_GTIDS");
}

}  // namespace rollcall
