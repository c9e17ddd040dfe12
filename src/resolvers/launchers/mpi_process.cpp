#include "resolvers/launchers/mpi_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "resolvers/launchers/wire/orte_uri.hpp"

namespace rollcall {
namespace {

// The variables of one launcher. [facts: mpi-launchers]
class MpiDialect {
 public:
  std::string_view launcher;
  std::string_view size;
  std::string_view rank;
  std::string_view local_rank;
  std::string_view local_size;
  std::string_view other_size = {};        // read if `size` is not set
  std::string_view other_local_size = {};  // read if `local_size` is not set
};

constexpr std::string_view open_mpi_name = "Open MPI";
constexpr std::string_view hydra_name = "Hydra";
constexpr std::string_view flux_name = "Flux";
constexpr std::string_view mvapich_name = "MVAPICH";  // 3 and later
constexpr std::string_view pmix_name = "PMIx under Slurm";
constexpr std::string_view mvapich2_name = "MVAPICH2";
constexpr std::string_view hnp_uri = "OMPI_MCA_orte_hnp_uri";

constexpr MpiDialect mpi_dialects[] = {
    {open_mpi_name, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {mvapich2_name, "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_LOCAL_SIZE"},
    {mvapich_name, "MVP_COMM_WORLD_SIZE", "MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_SIZE"},
    {"jsrun", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK", "JSM_NAMESPACE_LOCAL_RANK", "JSM_NAMESPACE_LOCAL_SIZE"},
    {"PALS", "PALS_SIZE", "PALS_RANKID", "PALS_LOCAL_RANKID", "PALS_LOCAL_SIZE", "PMI_SIZE", "PMI_LOCAL_SIZE"},
    {flux_name, "FLUX_JOB_SIZE", "FLUX_TASK_RANK", "FLUX_TASK_LOCAL_ID", ""},
    {hydra_name, "PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {pmix_name, "SLURM_STEP_NUM_TASKS", "PMIX_RANK", "SLURM_LOCALID", ""},
    {"Horovod", "HOROVOD_SIZE", "HOROVOD_RANK", "HOROVOD_LOCAL_RANK", "HOROVOD_LOCAL_SIZE"},  // horovodrun without mpirun
};

// Flux gives its tasks a PMI of its own, with its numbers. Others are those of mpiexec, which one of its tasks has started.
bool is_fluxs_pmi(const Environment& environment) {
  const std::string rank = environment.get("PMI_RANK").value_or("");
  return rank.empty() || (rank == environment.get("FLUX_TASK_RANK") && environment.get("PMI_SIZE") == environment.get("FLUX_JOB_SIZE"));
}

Result<std::optional<int>> mpi_number(const Environment& environment, std::string_view name) {
  if (name.empty()) return std::optional<int>();
  const std::optional<std::string> text = environment.get(name);
  if (!text) return std::optional<int>();
  const std::optional<int> value = parse_decimal<int>(*text, 0, max_mpi_processes);
  if (value) return value;
  return Failure(Errc::invalid_argument, fmt::format("mpi: {} is {}, not a number from 0 to {}", name, quoted(*text), max_mpi_processes));
}

Result<MpiProcess> read_mpi_dialect(const Environment& environment, const MpiDialect& dialect) {
  Result<std::optional<int>> size = mpi_number(environment, dialect.size);
  if (size && !*size) size = mpi_number(environment, dialect.other_size);
  const Result<std::optional<int>> rank = mpi_number(environment, dialect.rank);
  const Result<std::optional<int>> local_rank = mpi_number(environment, dialect.local_rank);
  Result<std::optional<int>> local_size = mpi_number(environment, dialect.local_size);
  if (local_size && !*local_size) local_size = mpi_number(environment, dialect.other_local_size);
  if (!size) return size.error();
  if (!rank) return rank.error();
  if (!local_rank) return local_rank.error();
  if (!local_size) return local_size.error();
  if (!*size && dialect.launcher == pmix_name) {
    return Failure(Errc::failed_precondition, fmt::format("mpi: PMIx started this process as rank {} (PMIX_RANK), outside of a Slurm step "
                                                          "(SLURM_STEP_NUM_TASKS is not set): how many there are is not known",
                                                          **rank))
        .with_hint("list the hosts, and say the task: simple:job.worker=HOST+HOST and --task worker:$PMIX_RANK");
  }
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
  const std::optional<std::string> uri = environment.get(hnp_uri);
  for (const MpiDialect& dialect : mpi_dialects) {
    const bool is_open_mpi = dialect.launcher == open_mpi_name;
    if (!environment.get(dialect.rank) && !(is_open_mpi && uri)) continue;
    if (dialect.launcher == flux_name && !is_fluxs_pmi(environment)) continue;
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

bool has_mpi_launcher(const Environment& environment) {
  const auto has_rank = [&environment](const MpiDialect& dialect) { return environment.get(dialect.rank).has_value(); };
  return environment.get(hnp_uri) || std::any_of(std::begin(mpi_dialects), std::end(mpi_dialects), has_rank);
}

std::pair<std::string_view, std::string_view> local_variables_of(const MpiProcess& process) {
  for (const MpiDialect& dialect : mpi_dialects) {
    if (dialect.launcher == process.launcher) return {dialect.local_rank, dialect.local_size};
  }
  return {"its local rank", ""};
}

bool is_from_open_mpi(const MpiProcess& process) { return process.launcher == open_mpi_name; }
bool is_from_flux(const MpiProcess& process) { return process.launcher == flux_name; }
bool is_from_hydra(const MpiProcess& process) { return process.launcher == hydra_name; }

bool fills_lines(const MpiProcess& process) {
  return is_from_hydra(process) || process.launcher == mvapich_name || process.launcher == mvapich2_name;
}

}  // namespace rollcall
