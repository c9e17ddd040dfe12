#include "sim/wire/slurm_route.hpp"

#include <algorithm>
#include <array>

namespace rollcall::sim {
namespace {

constexpr std::array<std::string_view, 11> slurm_routes = {"slurm.ping",        "slurm.job",          "slurm.jobs",      "slurm.jobs.state",
                                                           "slurm.node",        "slurm.nodes",        "slurm.partition", "slurm.partitions",
                                                           "slurm.reservation", "slurm.reservations", "slurm.unknown"};

}  // namespace

std::span<const std::string_view> slurm_route_names() { return slurm_routes; }

bool read_slurm_path(const ParsedTarget& target, Route& route) {
  std::vector<std::string> parts = target.segments;
  if (parts.empty() || (parts[0] != "slurm" && parts[0] != "slurmdb")) return false;
  route.service = Service::slurm;
  route.name = "slurm.unknown";
  if (parts.back().empty()) parts.pop_back();  // a slash at the end makes no difference
  if (parts.size() < 3 || parts.size() > 4 || parts[0] != "slurm") return true;
  const bool is_state = parts.size() == 4 && parts[2] == "jobs" && parts[3] == "state";
  const bool is_one = parts[2] == "job" || parts[2] == "node" || parts[2] == "partition" || parts[2] == "reservation";
  const std::string name = is_state ? "slurm.jobs.state" : "slurm." + parts[2];
  const bool is_known = std::find(slurm_routes.begin(), slurm_routes.end(), name) != slurm_routes.end();
  if (!is_known || name == "slurm.unknown" || (parts.size() == 4) != (is_one || is_state)) return true;
  route.name = name;
  route.version = parts[1];
  route.collection = name.substr(name.find('.') + 1);
  if (is_one) route.item = parts[3];
  return true;
}

}  // namespace rollcall::sim
