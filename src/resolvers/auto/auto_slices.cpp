// The slices of a multislice job: what is said about the others, and their hosts where the names of this slice's hosts show them.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "resolvers/auto/auto_cluster.hpp"
#include "resolvers/tpu/tpu_spec.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

Result<std::optional<int>> slice_number(const Environment& environment, const char* name) {
  constexpr int max_slices = 1'000'000;
  Result<std::optional<int>> number = number_variable(environment, name, 0, max_slices);
  if (!number) return of_auto(number.error());
  return number;
}

// The host without a port; empty if the text is neither.
std::string host_of_text(const std::string& text) {
  const Result<Endpoint> endpoint = Endpoint::parse(text);
  return endpoint ? endpoint->host : std::string();
}

bool is_same_machine(const std::string& a, const std::string& b) {
  if (read_ip(a) || read_ip(b)) return HostIdentity(a) == HostIdentity(b);
  return equals_ignoring_case(first_label(a), first_label(b));
}

// The coordinator is a host of slice 0, and of no other. A name and an address cannot be compared.
void check_coordinator(const TpuHosts& workers, AutoCluster& cluster) {
  const AutoTpu& tpu = cluster.tpu;
  const std::string coordinator = host_of_text(tpu.coordinator);
  if (coordinator.empty() || !tpu.slice_id || tpu.num_slices.value_or(1) < 2) return;
  bool is_there = false;
  bool is_comparable = false;
  const auto compare = [&](const std::string& text) {
    const std::string host = host_of_text(text);
    is_comparable = is_comparable || (!is_near_host(host) && read_ip(host).has_value() == read_ip(coordinator).has_value());
    is_there = is_there || is_same_machine(host, coordinator);
  };
  for (const std::string& host : workers.hosts) compare(host);
  for (const std::string& name : workers.names) compare(name);
  if (is_there == (*tpu.slice_id == 0) || !is_comparable) return;
  cluster.contradictions.push_back(fmt::format("MEGASCALE_SLICE_ID is {}, but MEGASCALE_COORDINATOR_ADDRESS, a host of slice 0, is {}, {}",
                                               *tpu.slice_id, quoted(coordinator, 120),
                                               is_there ? "a host of this slice" : "none of this slice"));
}

// `STEM-SLICE-HOST.DOMAIN`, as JobSets and KubeRay call the pods of slices [facts: multislice-names].
class SlicedName {
 public:
  std::string stem;
  int slice = 0;
  int host = 0;
  std::string domain;  // with its dot
  bool is_beside(const SlicedName& other) const { return stem == other.stem && domain == other.domain; }
};

std::optional<int> take_number_back(std::string_view& text) {
  const std::size_t dash = text.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::string_view digits = text.substr(dash + 1);
  const std::optional<int> number = parse_decimal<int>(digits);
  if (!number || std::to_string(*number) != digits) return std::nullopt;
  text = text.substr(0, dash);
  return number;
}

std::optional<SlicedName> read_sliced_name(const std::string& host) {
  std::string_view label = first_label(host);
  SlicedName name;
  name.domain = to_lower(std::string_view(host).substr(label.size()));
  const std::optional<int> index = take_number_back(label);
  const std::optional<int> slice = index ? take_number_back(label) : std::nullopt;
  if (!slice || label.empty()) return std::nullopt;
  name.stem = to_lower(label);
  name.slice = *slice;
  name.host = *index;
  return name;
}

// The hosts of all slices; none if the names do not show them. Slices have the same shape, and so as many hosts.
Result<std::optional<TpuHosts>> all_slices(const Environment& environment, const TpuHosts& workers, std::size_t max, AutoCluster& known) {
  using Hosts = std::optional<TpuHosts>;
  const AutoTpu& tpu = known.tpu;
  if (tpu.num_slices.value_or(1) < 2 || !tpu.slice_id) return Hosts();
  const std::optional<SlicedName> first = read_sliced_name(host_of_text(tpu.coordinator));
  if (!first || first->slice != 0 || first->host != 0) return Hosts();
  const std::string own = environment.get("HOSTNAME").value_or("");
  const std::optional<SlicedName> own_name = read_sliced_name(own);
  if (own_name && own_name->stem == first->stem && own_name->slice != *tpu.slice_id) {
    known.contradictions.push_back(fmt::format("HOSTNAME is {}, but MEGASCALE_SLICE_ID is {}", quoted(own, 80), *tpu.slice_id));
    return Hosts();
  }
  std::vector<std::pair<int, std::optional<std::uint16_t>>> hosts;  // of this slice: their numbers and ports
  for (const std::string& text : workers.hosts) {
    const Result<Endpoint> endpoint = Endpoint::parse(text);
    if (!endpoint) return Hosts();
    // A slice of one host calls it localhost.
    const bool is_only = workers.hosts.size() == 1 && is_near_host(endpoint->host);
    const std::optional<SlicedName> name = read_sliced_name(is_only ? std::string(first_label(own)) + first->domain : endpoint->host);
    const int next = hosts.empty() ? 0 : hosts.back().first + 1;
    if (!name || !name->is_beside(*first) || name->slice != *tpu.slice_id) return Hosts();
    if (name->host != next && (hosts.empty() || name->host != next - 1)) return Hosts();
    hosts.emplace_back(name->host, endpoint->port);
  }
  if (hosts.empty() || static_cast<std::size_t>(*tpu.num_slices) > max / hosts.size())
    return Failure(Errc::limit_exceeded, fmt::format("auto: {} slices of {} have more than {} hosts", *tpu.num_slices, hosts.size(), max));
  TpuHosts all;
  all.from = fmt::format("{} and MEGASCALE_NUM_SLICES", workers.from);
  for (int slice = 0; slice < *tpu.num_slices; ++slice) {
    for (const auto& [host, port] : hosts)
      all.hosts.push_back(Endpoint(fmt::format("{}-{}-{}{}", first->stem, slice, host, first->domain), port).to_text());
  }
  return Hosts(std::move(all));
}

}  // namespace

Result<void> read_slices(const Environment& environment, const TpuHosts& workers, AutoCluster& cluster) {
  const Result<std::optional<int>> count = slice_number(environment, "MEGASCALE_NUM_SLICES");
  if (!count) return count.error();
  const Result<std::optional<int>> id = slice_number(environment, "MEGASCALE_SLICE_ID");
  if (!id) return id.error();
  AutoTpu& tpu = cluster.tpu;
  if (*id && tpu.slice_id && **id != *tpu.slice_id) {
    return Failure(Errc::conflict,
                   fmt::format("auto: MEGASCALE_SLICE_ID is {} in the environment, but {} in tpu-env", **id, *tpu.slice_id));
  }
  if (*count && tpu.num_slices && **count != *tpu.num_slices) {
    cluster.contradictions.push_back(
        fmt::format("MEGASCALE_NUM_SLICES is {} in the environment, but {} in tpu-env", **count, *tpu.num_slices));
  }
  if (*count) tpu.num_slices = *count;
  if (*id) tpu.slice_id = *id;
  if (tpu.num_slices && tpu.slice_id && *tpu.slice_id >= *tpu.num_slices) {
    return Failure(Errc::invalid_argument,
                   fmt::format("auto: MEGASCALE_SLICE_ID is {}, but MEGASCALE_NUM_SLICES is {}", *tpu.slice_id, *tpu.num_slices))
        .with_hint("one of the two is stale: what a pod was created with stays as it was when slices are replaced");
  }
  const std::string coordinator = environment.get("MEGASCALE_COORDINATOR_ADDRESS").value_or("");
  if (!tpu.num_slices && tpu.slice_id && *tpu.slice_id > 0) {
    return Failure(Errc::failed_precondition,
                   fmt::format("auto: MEGASCALE_SLICE_ID is {}, so that this slice is one of several, but MEGASCALE_NUM_SLICES is not set",
                               *tpu.slice_id))
        .with_hint("set MEGASCALE_NUM_SLICES to the number of slices, or unset MEGASCALE_SLICE_ID where there is one");
  }
  if (!tpu.num_slices && (tpu.slice_id || !coordinator.empty())) {
    cluster.contradictions.push_back(fmt::format("{} is set, but MEGASCALE_NUM_SLICES is not: this slice is taken for the only one",
                                                 tpu.slice_id ? "MEGASCALE_SLICE_ID" : "MEGASCALE_COORDINATOR_ADDRESS"));
  }
  if (tpu.num_slices && *tpu.num_slices > 1 && !tpu.slice_id)
    cluster.contradictions.push_back(fmt::format("MEGASCALE_NUM_SLICES is {}, but MEGASCALE_SLICE_ID is not set", *tpu.num_slices));
  if (!coordinator.empty()) tpu.coordinator = printable(coordinator, 300);
  check_coordinator(workers, cluster);
  // The environment takes precedence over tpu-env, whose variables are in the map already.
  for (const char* const name : {"MEGASCALE_COORDINATOR_ADDRESS", "MEGASCALE_NUM_SLICES", "MEGASCALE_PORT", "MEGASCALE_SLICE_ID"}) {
    tpu.megascale.try_emplace(name);
  }
  for (auto& [name, value] : tpu.megascale) {
    const std::string here = environment.get(name).value_or("");
    if (!here.empty()) value = here;
  }
  std::erase_if(tpu.megascale, [](const auto& variable) { return variable.second.empty(); });
  if (tpu.num_slices.value_or(1) < 2) tpu.megascale.clear();
  return {};
}

Result<AutoCluster> cluster_of_slices(const Environment& environment, const TpuHosts& workers, const std::vector<Claim>& ids,
                                      const std::vector<Claim>& own, const AutoOptions& options, std::size_t max, AutoCluster known) {
  const Result<std::optional<TpuHosts>> all = all_slices(environment, workers, max, known);
  if (!all) return all.error();
  AutoOptions given = options;
  if (*all && !options.task_id()) {
    const Result<int> id = settle_worker_id(workers, ids, own);
    if (!id) return id.error();
    given.task_id(*known.tpu.slice_id * static_cast<int>(workers.hosts.size()) + *id);
  }
  Result<AutoCluster> cluster = cluster_of_hosts(*all ? **all : workers, ids, own, given);
  if (!cluster) return cluster.error();
  cluster->tpu = std::move(known.tpu);
  cluster->tpu.job = options.job();
  cluster->tpu.slice_tasks = static_cast<int>(workers.hosts.size());
  cluster->tpu.has_all_slices = all->has_value();
  cluster->contradictions = std::move(known.contradictions);
  return cluster;
}

void describe_members(const AutoChoice& choice, ClusterStatus& status) {
  const AutoTpu& tpu = choice.tpu;
  const int each = tpu.slice_tasks > 0 ? tpu.slice_tasks : static_cast<int>(status.members.size());
  std::set<HostIdentity> machines;
  for (const Member& member : status.members) machines.emplace(host_of_text(member.address));
  const int slices = tpu.has_all_slices ? tpu.num_slices.value_or(1) : 1;
  SharedValue<Accelerators> accelerators;
  if (tpu.type && slices > 0) accelerators = machine_accelerators(*tpu.type, static_cast<int>(machines.size()) / slices);
  int place = 0;
  for (Member& member : status.members) {
    member.accelerators = accelerators;
    const auto own = choice.accelerators.find(member.job);
    if (own != choice.accelerators.end()) member.accelerators = own->second;
    const int at = place++;
    if (tpu.num_slices.value_or(1) <= 1 || (!tpu.has_all_slices && !tpu.slice_id)) continue;
    MemberPart& part = member.part.emplace("slice", tpu.has_all_slices ? at / each : *tpu.slice_id, *tpu.num_slices);
    part.member = at % each;
    part.members = each;
  }
}

}  // namespace rollcall
