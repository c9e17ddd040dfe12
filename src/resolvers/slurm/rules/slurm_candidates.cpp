#include "resolvers/slurm/rules/slurm_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/text.hpp"
#include "resolvers/slurm/rules/slurm_gres.hpp"
#include "rollcall/host_list.hpp"

namespace rollcall {
namespace {

using NodeNames = std::unordered_set<std::string>;

bool is_any(const SlurmNodeRecord& node, std::initializer_list<std::string_view> states) {
  return std::any_of(states.begin(), states.end(), [&node](std::string_view state) { return node.is(state); });
}

bool is_busy(const SlurmNodeRecord& node) { return is_any(node, {"ALLOCATED", "MIXED", "COMPLETING"}); }

// A node that boots does not respond yet.
bool is_silent(const SlurmNodeRecord& node) { return node.is("NOT_RESPONDING") && !is_any(node, {"POWERING_UP", "POWER_UP"}); }

// What slurmctld and slurmd write by themselves, in the name of root.
bool is_own_reason(std::string_view reason) {
  constexpr std::string_view own[] = {"Not responding", "Prolog error",     "Epilog error",
                                      "ResumeTimeout",  "Kill task failed", "Low RealMemory",
                                      "Low TmpDisk",    "Low socket",       "Node unexpectedly rebooted",
                                      "gres/",          "reboot",           "batch job",
                                      "Duplicate jobid"};
  return std::any_of(std::begin(own), std::end(own), [reason](std::string_view begin) { return reason.starts_with(begin); });
}

// A list that cannot be expanded names no nodes: then no node is blamed for being required.
NodeNames names_in(const std::string& list) {
  if (trim(list).empty()) return {};
  const Result<std::vector<std::string>> hosts = expand_host_list(list);
  return hosts ? NodeNames(hosts->begin(), hosts->end()) : NodeNames();
}

std::vector<SlurmGres> asked_of_a_node(const SlurmJobRecord& job) {
  std::vector<SlurmGres> asked = parse_slurm_gres(job.tres_per_node);
  if (!asked.empty()) return asked;
  asked = parse_slurm_gres(job.tres_per_task);
  for (SlurmGres& one : asked) one.count = std::min(one.count, 1'000'000) * std::clamp(job.tasks_per_node, 1, 1000);
  if (!asked.empty()) return asked;
  asked = parse_slurm_gres(job.tres_per_job);  // only the sum is known
  for (SlurmGres& one : asked) one.count = std::min(one.count, 1);
  return asked;
}

// Of what is asked for the job as a whole, what all these nodes together do not have.
std::string lacking_of(const SlurmJobRecord& job, const std::vector<const SlurmNodeRecord*>& able) {
  if (!job.tres_per_node.empty() || !job.tres_per_task.empty()) return {};
  for (const SlurmGres& one : parse_slurm_gres(job.tres_per_job)) {
    std::int64_t sum = 0;
    for (const SlurmNodeRecord* node : able) sum += count_slurm_gres(parse_slurm_gres(node->gres), one.name, one.type);
    if (sum >= one.count) continue;
    const std::string name = printable(one.type.empty() ? one.name : one.name + ":" + one.type, 80);
    return fmt::format("{} {}, and those that can be used have {}", one.count, name, sum);
  }
  return {};
}

bool is_in_partition(const SlurmNodeRecord& node, const SlurmJobRecord& job) {
  if (job.partitions.empty()) return true;
  return std::any_of(job.partitions.begin(), job.partitions.end(), [&node](const std::string& partition) {
    return std::find(node.partitions.begin(), node.partitions.end(), partition) != node.partitions.end();
  });
}

NodeNames hidden_nodes(const SlurmJobRecord& job, const std::vector<SlurmNodeRecord>& nodes,
                       const std::vector<SlurmPartition>& partitions) {
  NodeNames hidden;
  for (const SlurmPartition& partition : partitions) {
    const bool is_own = std::find(job.partitions.begin(), job.partitions.end(), partition.name) != job.partitions.end();
    if (is_own) hidden.merge(names_in(partition.nodes));
  }
  for (const SlurmNodeRecord& node : nodes) hidden.erase(node.name);
  return hidden;
}

bool has_feature(const std::vector<std::string>& features, std::string_view wanted) {
  wanted = trim(wanted.substr(0, wanted.find('*')));
  return wanted.empty() || std::find(features.begin(), features.end(), wanted) != features.end();
}

}  // namespace

bool is_unable(const SlurmNodeRecord& node) {
  if (is_silent(node)) return true;
  return is_any(node, {"DOWN", "ERROR", "UNKNOWN", "FUTURE", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "INVALID_REG", "INVAL",
                       "POWERING_DOWN", "POWER_DRAIN", "MAINTENANCE", "MAINT", "REBOOT_ISSUED", "BLOCKED"});
}

std::string slurm_node_words(const SlurmNodeRecord& node) {
  std::string words;
  const auto add = [&words](std::string_view word) { words += (words.empty() ? "" : ", ") + std::string(word); };
  if (node.is("DOWN")) add("down");
  if (is_any(node, {"ERROR"})) add("in error");
  if (is_any(node, {"UNKNOWN"})) add("of unknown state");
  if (is_any(node, {"FUTURE"})) add("not there yet");
  if (is_any(node, {"DRAIN", "DRAINED", "DRAINING"})) add(is_busy(node) ? "draining" : "drained");
  if (is_any(node, {"FAIL", "FAILING"})) add("about to fail");
  if (is_any(node, {"INVALID_REG", "INVAL"})) add("registered with less than configured");
  if (is_silent(node)) add("not responding");
  if (is_any(node, {"REBOOT_REQUESTED", "REBOOT_ISSUED"})) add("rebooting");
  if (is_any(node, {"MAINTENANCE", "MAINT"})) add("in maintenance");
  if (is_any(node, {"POWERING_UP", "POWER_UP"})) add("booting");
  if (is_any(node, {"POWERING_DOWN", "POWER_DOWN", "POWER_DRAIN"})) add("powering down");
  if (is_any(node, {"BLOCKED"})) add("blocked");
  return words;
}

std::string slurm_node_story(const SlurmNodeRecord& node) {
  constexpr std::size_t max_reason = 200;
  std::string story = slurm_node_words(node);
  const bool has_reason =
      is_any(node, {"DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "NOT_RESPONDING", "INVALID_REG", "INVAL"});
  const std::string_view reason = trim(node.reason);
  if (!has_reason || reason.empty() || story.find(to_lower(reason)) != std::string::npos) return story;
  if (!trim(node.reason_by).empty() && !is_own_reason(reason)) story += " by " + printable(node.reason_by, 40);
  return story + ": " + printable(reason, max_reason);
}

bool fits_features(std::string_view asked, const std::vector<std::string>& features) {
  std::string plain;
  for (const char c : asked) {
    if (c != '[' && c != ']' && c != '(' && c != ')') plain += c == ',' ? '&' : c;
  }
  if (trim(plain).empty()) return true;
  const bool is_counted = plain.find('*') != std::string::npos;  // of some of the nodes each
  if (is_counted) std::replace(plain.begin(), plain.end(), '&', '|');
  for (const std::string_view alternative : split(std::string_view(plain), '|')) {
    const std::vector<std::string_view> words = split(alternative, '&');
    if (std::all_of(words.begin(), words.end(), [&features](std::string_view word) { return has_feature(features, word); })) return true;
  }
  return false;
}

SlurmCandidates find_candidates(const SlurmJobRecord& job, const std::vector<SlurmNodeRecord>& nodes,
                                const std::vector<SlurmPartition>& partitions) {
  SlurmCandidates found;
  found.needed = std::max(job.node_count, 1);
  const NodeNames all_required = names_in(job.required_nodes);
  NodeNames required = all_required;
  const NodeNames excluded = names_in(job.excluded_nodes);
  const std::vector<SlurmGres> asked = asked_of_a_node(job);
  std::vector<const SlurmNodeRecord*> able;
  const bool are_all_named = !required.empty() && static_cast<int>(required.size()) >= found.needed;
  for (const SlurmNodeRecord& node : nodes) {
    const bool is_required = required.erase(node.name) > 0;
    if (is_required && is_unable(node)) found.to_blame.push_back(&node);
    if (are_all_named && !is_required) continue;
    if (!is_in_partition(node, job) || excluded.contains(node.name) || !fits_features(job.features, node.features)) continue;
    if (!holds_slurm_gres(parse_slurm_gres(node.gres), asked)) continue;
    if ((job.cpus_per_node > node.cpus && node.cpus > 0) || (job.memory_per_node > node.memory && node.memory > 0)) continue;
    ++found.candidates;
    if (is_unable(node)) {
      found.unable.push_back(&node);
      continue;
    }
    able.push_back(&node);
    if (!is_busy(node)) ++found.free;
  }
  const NodeNames hidden = hidden_nodes(job, nodes, partitions);
  if (hidden.empty()) found.lacking = lacking_of(job, able);
  for (const std::string& name : hidden) {
    const bool is_required = required.erase(name) > 0;
    if (excluded.contains(name) || (are_all_named && !is_required)) continue;
    ++found.candidates;
    ++found.free;
  }
  found.unknown.assign(required.begin(), required.end());
  std::sort(found.unknown.begin(), found.unknown.end());
  if (!found.lacking.empty() || found.candidates - static_cast<int>(found.unable.size()) < found.needed) {
    for (const SlurmNodeRecord* node : found.unable) {
      if (!all_required.contains(node->name)) found.to_blame.push_back(node);
    }
  }
  return found;
}

std::string slurm_count_words(const SlurmCandidates& found) {
  const int unable = static_cast<int>(found.unable.size());
  if (!found.lacking.empty())
    return fmt::format("it needs {}: {} free, {} busy, {} cannot be used", found.lacking, found.free,
                       found.candidates - found.free - unable, unable);
  return fmt::format("it needs {} {}; {} have what it asks for: {} free, {} busy, {} cannot be used", found.needed,
                     found.needed == 1 ? "node" : "nodes", found.candidates, found.free, found.candidates - found.free - unable, unable);
}

}  // namespace rollcall
