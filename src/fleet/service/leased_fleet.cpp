#include "fleet/service/leased_fleet.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/replicas/shared_fleet.hpp"
#include "fleet/service/service_resolvers.hpp"
#include "fleet/settings/lease_settings.hpp"
#include "lease/elector.hpp"

namespace rollcall::fleet {
namespace {

// `HOST-1f2e3d4c`: another one for each process. A pod's host is called as the pod.
std::string id_of_process(Runtime::Impl& runtime) {
  constexpr std::size_t max_host = 64;
  std::array<char, 256> name{};
  std::string host = ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()).substr(0, max_host) : std::string();
  std::replace_if(host.begin(), host.end(), [](char c) { return !is_alnum(c) && c != '-' && c != '.'; }, '-');
  return fmt::format("{}-{:08x}", host.empty() ? "replica" : host, runtime.random_bits());
}

ReplicaOptions replica_options(const FleetServiceOptions& options, std::string id) {
  ReplicaOptions replica;
  replica.id = std::move(id);
  replica.access.authorities = options.lease.replica_authorities_file;
  replica.token_file = options.lease.token_file;
  if (options.tls.client_authorities_file.empty()) return replica;  // no replica asks for a certificate
  replica.access.certificate = options.tls.certificate_file;
  replica.access.key = options.tls.key_file;
  return replica;
}

}  // namespace

Result<std::shared_ptr<Fleet>> make_leased_fleet(const Runtime& runtime, const FleetServiceOptions& options, FleetOptions how) {
  Result<std::shared_ptr<lease::LeaseEngine>> engine = make_lease_engine(options.lease);
  if (!engine) return engine.error();
  Runtime::Impl& impl = impl_of(runtime);
  const std::string id = id_of_process(impl);
  auto elector = std::make_shared<lease::Elector>(runtime, std::move(*engine), id, options.lease.ttl);
  auto fleet = std::make_shared<SharedFleet>(runtime, std::move(how), service_resolvers(options.slurm), std::move(elector),
                                             replica_options(options, id));
  fleet->start();
  return std::shared_ptr<Fleet>(std::move(fleet));
}

}  // namespace rollcall::fleet
