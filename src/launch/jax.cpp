// JAX: the arguments of jax.distributed.initialize(), and its environment variables. Source: jax/_src/distributed.py
// [facts: launch-jax].
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "json/json_text.hpp"
#include "launch/format_row.hpp"
#include "launch/slots.hpp"

namespace rollcall {
namespace {

// The port of JAX's own detection on TPUs since 0.8.1, so that one firewall rule suffices for both.
constexpr std::uint16_t jax_port = 8482;

class JaxPlace {
 public:
  std::string coordinator;
  int processes = 0;
  int process = 0;
  std::vector<int> devices;  // this process's devices; empty: all of its host
};

// Processes that share a machine's devices have equal shares of them. If their number is not known each process has one, as JAX itself
// assigns to the processes of Slurm and Open MPI. A process that sees no devices but its own takes all.
Result<std::vector<int>> jax_devices(const Rank& own, const LaunchFacts& facts) {
  std::vector<int> devices;
  if (own.local_size == 1) return devices;
  const Result<std::optional<int>> share = accelerators_of(own, facts);
  if (!share) return share.error();
  if (*share && !shares_machine(own, facts)) return devices;
  const int count = share->value_or(1);
  for (int i = 0; i < count; ++i) devices.push_back(own.local_rank * count + i);
  return devices;
}

Result<JaxPlace> jax_place(const LaunchFacts& facts) {
  const Result<std::vector<Rank>> ranks = ranks_of(facts);
  if (!ranks) return ranks.error();
  const Result<Rank> own = own_rank(*ranks, facts);
  if (!own) return own.error();
  const Result<Endpoint> coordinator = coordinator_of(*ranks, facts, usual_port_of(LaunchFormat::jax, facts));
  if (!coordinator) return coordinator.error();
  Result<std::vector<int>> devices = jax_devices(*own, facts);
  if (!devices) return devices.error();
  JaxPlace place;
  place.coordinator = coordinator->to_text();
  place.processes = static_cast<int>(ranks->size());
  place.process = own->rank;
  place.devices = std::move(*devices);
  return place;
}

// JAX tries to detect a cluster by itself, on a TPU VM with requests to the metadata server, unless that is deactivated.
Result<std::string> jax_arguments(const LaunchFacts& facts) {
  const Result<JaxPlace> place = jax_place(facts);
  if (!place) return place.error();
  std::string out = "{";
  append_json_field(out, "coordinator_address", place->coordinator);
  out += fmt::format(R"(,"num_processes":{},"process_id":{})", place->processes, place->process);
  if (!place->devices.empty()) out += fmt::format(R"(,"local_device_ids":[{}])", fmt::join(place->devices, ","));
  append_json_field(out, "cluster_detection_method", "deactivate");
  return out + "}\n";
}

// JAX reads the first and the last itself. The other two are Kubeflow Trainer's names, which its programs pass on. MaxText's
// JAX_PROCESS_COUNT is left out: it goes with a JAX_COORDINATOR_ADDRESS without a port, which JAX does not accept.
Result<EnvironmentVariables> jax_environment(const LaunchFacts& facts) {
  const Result<JaxPlace> place = jax_place(facts);
  if (!place) return place.error();
  EnvironmentVariables variables;
  variables.emplace_back("JAX_COORDINATOR_ADDRESS", place->coordinator);
  variables.emplace_back("JAX_NUM_PROCESSES", std::to_string(place->processes));
  variables.emplace_back("JAX_PROCESS_ID", std::to_string(place->process));
  if (!place->devices.empty()) variables.emplace_back("JAX_LOCAL_DEVICE_IDS", fmt::format("{}", fmt::join(place->devices, ",")));
  return variables;
}

constexpr std::string_view jax_names[] = {"JAX_COORDINATOR_ADDRESS", "JAX_NUM_PROCESSES",    "JAX_PROCESS_ID",
                                          "JAX_LOCAL_DEVICE_IDS",    "JAX_COORDINATOR_PORT", "JAX_COORDINATOR_BIND_ADDRESS"};
// Where the coordinator of another job listens, ours would, and the others would dial the port of the address.
constexpr std::string_view jax_left_of_same_job[] = {"JAX_LOCAL_DEVICE_IDS", "JAX_COORDINATOR_PORT", "JAX_COORDINATOR_BIND_ADDRESS"};

}  // namespace

// clang-format off: a row a line
const FormatRow jax_row{.facts = {.format = LaunchFormat::jax, .help = "the arguments of jax.distributed.initialize() as JSON; as environment JAX_*", .has_environment = true, .uses_task = true, .needs_task = true, .uses_accelerators = true, .coordinator_port = jax_port}, .text = jax_arguments, .environment = jax_environment, .variables = jax_names, .left_of_same_job = jax_left_of_same_job};
// clang-format on

}  // namespace rollcall
