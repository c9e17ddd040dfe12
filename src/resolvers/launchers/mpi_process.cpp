#include "resolvers/launchers/mpi_process.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "resolvers/launchers/wire/orte_uri.hpp"

namespace rollcall {
namespace {

constexpr int max_processes = 1'048'576;

// The variables of one launcher. Source: JAX's clusters/ompi_cluster.py, and the launchers' documentation.
class MpiDialect {
 public:
  std::string_view launcher;
  std::string_view size;
  std::string_view rank;
  std::string_view local_rank;
  std::string_view local_size;
};

constexpr MpiDialect mpi_dialects[] = {
    {"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"Hydra", "PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"PMIx under Slurm", "SLURM_STEP_NUM_TASKS", "PMIX_RANK", "SLURM_LOCALID", ""},
};

Result<std::optional<int>> mpi_number(const Environment& environment, std::string_view name) {
  if (name.empty()) return std::optional<int>();
  const std::optional<std::string> text = environment.get(name);
  if (!text) return std::optional<int>();
  const std::optional<int> value = parse_decimal<int>(*text, 0, max_processes);
  if (value) return value;
  return Failure(Errc::invalid_argument, fmt::format("mpi: {} is {}, not a number from 0 to {}", name, quoted(*text), max_processes));
}

Result<MpiProcess> read_mpi_dialect(const Environment& environment, const MpiDialect& dialect) {
  const Result<std::optional<int>> size = mpi_number(environment, dialect.size);
  const Result<std::optional<int>> rank = mpi_number(environment, dialect.rank);
  const Result<std::optional<int>> local_rank = mpi_number(environment, dialect.local_rank);
  const Result<std::optional<int>> local_size = mpi_number(environment, dialect.local_size);
  if (!size) return size.error();
  if (!rank) return rank.error();
  if (!local_rank) return local_rank.error();
  if (!local_size) return local_size.error();
  if (!*size || !*rank) {
    return Failure(Errc::failed_precondition,
                   fmt::format("mpi: {} started this process, but {} is not set", dialect.launcher, *size ? dialect.rank : dialect.size));
  }
  if (**rank >= **size)
    return Failure(Errc::invalid_argument, fmt::format("mpi: {} is {}, but {} is {}", dialect.rank, **rank, dialect.size, **size));
  MpiProcess process;
  process.launcher = dialect.launcher;
  process.rank = **rank;
  process.size = **size;
  process.local_rank = *local_rank;
  process.local_size = *local_size;
  return process;
}

}  // namespace

Result<MpiProcess> find_mpi_process(const Environment& environment) {
  const std::optional<std::string> uri = environment.get("OMPI_MCA_orte_hnp_uri");
  for (const MpiDialect& dialect : mpi_dialects) {
    const bool is_open_mpi = dialect.launcher == mpi_dialects[0].launcher;
    if (!environment.get(dialect.rank) && !(is_open_mpi && uri)) continue;
    Result<MpiProcess> process = read_mpi_dialect(environment, dialect);
    if (!process || !is_open_mpi || !uri) return process;
    const Result<OrteUri> launcher = parse_orte_uri(*uri);
    if (!launcher) return launcher.error();
    process->coordinator = coordinator_of(*launcher);
    return process;
  }
  return Failure(Errc::failed_precondition,
                 "mpi: no launcher of MPI started this process: OMPI_COMM_WORLD_RANK, PMI_RANK and PMIX_RANK are not set")
      .with_hint("run under mpirun or mpiexec; for a hostfile alone there is file:HOSTFILE,format=mpi");
}

std::pair<std::string, std::string> find_mpi_hostfile(const Environment& environment) {
  for (const char* const name :
       {"HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile", "PBS_NODEFILE", "LSB_DJOB_HOSTFILE"}) {
    std::optional<std::string> path = environment.get(name);
    if (path && !path->empty()) return {name, *std::move(path)};
  }
  return {};
}

}  // namespace rollcall
