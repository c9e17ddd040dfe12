// The type and the shape of this process's TPU slice, by what its environment says. What is given comes before the table of types.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "accelerator/visible_devices.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"
#include "resolvers/auto/auto_cluster.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

// `2,2,1`
Result<Topology> parse_bounds(std::string_view text) {
  std::string sides(text);
  std::replace(sides.begin(), sides.end(), ',', 'x');
  return text.find('x') == std::string_view::npos ? Topology::parse(sides) : Topology::parse({});
}

int count_machines(const TpuHosts& workers) {
  std::set<HostIdentity> machines;
  for (const std::string& text : workers.hosts) {
    const Result<Endpoint> endpoint = Endpoint::parse(text);
    machines.emplace(endpoint ? endpoint->host : text);
  }
  return static_cast<int>(machines.size());
}

// The given bounds. They count workers, of which a host may have several.
class GivenBounds {
 public:
  std::optional<Topology> workers;
  std::optional<Topology> chips;  // of a worker

  static Result<GivenBounds> read(const AutoTpu& tpu) {
    GivenBounds bounds;
    for (const auto& [text, slot] : {std::pair(&tpu.host_bounds, &bounds.workers), std::pair(&tpu.chips_per_host_bounds, &bounds.chips)}) {
      if (text->empty()) continue;
      const Result<Topology> parsed = parse_bounds(*text);
      if (!parsed) return Failure(Errc::conflict, fmt::format("{} is no bounds such as 2,2,1", quoted(*text, 40)));
      *slot = *parsed;
    }
    return bounds;
  }

  // Both multiplied; none if one is not given.
  std::optional<Topology> sides() const {
    if (!workers || !chips) return std::nullopt;
    std::array<int, 3> sides{};
    for (std::size_t axis = 0; axis < 3; ++axis) sides[axis] = workers->extent()[axis] * chips->extent()[axis];  // at most 4096 each
    return Topology(sides, 3);
  }
};

// The generation says whether its topologies have two or three dimensions.
Result<AcceleratorType> type_of_sides(std::string_view generation, const std::array<int, 3>& sides) {
  if (sides[2] == 1) {
    Result<AcceleratorType> flat = AcceleratorType::from_config(generation, Topology(sides, 2).to_text());
    if (flat) return flat;
  }
  return AcceleratorType::from_config(generation, Topology(sides, 3).to_text());
}

// `v5p-17920`, a size that the table lacks, has the shape if it is also the name of the shape.
bool is_name_of(std::string_view size, const AcceleratorType& type) {
  const std::optional<int> number = parse_decimal<int>(size);
  return number ? fmt::format("{}-{}", to_string(type.generation()), *number) == type.name() : size == type.topology().to_text();
}

constexpr std::string_view visible_variables[] = {"TPU_VISIBLE_CHIPS", "TPU_VISIBLE_DEVICES"};

// True if the bounds are not those of the slice: one process was given some of a machine's chips, and bounds of its own beside their list.
bool are_of_a_process(const Environment& environment, const GivenBounds& bounds, const TpuHosts& workers) {
  if (!bounds.chips || !bounds.workers || bounds.workers->size() != 1 || workers.hosts.size() != 1) return false;
  return std::any_of(std::begin(visible_variables), std::end(visible_variables),
                     [&](std::string_view name) { return count_visible(environment.get(name).value_or("")) == bounds.chips->size(); });
}

// The slice by its name and by its shape, if one is given.
Result<AcceleratorType> shaped_type(const AutoTpu& tpu, GivenBounds& bounds, bool is_worker_a_host) {
  const std::string& name = tpu.accelerator_type;
  Result<AcceleratorType> by_name = AcceleratorType::parse(name);
  if (bounds.workers && !bounds.chips && by_name && is_worker_a_host) {
    const Result<AcceleratorType> bounded = by_name->on_hosts(bounds.workers->size());
    if (!bounded) return Failure(Errc::conflict, fmt::format("{}, as the bounds {} say", bounded.error().what(), tpu.host_bounds));
    bounds.chips = bounded->chips_per_host_bounds();
  }
  const std::optional<Topology> sides = bounds.sides();
  if (tpu.topology.empty() && !sides) return by_name;
  const std::size_t dash = std::min(name.find('-'), name.size());
  const std::string generation = name.substr(0, dash);
  const std::string size = name.substr(std::min(dash + 1, name.size()));
  Result<AcceleratorType> shaped =
      tpu.topology.empty() ? type_of_sides(generation, sides->extent()) : AcceleratorType::from_config(generation, tpu.topology);
  if (!shaped) return by_name ? Failure(Errc::conflict, shaped.error().what()) : shaped.error();
  const bool is_same = by_name && size.find('x') == std::string::npos ? by_name->chips() == shaped->chips() : is_name_of(size, *shaped);
  if (!is_same) {
    return Failure(Errc::conflict, fmt::format("the accelerator type is {}, but {}, the shape of the slice, is {}", printable(name, 64),
                                               shaped->topology().to_text(), shaped->name()));
  }
  if (!sides || sides->to_bounds() == shaped->topology().to_bounds()) return shaped;
  return Failure(Errc::conflict,
                 fmt::format("the topology is {}, but hosts in the bounds {} with the chips {} make {}", shaped->topology().to_text(),
                             bounds.workers->to_bounds(), bounds.chips->to_bounds(), sides->to_text()));
}

// The same on the hosts that are listed.
Result<AcceleratorType> type_on_hosts(const AcceleratorType& type, const GivenBounds& bounds, const TpuHosts& workers, int machines) {
  const int listed = static_cast<int>(workers.hosts.size());
  if (bounds.chips && bounds.chips->size() * listed != type.chips()) {
    return Failure(Errc::conflict, fmt::format("{} has {} chips, but {} lists {}, with the chips {} each", type.name(), type.chips(),
                                               workers.from, listed, bounds.chips->to_bounds()));
  }
  if (bounds.chips && machines == listed) return type.with_host(*bounds.chips);
  const Result<AcceleratorType> on_hosts = type.on_hosts(machines);
  if (on_hosts) return on_hosts;
  return Failure(Errc::conflict, fmt::format("{}, as {} lists them", on_hosts.error().what(), workers.from));
}

Result<AcceleratorType> read_type(const Environment& environment, const TpuHosts& workers, const AutoTpu& tpu) {
  if (tpu.accelerator_type.empty()) return Failure(Errc::not_found, "nothing says the accelerator type");
  Result<GivenBounds> bounds = GivenBounds::read(tpu);
  if (!bounds) return bounds.error();
  if (are_of_a_process(environment, *bounds, workers)) {
    const std::string_view name = tpu.accelerator_type;
    return type_of_sides(name.substr(0, name.find('-')), bounds->chips->extent());
  }
  const int machines = count_machines(workers);
  const Result<AcceleratorType> type = shaped_type(tpu, *bounds, static_cast<std::size_t>(machines) == workers.hosts.size());
  return type ? type_on_hosts(*type, *bounds, workers, machines) : type;
}

// The chips that libtpu leaves to this process, where a process has a machine of its own: the others' are not known, and all are counted.
void compare_visible_chips(const Environment& environment, const TpuHosts& workers, AutoCluster& cluster) {
  const int chips = cluster.tpu.type->chips_per_host();
  for (const std::string_view name : visible_variables) {
    const std::string list = environment.get(name).value_or("");
    const std::optional<int> visible = count_visible(list);
    if (list.empty() || !visible || *visible >= chips || static_cast<std::size_t>(count_machines(workers)) != workers.hosts.size())
      continue;
    cluster.contradictions.push_back(
        fmt::format("{} is {}, {} of the {} chips of this machine, which are all counted", name, quoted(list, 40), *visible, chips));
  }
}

}  // namespace

void compare_host_bounds(std::string_view source, const std::string& bounds, const TpuHosts& workers, AutoCluster& cluster) {
  if (bounds.empty()) return;
  const Result<Topology> grid = parse_bounds(bounds);
  if (!grid) {
    cluster.contradictions.push_back(fmt::format("{} is {}, no bounds such as 2,2,1", source, quoted(bounds, 40)));
  } else if (static_cast<std::size_t>(grid->size()) != workers.hosts.size()) {
    cluster.contradictions.push_back(
        fmt::format("{} is {}, {} hosts, but {} has {}", source, quoted(bounds, 40), grid->size(), workers.from, workers.hosts.size()));
  }
}

void settle_type(const Environment& environment, const TpuHosts& workers, AutoCluster& cluster) {
  Result<AcceleratorType> type = read_type(environment, workers, cluster.tpu);
  if (type) {
    cluster.tpu.type = std::move(*type);
    compare_visible_chips(environment, workers, cluster);
    return;
  }
  cluster.tpu.type_fault = type.error().what();
  if (type.error().code() == Errc::conflict) cluster.contradictions.push_back(cluster.tpu.type_fault);
}

}  // namespace rollcall
