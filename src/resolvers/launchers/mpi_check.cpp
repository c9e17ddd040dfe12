#include "resolvers/launchers/mpi_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "resolvers/launchers/mpi_process.hpp"

namespace rollcall {
namespace {

// Equal names or addresses; also a name and the same with a domain.
bool are_names_of_one_host(const std::string& a, const std::string& b) {
  const HostIdentity one(a);
  const HostIdentity other(b);
  return one == other || is_short_for(one, other) || is_short_for(other, one);
}

}  // namespace

// Open MPI's name of the host is the one of its lists. The variables of a host that Hydra passes on are those of mpiexec's host.
MpiOwnHost::MpiOwnHost(const Environment& environment, const MpiProcess& process, const OwnMachine& machine) {
  const std::string given = is_from_hydra(process) ? "" : environment.get("PMIX_HOSTNAME").value_or("");
  const std::string node = is_from_open_mpi(process) ? environment.get("SLURMD_NODENAME").value_or("") : "";
  if (!given.empty()) {
    names_.push_back(given);
  } else {
    if (!node.empty()) names_.push_back(node);
    names_.insert(names_.end(), machine.names.begin(), machine.names.end());
  }
  names_.insert(names_.end(), machine.addresses.begin(), machine.addresses.end());
  if (names_.empty()) names_.emplace_back();
}

bool MpiOwnHost::is_here(const std::string& host) const {
  return std::any_of(names_.begin(), names_.end(), [&host](const std::string& name) { return are_names_of_one_host(name, host); });
}

Failure mpi_conflict(const std::string& what) {
  return Failure(Errc::conflict, "mpi: " + what)
      .with_hint(fmt::format("the file's order or slots are not those of the processes, or --map-by, --npernode or -ppn changed them: {}",
                             mpi_rank_file_hint));
}

Result<void> check_mpi_place(const MpiProcess& process, const std::vector<std::string>& ranks, const std::vector<std::string>& listed,
                             const MpiOwnHost& own, const std::string& how) {
  const auto rank = static_cast<std::size_t>(process.rank);
  const std::string& host = ranks[rank];
  const auto local_rank = std::count(ranks.begin(), ranks.begin() + process.rank, host);
  const auto local_size = std::count(ranks.begin(), ranks.end(), host);
  const auto refuse = [&](const std::string& but) {
    return mpi_conflict(fmt::format("{}, rank {} of {} is process {} of {} on {}, but {}", how, process.rank, process.size, local_rank,
                                    local_size, host, but));
  };
  const auto [rank_variable, size_variable] = local_variables_of(process);
  if (process.local_rank && *process.local_rank != local_rank) return refuse(fmt::format("{} is {}", rank_variable, *process.local_rank));
  if (process.local_size && *process.local_size != local_size) return refuse(fmt::format("{} is {}", size_variable, *process.local_size));
  if (own.is_here(host)) return {};
  const auto here = std::find_if(listed.begin(), listed.end(), [&own](const std::string& one) { return own.is_here(one); });
  if (here == listed.end()) return {};  // the list may have other names for its hosts
  return refuse(fmt::format("this process runs on {}, which the list has elsewhere", printable(*here, 80)));
}

}  // namespace rollcall
