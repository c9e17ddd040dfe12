// Nodes, partitions and reservations as slurmrestd shows them.
#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "rollcall/host_list.hpp"
#include "sim/slurm/restd_view.hpp"

namespace rollcall::sim {
namespace {

constexpr int max_gres = 1'000'000;

bool is_base(std::string_view state) {
  return std::find(slurm_node_words.begin(), slurm_node_words.begin() + slurm_node_bases, state) !=
         slurm_node_words.begin() + slurm_node_bases;
}

std::string base_of_node(const SlurmNodeMoment& moment, const SlurmNodeModel& node, const RestdLoad* load) {
  if (is_base(moment.state) && moment.state != "IDLE") return moment.state;
  if (!load) return "IDLE";
  return load->cpus >= node.cpus ? "ALLOCATED" : "MIXED";
}

std::vector<std::string> flags_of_node(const SlurmNodeMoment& moment, const RestdLoad* load) {
  std::vector<std::string> flags;
  if (!is_base(moment.state)) flags.push_back(moment.state);
  if (moment.state == "INVALID_REG") flags.emplace_back("DRAIN");
  if (load && load->is_completing) flags.emplace_back("COMPLETING");
  for (const std::string& flag : moment.flags) {
    if (std::find(flags.begin(), flags.end(), flag) == flags.end()) flags.push_back(flag);
  }
  return flags;
}

void set_load(const SlurmNodeModel& node, const RestdLoad* load, RestdRecord& record, bool is_old) {
  std::string used;
  for (const auto& [name, count] : restd_gres(node.gres)) {
    int taken = 0;
    if (load) {
      const auto typed = load->gres.find(name);
      const auto untyped = load->gres.find(name.substr(0, name.find(':')));
      if (typed != load->gres.end()) taken = typed->second;
      if (untyped != load->gres.end() && untyped != typed) taken = saturating_sum(taken, untyped->second);
    }
    used += (used.empty() ? "" : ",") + restd_gres_used(name, std::min(taken, count));
  }
  if (is_old) used += std::string(used.empty() ? "gpu:0" : "") + ",mps:0,shard:0";
  record.set_text("gres_used", used);
  const int cpus = load ? std::min(load->cpus, node.cpus) : 0;
  record.set_number("alloc_cpus", cpus);
  record.set_number("alloc_memory", load ? load->memory : 0);
  record.set_number("idle_cpus", node.cpus - cpus);
  record.set_number("alloc_idle_cpus", node.cpus - cpus);
  if (load) record.set_text("tres_used", fmt::format("cpu={}", cpus));
}

}  // namespace

std::string restd_hosts(const std::vector<std::string>& hosts) {
  const Result<std::string> list = compress_host_list(hosts);
  return list ? *list : fmt::format("{}", fmt::join(hosts, ","));
}

std::vector<std::pair<std::string, int>> restd_gres(std::string_view text) {
  std::vector<std::pair<std::string, int>> all;
  for (std::string_view part : split(text, ',')) {
    part = trim(part.substr(0, part.find('(')));
    if (part.starts_with("gres/") || part.starts_with("gres:")) part.remove_prefix(5);
    if (part.empty()) continue;
    const std::size_t end = part.find_last_of(":=");
    const auto count = end == std::string_view::npos ? std::nullopt : parse_decimal<int>(part.substr(end + 1), 0, max_gres);
    all.emplace_back(std::string(count ? part.substr(0, end) : part), count.value_or(1));
  }
  return all;
}

std::vector<std::pair<std::string, int>> restd_gres_of_node(const SlurmJobModel& job) {
  if (!job.tres_per_node.empty()) return restd_gres(job.tres_per_node);
  std::vector<std::pair<std::string, int>> all = restd_gres(job.tres_per_task);
  for (auto& [name, count] : all)
    count = static_cast<int>(std::min<std::int64_t>(static_cast<std::int64_t>(count) * job.tasks_per_node, max_gres));
  return all;
}

std::string restd_gres_used(std::string_view name, int count) {
  if (count <= 0) return fmt::format("{}:0(IDX:N/A)", name);
  return count == 1 ? fmt::format("{}:1(IDX:0)", name) : fmt::format("{}:{}(IDX:0-{})", name, count, count - 1);
}

std::map<std::string, RestdLoad, std::less<>> restd_loads(const RestdView& view) {
  std::map<std::string, RestdLoad, std::less<>> loads;
  for (const SlurmJobModel& job : view.cluster.jobs) {
    const SlurmJobMoment* const moment = restd_job_at(view, job);
    if (!moment || !moment->has_nodes() || moment->nodes.empty()) continue;
    const Result<std::vector<std::string>> hosts = expand_host_list(moment->nodes);
    if (!hosts) continue;
    const auto gres = restd_gres_of_node(job);
    for (const std::string& host : *hosts) {
      RestdLoad& load = loads[host];
      load.cpus = saturating_sum(load.cpus, job.cpus_per_node);
      load.memory = saturating_sum(load.memory, job.memory_per_node);
      load.is_completing = load.is_completing || moment->state == "COMPLETING";
      for (const auto& [name, count] : gres) load.gres[name] = saturating_sum(load.gres[name], count);
    }
  }
  return loads;
}

json::object restd_node(const RestdView& view, const SlurmNodeModel& node, const RestdLoad* load) {
  const SlurmNodeMoment& moment = *moment_at(node.timeline, view.context.now);
  if (moment.state == "DOWN") load = nullptr;
  RestdRecord record(view.shape, restd_node_v38, restd_node_v42, restd_node_v45);
  record.set_text("name", node.name);
  record.set_text("address", node.address.empty() ? node.name : node.address);
  record.set_text("hostname", node.name);
  record.set_number("port", node.port);
  record.set_number("cpus", node.cpus);
  record.set_number("effective_cpus", node.cpus);
  record.set_number("sockets", node.cpus);
  record.set_number("real_memory", node.memory);
  record.set_number("free_mem", node.memory);
  record.set_number("free_memory", node.memory);
  record.set_text("gres", node.gres);
  record.set_words("features", node.features);
  record.set_words("active_features", node.features);
  record.set_words("partitions", node.partitions);
  record.set_text("tres", fmt::format("cpu={},mem={}M,billing={}", node.cpus, node.memory, node.cpus));
  for (const std::string_view key : {"version", "slurmd_version"}) record.set_text(key, slurm_releases[view.shape.release]);
  for (const std::string_view key : {"boot_time", "last_busy", "slurmd_start_time"}) record.set_number(key, view.seconds(Duration(0)));
  const std::string base = base_of_node(moment, node, load);
  std::vector<std::string> states = flags_of_node(moment, load);
  if (view.shape.is_old()) {
    record.set_text("state", to_lower(base));
    record.set_words("state_flags", states);
  } else {
    states.insert(states.begin(), base);
    record.set_words("state", states);
  }
  record.set_text("reason", moment.reason);
  if (!moment.reason.empty()) {
    record.set_text("reason_set_by_user", moment.reason_by);
    record.set_number("reason_changed_at", view.seconds(moment.reason_at));
  }
  set_load(node, load, record, view.shape.is_old());
  return std::move(record).take(moment.raw);
}

json::object restd_partition(const RestdView& view, const SlurmPartitionModel& partition) {
  const bool is_old = view.shape.is_old();
  std::vector<std::string> names;
  std::int64_t cpus = 0;
  for (const SlurmNodeModel& node : view.cluster.nodes) {
    if (std::find(node.partitions.begin(), node.partitions.end(), partition.name) == node.partitions.end()) continue;
    names.push_back(node.name);
    cpus += node.cpus;
  }
  const auto count = static_cast<std::int64_t>(names.size());
  const std::string tres = fmt::format("cpu={},node={},billing={}", cpus, count, cpus);
  RestdRecord record(view.shape, restd_partition_v38, restd_partition_v42, restd_partition_v45);
  record.set_text("name", partition.name);
  const std::optional<std::int64_t> minutes =
      partition.max_time ? std::optional<std::int64_t>(std::chrono::ceil<std::chrono::minutes>(*partition.max_time).count()) : std::nullopt;
  if (is_old) {
    record.set_text("nodes", restd_hosts(names));
    record.set_text("state", partition.state);
    record.set_number("total_cpus", cpus);
    record.set_number("total_nodes", count);
    record.set_text("tres", tres);
    if (minutes) record.set_number("max_time_limit", *minutes);
    if (partition.max_nodes) record.set_number("maximum_nodes_per_job", *partition.max_nodes);
    return std::move(record).take({});
  }
  record.set_inner("nodes", "configured", json::string(restd_hosts(names)));
  record.set_inner("nodes", "total", count);
  record.set_inner("tres", "configured", json::string(tres));
  record.set_inner("cpus", "total", cpus);
  record.set_inner("partition", "state", json::array{partition.state});
  if (minutes) record.set_inner("maximums", "time", restd_number(view.shape, *minutes));
  if (partition.max_nodes) record.set_inner("maximums", "nodes", restd_number(view.shape, *partition.max_nodes));
  return std::move(record).take({});
}

json::object restd_reservation(const RestdView& view, const SlurmReservationModel& reservation) {
  RestdRecord record(view.shape, restd_reservation_v38, restd_reservation_v42, restd_reservation_v45);
  record.set_text("name", reservation.name);
  record.set_text("node_list", reservation.nodes);
  record.set_text("users", reservation.users);
  record.set_words("flags", reservation.flags);
  const Result<std::vector<std::string>> hosts = expand_host_list(reservation.nodes);
  record.set_number("node_count", hosts ? static_cast<std::int64_t>(hosts->size()) : 0);
  record.set_number("start_time", view.seconds(reservation.start));
  record.set_number("end_time", view.seconds(reservation.end));
  return std::move(record).take({});
}

Duration restd_last_change(const RestdView& view, bool is_of_nodes) {
  Duration last{0};
  for (const SlurmJobModel& job : view.cluster.jobs) {  // which change the nodes that they run on
    const SlurmJobMoment* const moment = moment_at(job.timeline, view.context.now);
    if (moment) last = std::max(last, moment->at);
  }
  if (!is_of_nodes) return last;
  for (const SlurmNodeModel& node : view.cluster.nodes) last = std::max(last, moment_at(node.timeline, view.context.now)->at);
  return last;
}

}  // namespace rollcall::sim
