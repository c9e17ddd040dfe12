// Fuzz target: OMPI_MCA_orte_node_regex.
#include "resolvers/launchers/wire/node_regex.hpp"

#include "check.hpp"
#include "rollcall/endpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  constexpr std::size_t max = 500;
  const auto hosts = parse_node_regex(std::string_view(reinterpret_cast<const char*>(data), size), max);
  require_sane(hosts);
  if (!hosts) return 0;
  require(!hosts->empty() && hosts->size() <= max);
  for (const std::string& host : *hosts) require(Endpoint::parse(host).has_value());
  return 0;
}
