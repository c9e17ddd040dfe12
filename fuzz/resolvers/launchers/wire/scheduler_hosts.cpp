// Fuzz target: job schedulers' lists of hosts. The first byte chooses the form.
#include "resolvers/launchers/wire/scheduler_hosts.hpp"

#include "check.hpp"
#include "rollcall/endpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::size_t max = 500;
  const auto parse = data[0] % 3 == 0 ? parse_host_pairs : data[0] % 3 == 1 ? parse_host_words : parse_grid_engine_hosts;
  const auto hosts = parse(text, max);
  require_sane(hosts);
  if (!hosts) return 0;
  require(!hosts->empty() && hosts->size() <= max);
  std::size_t slots = 0;
  for (const HostSlots& entry : *hosts) {
    require(Endpoint::parse(entry.host).has_value() && entry.slots >= 0);
    slots += static_cast<std::size_t>(entry.slots);
  }
  require(slots <= max);
  return 0;
}
