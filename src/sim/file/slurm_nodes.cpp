// The nodes of the section `slurm` of a simulation file.
#include <fmt/format.h>

#include "base/text.hpp"
#include "rollcall/host_list.hpp"
#include "sim/file/slurm_draft.hpp"

namespace rollcall::sim {
namespace {

struct SlurmNodeChange {
  SlurmNodeMoment moment;
  std::optional<std::string> state;
  std::optional<std::string> reason;
};

struct SlurmNodeDraft {
  std::string names;
  SlurmNodeModel node;
  SlurmNodeChange first;
  std::vector<SlurmNodeMoment> timeline;
};

// A node that is well again has no reason, as after `scontrol update state=resume`.
SlurmNodeMoment changed_node(SlurmNodeChange change) {
  SlurmNodeMoment next = std::move(change.moment);
  if (change.state) {
    next.state = *std::move(change.state);
    if (next.state == "IDLE") next.reason.clear();
  }
  if (change.reason) {
    next.reason = *std::move(change.reason);
    next.reason_at = next.at;
  }
  return next;
}

constexpr auto slurm_node_moment_form = file_form<SlurmNodeChange>(
    "slurm_node_moment", member<&SlurmNodeChange::moment, &SlurmNodeMoment::at>("at"),
    word<&SlurmNodeChange::state>("state", "state", slurm_node_words), member<&SlurmNodeChange::moment, &SlurmNodeMoment::flags>("flags"),
    member<&SlurmNodeChange::reason>("reason"), member<&SlurmNodeChange::moment, &SlurmNodeMoment::reason_by>("reason_by"),
    member<&SlurmNodeChange::moment, &SlurmNodeMoment::answers>("answers"), member<&SlurmNodeChange::moment, &SlurmNodeMoment::raw>("raw"));

void read_slurm_node_moment(SlurmNodeDraft& draft, const FileValue& value) {
  SlurmNodeChange change;
  change.moment = draft.timeline.empty() ? changed_node(draft.first) : draft.timeline.back();
  change.moment.at = Duration(0);
  read_object(value, slurm_node_moment_form, change);
  if (!value.has_problem()) append_moment(draft.timeline, changed_node(std::move(change)), value);
}

constexpr auto slurm_nodes_form = file_form<SlurmNodeDraft>(
    "slurm_node", member<&SlurmNodeDraft::names>("name"), member<&SlurmNodeDraft::node, &SlurmNodeModel::address>("address"),
    whole<&SlurmNodeDraft::node, &SlurmNodeModel::port>("port", 1, 65535),
    whole<&SlurmNodeDraft::node, &SlurmNodeModel::cpus>("cpus", 1, 1'000'000),
    whole<&SlurmNodeDraft::node, &SlurmNodeModel::memory>("memory", 1, 1'000'000'000),
    member<&SlurmNodeDraft::node, &SlurmNodeModel::gres>("gres"), member<&SlurmNodeDraft::node, &SlurmNodeModel::features>("features"),
    member<&SlurmNodeDraft::node, &SlurmNodeModel::partitions>("partitions"), keys_of<slurm_node_moment_form, 1, &SlurmNodeDraft::first>(),
    each<read_slurm_node_moment, describe<slurm_node_moment_form>>("timeline"));

}  // namespace

std::vector<std::string> read_slurm_hosts(const std::string& list, const FileValue& value) {
  if (trim(list).empty()) return {};
  Result<std::vector<std::string>> hosts = expand_host_list(list, HostListGrammar::scontrol, max_slurm_nodes);
  if (hosts) return *std::move(hosts);
  value.complain(hosts.error().what());
  return {};
}

void read_slurm_nodes(SlurmDraft& draft, const FileValue& value) {
  SlurmNodeDraft own;
  read_object(value, slurm_nodes_form, own);
  if (value.has_problem()) return;
  const std::vector<std::string> names = read_slurm_hosts(own.names, value);
  if (names.empty()) return value.complain("a node needs a name, or several such as n[1-4]");
  if (!own.node.address.empty() && names.size() > 1) return value.complain("address: several nodes need an entry each");
  value.complain_if_huge("name", names.size() * (own.timeline.size() + 1));
  if (own.timeline.empty() || own.timeline.front().at > Duration(0)) own.timeline.insert(own.timeline.begin(), changed_node(own.first));
  own.node.timeline = std::move(own.timeline);
  for (const std::string& name : names) {
    if (value.has_problem()) return;
    if (!draft.node_names.insert(name).second) return value.complain(fmt::format("there are two nodes {}", quoted(name)));
    if (draft.node_names.size() > max_slurm_nodes) return value.complain(fmt::format("there may be at most {} nodes", max_slurm_nodes));
    own.node.name = name;
    draft.cluster.nodes.push_back(own.node);
  }
}

void describe_slurm_nodes(FileSections& out) { describe<slurm_nodes_form>(out); }

}  // namespace rollcall::sim
