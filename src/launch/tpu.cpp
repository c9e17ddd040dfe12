// TPUs: libtpu's variables for a slice (pjrt), and for the other slices (megascale), and PyTorch/XLA's for both. As GKE's device plugin,
// its webhooks and LeaderWorkerSet set them for pods [facts: launch-libtpu, launch-megascale, launch-torch-xla].
#include <fmt/format.h>

#include <algorithm>

#include "launch/format_row.hpp"
#include "launch/slices.hpp"
#include "rollcall/megascale.hpp"

namespace rollcall {
namespace {

constexpr std::uint16_t process_port = 8476;  // of a host's first process; 8477 of its second, …
constexpr std::uint16_t megascale_port = 8080;
constexpr std::uint16_t torch_xla_port = 12355;

class TpuPlace {
 public:
  OwnSlice slice;
  SliceShape shape;
};

Result<TpuPlace> tpu_place(const LaunchFacts& facts) {
  TpuPlace place;
  Result<OwnSlice> slice = own_slice(facts);
  if (!slice) return slice.error();
  place.slice = std::move(*slice);
  Result<SliceShape> shape = shape_of(place.slice, facts);
  if (!shape) return shape.error();
  place.shape = std::move(*shape);
  return place;
}

// A slice with one host calls it localhost.
std::string host_of(const TpuPlace& place, const Rank& rank) { return place.shape.hosts == 1 ? "localhost" : rank.endpoint.host; }

// In worker order. Each group of `step` tasks has one name.
std::string host_names(const TpuPlace& place, int step) {
  std::string names;
  for (std::size_t i = 0; i < place.slice.tasks.size(); i += static_cast<std::size_t>(step))
    names += (i == 0 ? "" : ",") + host_of(place, place.slice.tasks[i]);
  return names;
}

std::uint16_t port_of(const Rank& rank) { return static_cast<std::uint16_t>(process_port + rank.local_rank); }

std::string process_addresses(const TpuPlace& place) {
  std::string addresses;
  for (const Rank& rank : place.slice.tasks)
    addresses += (addresses.empty() ? "" : ",") + Endpoint(host_of(place, rank), port_of(rank)).to_text();
  return addresses;
}

const Rank& own_of(const TpuPlace& place) { return place.slice.tasks[static_cast<std::size_t>(place.slice.worker)]; }

void add_both(EnvironmentVariables& variables, const std::string& name, const std::string& value) {
  variables.emplace_back("TPU_" + name, value);
  variables.emplace_back(name, value);
}

// The slice's shape, in the new names and in the old ones, which older libraries read. `chips` are those of a worker, in a `grid` of
// workers.
void add_shape(EnvironmentVariables& variables, const SliceShape& shape, const std::array<int, 3>& chips, const std::array<int, 3>& grid) {
  const auto word = [](bool is) { return is ? "true" : "false"; };
  const std::array<bool, 3> wrap = shape.type.wrap();
  variables.emplace_back("TPU_ACCELERATOR_TYPE", shape.type.name());
  variables.emplace_back("TPU_TOPOLOGY", shape.type.topology().to_text());
  const std::string wraps = fmt::format("{},{},{}", word(wrap[0]), word(wrap[1]), word(wrap[2]));
  variables.emplace_back("TPU_TOPOLOGY_WRAP", wraps);
  variables.emplace_back("WRAP", wraps);
  add_both(variables, "HOST_BOUNDS", bounds_text(grid));
  add_both(variables, "CHIPS_PER_HOST_BOUNDS", bounds_text(chips));
}

EnvironmentVariables worker_variables(const std::string& hosts, int worker) {
  EnvironmentVariables variables;
  variables.emplace_back("TPU_SKIP_MDS_QUERY", "true");
  variables.emplace_back("TPU_WORKER_ID", std::to_string(worker));
  variables.emplace_back("TPU_WORKER_HOSTNAMES", hosts);
  return variables;
}

void add_processes(EnvironmentVariables& variables, const TpuPlace& place) {
  variables.emplace_back("TPU_PROCESS_ADDRESSES", process_addresses(place));
  variables.emplace_back("TPU_PROCESS_PORT", std::to_string(port_of(own_of(place))));
}

// From tpu7x on a worker is a process, a host may have several, and each gets the ports of all. Before, a worker is a host.
EnvironmentVariables libtpu_variables(const TpuPlace& place) {
  const bool is_by_process = place.shape.type.generation() == TpuGeneration::tpu7x;
  EnvironmentVariables variables = worker_variables(host_names(place, 1), place.slice.worker);
  if (is_by_process && place.slice.tasks.size() > 1) add_processes(variables, place);
  add_shape(variables, place.shape, place.shape.chips, place.shape.grid);
  return variables;
}

// With TPU_SKIP_MDS_QUERY the metadata server's words about the other slices do not reach libtpu either.
EnvironmentVariables with_other_slices(EnvironmentVariables variables, const LaunchFacts& facts) {
  variables.insert(variables.end(), facts.megascale.begin(), facts.megascale.end());
  return variables;
}

Failure shared_host(const TpuPlace& place) {
  return Failure(Errc::failed_precondition, fmt::format("a host of {} is one worker, and {} has {} tasks", place.shape.type.name(),
                                                        own_of(place).endpoint.host, place.shape.tasks_per_host));
}

Result<EnvironmentVariables> pjrt_environment(const LaunchFacts& facts) {
  const Result<TpuPlace> place = tpu_place(facts);
  if (!place) return place.error();
  if (place->shape.tasks_per_host > 1 && place->shape.type.generation() != TpuGeneration::tpu7x)
    return shared_host(*place).with_hint("a process for each chip is PyTorch/XLA's: torch-xla");
  return with_other_slices(libtpu_variables(*place), facts);
}

// JAX's coordinator listens on the same host, so a derived port is the next one.
Result<std::uint16_t> port_of_slices(const OwnSlice& slice, const LaunchFacts& facts) {
  const Result<Endpoint> coordinator = coordinator_of(slice.ranks, facts, megascale_port);
  if (!coordinator) return coordinator.error();
  const std::uint16_t port = coordinator->port.value_or(megascale_port);
  if (facts.coordinator_port || facts.port_rule != CoordinatorPort::derived) return port;
  return static_cast<std::uint16_t>(port == 65535 ? 61440 : port + 1);
}

// If hosts have several tasks, each listens on its own port, and the address has the port of the first.
Result<EnvironmentVariables> megascale_environment(const LaunchFacts& facts) {
  const Result<OwnSlice> slice = own_slice(facts);
  if (!slice) return slice.error();
  const Result<std::uint16_t> first = port_of_slices(*slice, facts);
  if (!first) return first.error();
  const int port = *first + slice->tasks[static_cast<std::size_t>(slice->worker)].local_rank;
  if (port > 65535)
    return Failure(Errc::invalid_argument, fmt::format("there is no port {} for a host's further tasks: {} is its first", port, *first));
  Result<MegascaleFacts> declared = megascale_facts(slice->all, slice->number, static_cast<std::uint16_t>(port));
  if (!declared) return declared.error();
  const bool is_shared = std::any_of(slice->ranks.begin(), slice->ranks.end(), [](const Rank& one) { return one.local_size > 1; });
  if (is_shared) declared->coordinator_address = Endpoint(declared->coordinator_address, *first).to_text();
  EnvironmentVariables variables;
  for (const auto& [name, value] : declared->environment()) variables.emplace_back(name, value);
  return variables;
}

// With a process for each host PyTorch/XLA starts the others itself, or works with one. With a process for each chip these are the
// variables that its own launcher would set. MASTER_ADDR is not set: the process with device 0 is found by a broadcast, and may not be the
// first worker's.
Result<EnvironmentVariables> torch_xla_environment(const LaunchFacts& facts) {
  const Result<TpuPlace> place = tpu_place(facts);
  if (!place) return place.error();
  const auto outside = facts.usual_ports.find(LaunchFormat::torch_xla);
  const Result<Endpoint> master =
      coordinator_of(place->slice.tasks, facts, outside == facts.usual_ports.end() ? torch_xla_port : outside->second);
  if (!master) return master.error();
  const SliceShape& shape = place->shape;
  EnvironmentVariables variables;
  variables.emplace_back("PJRT_DEVICE", "TPU");
  variables.emplace_back("MASTER_PORT", std::to_string(master->port.value_or(torch_xla_port)));
  EnvironmentVariables more;
  if (shape.tasks_per_host == 1) {
    more = libtpu_variables(*place);
  } else if (shape.chips_per_task() != 1) {
    return shared_host(*place).with_hint("PyTorch/XLA has one process for each host or one for each chip");
  } else {
    const std::array<int, 3> chips = shape.type.chips_per_host_bounds().extent();
    std::array<int, 3> hosts{};
    for (std::size_t axis = 0; axis < 3; ++axis) hosts[axis] = shape.grid[axis] / chips[axis];
    more = worker_variables(host_names(*place, shape.tasks_per_host), place->slice.worker / shape.tasks_per_host);
    add_processes(more, *place);
    add_shape(more, shape, chips, hosts);
    const std::string last = shape.type.generation() == TpuGeneration::tpu7x ? ",2" : "";  // its chips have two devices each
    more.emplace_back("TPU_PROCESS_BOUNDS", bounds_text(shape.grid) + last);
    more.emplace_back("TPU_CHIPS_PER_PROCESS_BOUNDS", "1,1,1");
    more.emplace_back("TPU_VISIBLE_CHIPS", std::to_string(shape.local));
    more.emplace_back("CLOUD_TPU_TASK_ID", std::to_string(place->slice.worker));
    more.emplace_back("PJRT_LOCAL_PROCESS_COUNT", std::to_string(shape.tasks_per_host));
    more.emplace_back("PJRT_LOCAL_PROCESS_RANK", std::to_string(shape.local));
  }
  variables.insert(variables.end(), more.begin(), more.end());
  return with_other_slices(std::move(variables), facts);
}

constexpr std::string_view pjrt_names[] = {"TPU_SKIP_MDS_QUERY",    "TPU_WORKER_ID",     "TPU_WORKER_HOSTNAMES",
                                           "TPU_PROCESS_ADDRESSES", "TPU_PROCESS_PORT",  "TPU_ACCELERATOR_TYPE",
                                           "TPU_TOPOLOGY",          "TPU_TOPOLOGY_WRAP", "WRAP",
                                           "TPU_HOST_BOUNDS",       "HOST_BOUNDS",       "TPU_CHIPS_PER_HOST_BOUNDS",
                                           "CHIPS_PER_HOST_BOUNDS"};
constexpr std::string_view pjrt_left_of_same_job[] = {"TPU_PROCESS_ADDRESSES", "TPU_PROCESS_PORT"};
// Which chips a container has is known outside. PyTorch/XLA leaves alone what is set.
constexpr std::string_view torch_xla_left_of_same_job[] = {"TPU_PROCESS_ADDRESSES", "TPU_PROCESS_PORT", "TPU_PROCESS_BOUNDS",
                                                           "TPU_CHIPS_PER_PROCESS_BOUNDS", "TPU_VISIBLE_CHIPS"};
constexpr std::string_view megascale_names[] = {"MEGASCALE_COORDINATOR_ADDRESS", "MEGASCALE_NUM_SLICES", "MEGASCALE_PORT",
                                                "MEGASCALE_SLICE_ID"};

// The names of pjrt and further ones.
constexpr auto torch_xla_names = [] {
  constexpr std::string_view more[] = {"PJRT_DEVICE",       "MASTER_PORT",       "TPU_PROCESS_BOUNDS",       "TPU_CHIPS_PER_PROCESS_BOUNDS",
                                       "TPU_VISIBLE_CHIPS", "CLOUD_TPU_TASK_ID", "PJRT_LOCAL_PROCESS_COUNT", "PJRT_LOCAL_PROCESS_RANK"};
  std::array<std::string_view, std::size(pjrt_names) + std::size(more)> all{};
  std::copy(std::begin(more), std::end(more), std::copy(std::begin(pjrt_names), std::end(pjrt_names), all.begin()));
  return all;
}();

}  // namespace

// clang-format off: a row a line
const FormatRow pjrt_row{.facts = {.format = LaunchFormat::pjrt, .help = "libtpu's environment: TPU_WORKER_ID, TPU_WORKER_HOSTNAMES, bounds, …", .has_environment = true, .uses_task = true, .needs_task = true, .uses_type = true}, .environment = pjrt_environment, .variables = pjrt_names, .left_of_same_job = pjrt_left_of_same_job};
const FormatRow megascale_row{.facts = {.format = LaunchFormat::megascale, .help = "libtpu's MEGASCALE_*, where jobs are slices", .has_environment = true, .uses_task = true, .needs_task = true, .uses_type = true}, .environment = megascale_environment, .variables = megascale_names};
const FormatRow torch_xla_row{.facts = {.format = LaunchFormat::torch_xla, .help = "PyTorch/XLA on TPUs: PJRT_DEVICE, and the variables of pjrt", .has_environment = true, .uses_task = true, .needs_task = true, .uses_type = true}, .environment = torch_xla_environment, .variables = torch_xla_names, .left_of_same_job = torch_xla_left_of_same_job};
// clang-format on

}  // namespace rollcall
