// Fuzz target: files that list hosts. The first byte chooses how they are read.
#include "cluster/host_file.hpp"

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::size_t max = 500;
  require_sane(detect_host_file(text));
  if (data[0] % 2 == 0) {
    const auto addresses = parse_host_lines(text, data[0] % 4 == 0 ? std::optional<std::uint16_t>(8470) : std::nullopt, max);
    require_sane(addresses);
    if (addresses) require(addresses->size() <= max);
    return 0;
  }
  const auto hosts = parse_mpi_hosts(text, max);
  require_sane(hosts);
  if (!hosts) return 0;
  const auto addresses = addresses_of_slots(*hosts, 8470, max);
  require_sane(addresses);
  if (addresses) require(addresses->size() <= max);
  return 0;
}
