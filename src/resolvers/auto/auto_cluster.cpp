#include "resolvers/auto/auto_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

Result<std::optional<int>> slice_number(const Environment& environment, const char* name) {
  constexpr int max_slices = 1'000'000;
  Result<std::optional<int>> number = number_variable(environment, name, 0, max_slices);
  if (!number) return of_auto(number.error());
  return number;
}

}  // namespace

Result<AutoCluster> read_place(Launcher place, const TpuVmFacts& facts, const Environment& environment, const AutoOptions& options,
                               std::size_t max) {
  switch (place) {
    case Launcher::vertex: return read_vertex(environment, options, max);
    case Launcher::lws: return read_lws(environment, options, max);
    case Launcher::tpu_pod: return read_tpu_pod(environment, options, max);
    case Launcher::volcano: return read_volcano(environment, options, max);
    case Launcher::skypilot: return read_skypilot(environment, options, max);
    case Launcher::torch:
    case Launcher::jax: return read_first_host_cluster(place, environment, options, max);
    case Launcher::tfconfig:
    case Launcher::sagemaker:
    case Launcher::mpi:
    case Launcher::slurm:
    case Launcher::ray:
    case Launcher::job:
    case Launcher::tpu_vm: break;
  }
  return read_tpu_vm(facts, environment, options, max);
}

Result<AutoCluster> cluster_of_hosts(const TpuHosts& workers, const std::vector<Claim>& ids, const std::vector<Claim>& own,
                                     const AutoOptions& options) {
  AutoCluster cluster;
  if (options.task_id()) {
    if (const Result<void> fine = check_hosts_differ(workers); !fine) return fine.error();
    const std::vector<Claim> given = {Claim("task", std::to_string(*options.task_id()))};
    const Result<int> id = settle_worker_id(workers, given, {});
    if (!id) return id.error();
    cluster.task_id = *id;
  } else {
    const Result<int> id = settle_worker_id(workers, ids, own);
    if (!id) return id.error();
    cluster.task_id = *id;
  }
  std::vector<std::string> addresses;
  for (const std::string& host : workers.hosts) {
    // Only TPU_PROCESS_ADDRESSES has ports of its own.
    Result<Endpoint> endpoint = Endpoint::parse(host);
    if (!endpoint) return endpoint.error();
    if (!endpoint->port) endpoint->port = options.port().value_or(default_worker_port);
    addresses.push_back(endpoint->to_text());
  }
  cluster.spec.set_job(options.job(), std::move(addresses));
  return cluster;
}

Result<void> read_slices(const Environment& environment, AutoCluster& cluster) {
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
  if (tpu.num_slices && *tpu.num_slices > 1 && !tpu.slice_id)
    cluster.contradictions.push_back(fmt::format("MEGASCALE_NUM_SLICES is {}, but MEGASCALE_SLICE_ID is not set", *tpu.num_slices));
  const std::string coordinator = environment.get("MEGASCALE_COORDINATOR_ADDRESS").value_or("");
  if (!coordinator.empty()) tpu.coordinator = printable(coordinator, 300);
  return {};
}

void compare_host_bounds(std::string_view source, const std::string& bounds, const TpuHosts& workers, AutoCluster& cluster) {
  if (bounds.empty()) return;
  std::string sides = bounds;
  std::replace(sides.begin(), sides.end(), ',', 'x');
  const Result<Topology> grid = Topology::parse(sides);
  if (!grid) {
    cluster.contradictions.push_back(fmt::format("{} is {}, no bounds such as 2,2,1", source, quoted(bounds, 40)));
  } else if (static_cast<std::size_t>(grid->size()) != workers.hosts.size()) {
    cluster.contradictions.push_back(
        fmt::format("{} is {}, {} hosts, but {} has {}", source, quoted(bounds, 40), grid->size(), workers.from, workers.hosts.size()));
  }
}

}  // namespace rollcall
