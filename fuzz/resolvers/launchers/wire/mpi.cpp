// Fuzz target: OMPI_MCA_orte_hnp_uri.
#include "check.hpp"
#include "resolvers/launchers/wire/orte_uri.hpp"
#include "rollcall/endpoint.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const Result<OrteUri> uri = parse_orte_uri(std::string_view(reinterpret_cast<const char*>(data), size));
  require_sane(uri);
  if (!uri) return 0;
  const Result<Endpoint> coordinator = Endpoint::parse(coordinator_of(*uri));
  require(coordinator.has_value() && coordinator->host == uri->host && coordinator->port >= 61440);
  return 0;
}
