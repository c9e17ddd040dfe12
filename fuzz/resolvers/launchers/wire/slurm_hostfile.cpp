// Fuzz target: the file that SLURM_HOSTFILE names.
#include "resolvers/launchers/wire/slurm_hostfile.hpp"
#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const auto nodes = parse_slurm_hostfile(std::string_view(reinterpret_cast<const char*>(data), size), 300);
  require_sane(nodes);
  if (!nodes) return 0;
  require(nodes->size() <= 300);
  for (const std::string& node : *nodes) require(!node.empty());
  return 0;
}
