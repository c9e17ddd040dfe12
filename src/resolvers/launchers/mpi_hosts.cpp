#include "resolvers/launchers/mpi_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/path_text.hpp"
#include "base/text.hpp"
#include "call/file_reading.hpp"
#include "resolvers/launchers/mpi_process.hpp"
#include "resolvers/launchers/wire/node_regex.hpp"
#include "resolvers/launchers/wire/scheduler_hosts.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/host_list.hpp"

namespace rollcall {
namespace {

enum class HostsForm { host_file, grid_engine, pairs, words };

class HostsVariable {
 public:
  std::string_view name;
  HostsForm form = HostsForm::host_file;
  bool is_schedulers = false;  // a job scheduler sets it: a line is a slot
  bool has_no_counts = false;  // its hosts take any number of processes
  bool is_of_launcher = false;  // what mpirun reads if it is given no file, as in the launcher's pod of an MPIJob
  bool is_in_scripts() const { return is_schedulers || is_of_launcher; }
};

// The first that is set is read. [facts: scheduler-hosts]
constexpr HostsVariable hosts_variables[] = {
    {"HYDRA_HOST_FILE", HostsForm::host_file, false, false, true},
    {"I_MPI_HYDRA_HOST_FILE", HostsForm::host_file, false, false, true},
    {"OMPI_MCA_orte_rankfile"},
    {"OMPI_MCA_rmaps_rank_file_path"},
    {"OMPI_MCA_orte_default_hostfile", HostsForm::host_file, false, false, true},
    {"PRTE_MCA_prte_default_hostfile", HostsForm::host_file, false, false, true},
    {"PBS_NODEFILE", HostsForm::host_file, true},
    {"LSB_DJOB_HOSTFILE", HostsForm::host_file, true},
    {"LSB_DJOB_RANKFILE", HostsForm::host_file, true},
    {"LSB_MCPU_HOSTS", HostsForm::pairs, true},
    {"LSB_HOSTS", HostsForm::words, true},
    {"PE_HOSTFILE", HostsForm::grid_engine, true},
    {"OAR_NODEFILE", HostsForm::host_file, true},
    {"COBALT_NODEFILE", HostsForm::host_file, true},
    {"LOADL_HOSTFILE", HostsForm::host_file, true},
    {"PJM_O_NODEINF", HostsForm::host_file, true, true},
    {"BATCH_HOSTS_FILE", HostsForm::host_file, true, true},
    {"AZ_BATCH_HOST_LIST", HostsForm::words, true, true},
    {"AZ_BATCH_NODE_LIST", HostsForm::words, true, true},
};

bool is_file(HostsForm form) { return form == HostsForm::host_file || form == HostsForm::grid_engine; }

const HostsVariable* row_of(std::string_view name) {
  const auto at =
      std::find_if(std::begin(hosts_variables), std::end(hosts_variables), [&](const HostsVariable& row) { return row.name == name; });
  return at == std::end(hosts_variables) ? nullptr : at;
}

Failure in_mpi(std::string_view from, Failure failure) {
  failure.with_what(fmt::format("mpi: {}: {}", from, failure.what()));
  return failure;
}

// jsrun starts nothing on the first host, where the job script runs. Elsewhere that host may take processes.
bool is_under_jsrun(const Environment& environment, const MpiProcess& process) {
  return environment.get("JSM_NAMESPACE_RANK") == std::to_string(process.rank);
}

void drop_launch_node(MpiHosts& hosts) {
  if (hosts.hosts.size() > 1 && hosts.hosts[0].slots == 1 && hosts.hosts[0].host != hosts.hosts[1].host)
    hosts.hosts.erase(hosts.hosts.begin());
  hosts.are_counted = false;  // a slot is a processor there, of which a process may have many
}

std::string mpi_own_name(const Environment& environment) { return environment.get("PMIX_HOSTNAME").value_or(""); }

Result<MpiHosts> all_here(const Environment& environment, const MpiProcess& process) {
  const std::string name = mpi_own_name(environment);
  MpiHosts here;
  here.from = "this host";
  here.hosts.emplace_back("localhost", process.size);
  if (name.empty()) return here;
  const Result<Endpoint> endpoint = Endpoint::parse(name);
  if (!endpoint || endpoint->port)
    return Failure(Errc::invalid_argument, fmt::format("mpi: PMIX_HOSTNAME is {}, which is no host", quoted(name, 100)));
  here.hosts[0].host = endpoint->host;
  return here;
}

}  // namespace

std::string_view scheduler_variable(const Environment& environment) {
  for (const HostsVariable& row : hosts_variables) {
    if (row.is_in_scripts() && !environment.get(row.name).value_or("").empty()) return row.name;
  }
  return {};
}

bool is_mpi_job_script(const Environment& environment) {
  return !has_mpi_launcher(environment) && !scheduler_variable(environment).empty();
}

Result<std::optional<int>> open_mpi_nodes(const Environment& environment) {
  constexpr std::string_view name = "OMPI_MCA_orte_num_nodes";
  const std::optional<std::string> text = environment.get(name);
  if (!text) return std::optional<int>();
  const std::optional<int> value = parse_decimal<int>(*text, 1, max_mpi_processes);
  if (value) return value;
  return Failure(Errc::invalid_argument, fmt::format("mpi: {} is {}, not a number of hosts", name, quoted(*text)));
}

Result<MpiHosts> MpiHostReader::of_process(const MpiProcess& process, const std::string& hostfile) const {
  if (!hostfile.empty()) return read_file("hostfile", hostfile);
  const Result<std::optional<MpiHosts>> named = of_variables(false);
  if (!named) return named.error();
  if (*named) {
    MpiHosts hosts = **named;
    if (hosts.from.starts_with("LSB_") && is_under_jsrun(environment_, process)) drop_launch_node(hosts);
    if (process.launcher == "PALS") hosts.are_counted = false;
    return hosts;
  }
  if (process.size == 1 || process.local_size == process.size) return all_here(environment_, process);
  std::string seen;
  const Result<std::optional<MpiHosts>> daemons = of_daemons(process, seen);
  if (!daemons) return daemons.error();
  if (*daemons) return **daemons;
  return Failure(Errc::failed_precondition,
                 fmt::format("mpi: this is process {} of {}, and {} does not say on which hosts the others are{}", process.rank,
                             process.size, process.launcher, seen))
      .with_hint(is_from_flux(process)
                     ? "`flux hostlist --expand local` prints them: write a line HOST slots=N for each, and name the file: "
                       "hostfile=PATH"
                     : "give the file that mpirun was given: hostfile=PATH");
}

Result<MpiHosts> MpiHostReader::of_job_script() const {
  const Result<std::optional<MpiHosts>> named = of_variables(true);
  if (!named) return named.error();
  if (*named) return **named;
  return Failure(Errc::failed_precondition, "mpi: no variable lists the hosts of this job");
}

Result<std::optional<MpiHosts>> MpiHostReader::of_variables(bool is_job_script) const {
  for (const HostsVariable& row : hosts_variables) {
    if (is_job_script && !row.is_in_scripts()) continue;
    const std::string value = environment_.get(row.name).value_or("");
    if (value.empty()) continue;
    Result<MpiHosts> hosts = is_file(row.form) ? read_file(row.name, value) : read_list(row.name, value);
    if (!hosts) return hosts.error();
    if (row.has_no_counts && !is_job_script) hosts->are_counted = false;
    return std::optional<MpiHosts>(*std::move(hosts));
  }
  return std::optional<MpiHosts>();
}

Result<MpiHosts> MpiHostReader::read_file(std::string_view variable, std::string path) const {
  if (const Result<void> fine = check_path(fmt::format("mpi: {}", variable), path); !fine) return fine.error();
  const std::string folder = environment_.get("OMPI_MCA_initial_wdir").value_or("");
  if (variable.starts_with("OMPI_") && !path.starts_with('/') && folder.starts_with('/')) path = folder + "/" + path;  // mpirun's own
  const HostsVariable* const row = row_of(variable);
  const Result<std::string> text = files_.read(path, max_bytes_);
  if (!text) return in_mpi(variable, text.error()).with_target(path_text(path));
  const std::string_view content = without_byte_order_mark(*text);
  const bool is_grid_engine = row && row->form == HostsForm::grid_engine;
  Result<std::vector<HostSlots>> hosts =
      is_grid_engine ? parse_grid_engine_hosts(content, max_hosts_) : parse_mpi_hosts(content, max_hosts_);
  if (!hosts) return in_mpi(variable, hosts.error()).with_target(path_text(path));
  MpiHosts found;
  found.from = variable;
  found.are_ranks = !is_grid_engine && is_rank_file(content);
  found.hosts = *std::move(hosts);
  if (row && row->is_schedulers) {
    for (HostSlots& entry : found.hosts) entry.is_counted = true;  // a line is a slot there
  }
  return found;
}

Result<MpiHosts> MpiHostReader::read_list(std::string_view variable, const std::string& text) const {
  const bool is_pairs = row_of(variable)->form == HostsForm::pairs;
  Result<std::vector<HostSlots>> hosts = is_pairs ? parse_host_pairs(text, max_hosts_) : parse_host_words(text, max_hosts_);
  if (!hosts) return in_mpi(variable, hosts.error());
  MpiHosts found;
  found.from = variable;
  found.hosts = *std::move(hosts);
  return found;
}

// mpirun in an allocation of Slurm starts a daemon on each of its hosts. Its own variables list them, or Slurm's do.
Result<std::optional<MpiHosts>> MpiHostReader::of_daemons(const MpiProcess& process, std::string& seen) const {
  if (!is_from_open_mpi(process) && !is_from_hydra(process)) return std::optional<MpiHosts>();
  for (const std::string_view variable : {"OMPI_MCA_orte_node_regex", "SLURM_JOB_NODELIST", "SLURM_STEP_NODELIST"}) {
    if (environment_.get(variable).value_or("").empty() || (variable.starts_with("OMPI_") && !is_from_open_mpi(process))) continue;
    Result<std::optional<MpiHosts>> hosts = even_nodes(process, variable, seen);
    if (!hosts || *hosts) return hosts;
  }
  return std::optional<MpiHosts>();
}

// The list, if it has as many hosts as there must be when each has as many processes as this one.
Result<std::optional<MpiHosts>> MpiHostReader::even_nodes(const MpiProcess& process, std::string_view variable, std::string& seen) const {
  const std::string text = *environment_.get(variable);
  const Result<std::vector<std::string>> names =
      variable.starts_with("OMPI_") ? parse_node_regex(text, max_hosts_) : expand_host_list(text, HostListGrammar::scontrol, max_hosts_);
  if (!names) return in_mpi(variable, names.error());
  const Result<std::optional<int>> nodes = open_mpi_nodes(environment_);
  if (!nodes) return nodes.error();
  const auto count = static_cast<std::int64_t>(names->size());
  if (!process.local_size || count * *process.local_size != process.size || nodes->value_or(static_cast<int>(count)) != count) {
    seen += fmt::format("; {} lists {} hosts, and this one has {} of the processes", variable, count,
                        process.local_size ? std::to_string(*process.local_size) : "an unknown number");
    return std::optional<MpiHosts>();
  }
  MpiHosts found;
  found.from = variable;
  found.are_counted = false;
  for (const std::string& name : *names) found.hosts.emplace_back(name, 1);
  return std::optional<MpiHosts>(std::move(found));
}

}  // namespace rollcall
