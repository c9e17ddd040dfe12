#include "launch/own_block.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace rollcall {
namespace {

// Names of the two variables have no points in them.
std::string slurm_block(std::string_view address, std::string_view pattern) {
  const std::vector<std::string_view> names = split(address, '.');
  const std::vector<std::string_view> kinds = split(pattern, '.');
  if (names.size() < 2 || names.size() != kinds.size() || kinds.back() != "node") return {};
  const std::string_view name = names[names.size() - 2];
  return name.empty() ? std::string() : fmt::format("{} {}", kinds[kinds.size() - 2], name);
}

}  // namespace

std::string own_block(const Environment& environment) {
  const std::optional<std::string> address = environment.get("SLURM_TOPOLOGY_ADDR");
  if (address) return printable(slurm_block(*address, environment.get("SLURM_TOPOLOGY_ADDR_PATTERN").value_or("")), 200);
  const std::optional<std::string> slice = environment.get("MEGASCALE_SLICE_ID");
  const bool is_number = slice && parse_decimal<int>(*slice);
  return is_number ? fmt::format("slice {}", *slice) : std::string();
}

}  // namespace rollcall
