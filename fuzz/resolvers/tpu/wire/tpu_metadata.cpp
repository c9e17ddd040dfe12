// Fuzz target: tpu-env and worker-network-endpoints of a TPU VM, and lists of host names.
#include <algorithm>

#include "check.hpp"
#include "resolvers/tpu/wire/tpu_env.hpp"
#include "rollcall/endpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<TpuEnv> env = TpuEnv::parse(text);
  require_sane(env);
  if (env) {
    for (const char* const name : {"WORKER_ID", "ACCELERATOR_TYPE", "TOPOLOGY", "HOST_BOUNDS"}) {
      const Result<std::optional<std::string>> value = env->value(name);
      require_sane(value);
      if (value && *value) require(!(*value)->empty());
    }
  }
  for (const Result<TpuHosts>& list : {parse_worker_network_endpoints(text, 64), parse_host_names("TPU_WORKER_HOSTNAMES", text, 64)}) {
    require_sane(list);
    if (!list) continue;
    require(!list->hosts.empty() && list->hosts.size() <= 64 && (list->names.empty() || list->names.size() == list->hosts.size()));
    for (const std::string& host : list->hosts) {
      const Result<Endpoint> endpoint = Endpoint::parse(host);
      require(endpoint && !endpoint->port);
    }
  }
  return 0;
}
