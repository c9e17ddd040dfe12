// Fuzz target: variables and metadata (`TPU_WORKER_ID=1`, `@tpu-env=…` with \n for line ends) of a TPU pod, a group's pod and a TPU VM. The
// own task must be a task of the cluster, the numbers of the type must be consistent, and slices of the same size.
#include <map>

#include "base/text.hpp"
#include "check.hpp"
#include "resolvers/auto/auto_cluster.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  std::map<std::string, std::string, std::less<>> variables;
  TpuVmFacts facts;
  for (const std::string_view line : split(std::string_view(reinterpret_cast<const char*>(data), size), '\n')) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string name(line.substr(0, equals));
    std::string value(line.substr(equals + 1));
    if (!name.starts_with('@')) {
      variables[name] = value;
      continue;
    }
    for (std::size_t at = 0; (at = value.find("\\n", at)) != std::string::npos;) value.replace(at, 2, "\n");
    if (name == "@worker-number") facts.worker_number = value;
    if (name == "@worker-id") facts.worker_id = value;
    if (name == "@endpoints") facts.endpoints = value;
    if (name == "@tpu-env") facts.env = value;
    if (name == "@type") facts.accelerator_type = value;
    if (name == "@name") facts.name = value;
    if (name == "@address") facts.address = value;
  }
  constexpr std::size_t max = 64;
  const std::shared_ptr<const Environment> environment = fixed_environment(variables);
  const Result<AutoCluster> found[] = {read_tpu_pod(*environment, AutoOptions(), max), read_lws(*environment, AutoOptions(), max),
                                       read_tpu_vm(facts, *environment, AutoOptions(), max)};
  for (const Result<AutoCluster>& cluster : found) {
    require_sane(cluster);
    if (!cluster) continue;
    const AutoTpu& tpu = cluster->tpu;
    require(cluster->spec.task_address("worker", cluster->task_id).has_value());
    const int tasks = cluster->spec.num_tasks("worker").value();
    require(tasks == tpu.slice_tasks * (tpu.has_all_slices ? tpu.num_slices.value() : 1));
    require(static_cast<std::size_t>(tasks) <= max);
    require(!tpu.has_all_slices || cluster->task_id / tpu.slice_tasks == tpu.slice_id);
    require(tpu.type.has_value() != !tpu.type_fault.empty());
    if (!tpu.type) continue;
    require(tpu.type->hosts() * tpu.type->chips_per_host() == tpu.type->chips());
    require(tpu.type->host_bounds().size() == tpu.type->hosts() && tpu.type->hosts() <= tpu.slice_tasks);
  }
  return 0;
}
