#include "launch/outside_ports.hpp"

#include <fmt/format.h>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "launch/ranks.hpp"

namespace rollcall {
namespace {

// The address and the port of a first process, as the environment has set them.
class OutsideMaster {
 public:
  LaunchFormat format = LaunchFormat::plain;  // the form whose variables these are
  std::string host;
  std::string port;
  std::string source;  // of the port, for messages
};

OutsideMaster master_of(LaunchFormat format, const Environment& outside, const char* address, const char* port) {
  OutsideMaster master;
  master.format = format;
  master.host = outside.get(address).value_or("");
  master.port = trim(outside.get(port).value_or(""));
  master.source = port;
  return master;
}

OutsideMaster jax_coordinator(const Environment& outside) {
  OutsideMaster master;
  master.format = LaunchFormat::jax;
  master.source = "JAX_COORDINATOR_ADDRESS";
  const Result<Endpoint> endpoint = Endpoint::parse(outside.get(master.source).value_or(""));
  if (!endpoint || !endpoint->port) return master;
  master.host = endpoint->host;
  master.port = std::to_string(*endpoint->port);
  return master;
}

// Some operators call the first host localhost on itself.
bool is_first_host(const OutsideMaster& master, const std::vector<Rank>& ranks, const LaunchFacts& facts) {
  if (HostIdentity(master.host) == HostIdentity(ranks.front().endpoint.host)) return true;
  if (!is_loopback(master.host) || !facts.task) return false;
  const Result<Rank> own = own_rank(ranks, facts);
  return own && own->host == 0;
}

}  // namespace

Result<void> take_outside_ports(LaunchFacts& facts, const Environment& outside) {
  const OutsideMaster masters[] = {
      master_of(LaunchFormat::torchrun, outside, "PET_MASTER_ADDR", "PET_MASTER_PORT"),
      master_of(LaunchFormat::torch_env, outside, "MASTER_ADDR", "MASTER_PORT"),
      master_of(LaunchFormat::jax, outside, "COORDINATOR_ADDRESS", "COORDINATOR_PORT"),  // a JAXJob's
      jax_coordinator(outside),
  };
  std::optional<Result<std::vector<Rank>>> ranks;
  for (const OutsideMaster& master : masters) {
    if (master.host.empty() || master.port.empty()) continue;
    if (!ranks) ranks.emplace(ranks_of(facts));
    if (!*ranks) return {};  // the form that needs ranks reports the fault
    if (!is_first_host(master, **ranks, facts)) continue;
    const std::optional<std::uint16_t> port = parse_decimal<std::uint16_t>(master.port, 0, 65535);
    if (!port) return Failure(Errc::invalid_argument, fmt::format("{} is {}, not a port", master.source, quoted(master.port, 80)));
    if (*port == 0) continue;  // torchrun takes any
    facts.usual_ports[master.format] = *port;
    // torchrun and its processes meet at one host: where only one of the two ports is set, it is open for both.
    if (master.format == LaunchFormat::torchrun) facts.usual_ports.try_emplace(LaunchFormat::torch_env, *port);
    if (master.format == LaunchFormat::torch_env) {
      facts.usual_ports.try_emplace(LaunchFormat::torchrun, *port);
      facts.usual_ports.try_emplace(LaunchFormat::torch_xla, *port);  // its variable is MASTER_PORT, too
    }
  }
  return {};
}

}  // namespace rollcall
