// Forms for launchers: Open MPI's and MPICH's host files, Slurm's node list, lines that start Ray. Source: orte/util/hostfile of Open MPI 4
// and src/util/hostfile of PRRTE, which Open MPI 5 uses; HYDU_process_mfile_token() of MPICH's hydra; `ray start --help`.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "launch/format_row.hpp"
#include "launch/slots.hpp"
#include "rollcall/host_list.hpp"

namespace rollcall {
namespace {

constexpr std::uint16_t ray_port = 6379;

bool is_ip(std::string_view host) { return read_ip(host).has_value(); }

// Words that Open MPI's parser takes as the name of a setting at the start of a line: `rank slots=4` becomes a host `4`.
constexpr std::string_view mpi_keywords[] = {
    "cpu",
    "count",
    "slots",
    "slot",
    "slots-max",
    "slots_max",
    "max-slots",
    "max_slots",
    "cpu-max",
    "cpu_max",
    "max-cpu",
    "max_cpu",
    "count-max",
    "count_max",
    "max-count",
    "max_count",
    "rank",
    "username",
    "user-name",
    "user_name",
    "port",
    "boards",
    "sockets",
    "sockets_per_board",
    "sockets-per-board",
    "cores",
    "cores_per_socket",
    "cores-per-socket",
    "cpu_set",
    "cpu-set",
};

// Open MPI's parser accepts no dots in an IPv6 address, as in `::ffff:10.0.0.1`: such an address is written as eight numbers.
std::string mpi_host(const std::string& host) {
  if (host.find(':') == std::string::npos || host.find('.') == std::string::npos) return host;
  const IpBytes bytes = read_ip(host).value_or(IpBytes());
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 2) text += fmt::format("{}{:x}", i == 0 ? "" : ":", bytes[i] << 8 | bytes[i + 1]);
  return text;
}

// True if two names are equal up to their first dots: Open MPI drops the rest, and would treat them as one host.
bool are_one_when_cut(const std::vector<RankedHost>& hosts) {
  std::map<std::string_view, std::string_view> whole;
  return std::any_of(hosts.begin(), hosts.end(), [&whole](const RankedHost& host) {
    const std::string_view name = host.name;
    return !is_ip(name) && !whole.try_emplace(name.substr(0, name.find('.')), name).second;
  });
}

Result<std::vector<RankedHost>> launch_hosts(const LaunchFacts& facts, bool needs_slots) {
  const Result<std::vector<Rank>> ranks = ranks_of(facts);
  if (!ranks) return ranks.error();
  const Result<void> checked = needs_slots ? check_slots(*ranks, facts) : Result<void>();
  if (!checked) return checked.error();
  return hosts_of(*ranks, facts);
}

Result<std::string> mpi_lines(const LaunchFacts& facts) {
  const Result<std::vector<RankedHost>> hosts = launch_hosts(facts, true);
  return hosts ? mpi_host_lines(*hosts) : hosts.error();
}

Result<std::string> mpich_lines(const LaunchFacts& facts) {
  const Result<std::vector<RankedHost>> hosts = launch_hosts(facts, true);
  return hosts ? mpich_host_lines(*hosts) : hosts.error();
}

Result<std::string> node_list(const LaunchFacts& facts) {
  const Result<std::vector<RankedHost>> hosts = launch_hosts(facts, false);
  if (!hosts) return hosts.error();
  std::vector<std::string> names;
  for (const RankedHost& host : *hosts) names.push_back(host.name);
  const Result<std::string> list = compress_host_list(names);
  if (!list) return list.error();
  return *list + "\n";
}

// `head` is the address to join. Ray resolves a name only for --address; without --node-ip-address a host finds its own address.
std::string ray_line(const RankedHost& host, bool is_head, const Endpoint& head) {
  std::string line = is_head ? fmt::format("ray start --head --port={}", head.port.value_or(ray_port))
                             : fmt::format("ray start --address={}", shell_word(head.to_text()));
  if (is_ip(host.name)) line += " --node-ip-address=" + shell_word(host.name);
  return line + "\n";
}

// If this host's task is not known, all lines are comments: a shell that runs them starts nothing.
Result<std::string> ray_lines(const LaunchFacts& facts) {
  const Result<std::vector<Rank>> ranks = ranks_of(facts);
  if (!ranks) return ranks.error();
  const Result<Endpoint> head = coordinator_of(*ranks, facts, ray_port);
  if (!head) return head.error();
  const std::vector<RankedHost> hosts = hosts_of(*ranks, facts);
  if (facts.task) {
    const Result<Rank> own = own_rank(*ranks, facts);
    if (!own) return own.error();
    return ray_line(hosts[static_cast<std::size_t>(own->host)], own->host == 0, *head);
  }
  std::string lines = "# It is not known which of these hosts this one is; --task JOB:INDEX says so.\n";
  for (std::size_t i = 0; i < hosts.size(); ++i) lines += fmt::format("# on {}: {}", hosts[i].name, ray_line(hosts[i], i == 0, *head));
  return lines;
}

}  // namespace

Result<std::string> mpi_host_lines(const std::vector<RankedHost>& hosts) {
  std::string lines;
  if (are_one_when_cut(hosts))
    lines +=
        "# Some names differ behind their first dot only: set OMPI_MCA_orte_keep_fqdn_hostnames=1 (Open MPI 5: "
        "PRTE_MCA_prte_keep_fqdn_hostnames=1).\n";
  for (const RankedHost& host : hosts) {
    if (std::find(std::begin(mpi_keywords), std::end(mpi_keywords), host.name) != std::end(mpi_keywords))
      return Failure(Errc::invalid_argument,
                     fmt::format("a host is called {}, which is a word of Open MPI's host files", quoted(host.name)));
    lines += fmt::format("{} slots={}\n", mpi_host(host.name), host.slots);
  }
  return lines;
}

Result<std::string> mpich_host_lines(const std::vector<RankedHost>& hosts) {
  std::string lines;
  for (const RankedHost& host : hosts) {
    if (host.name.find(':') != std::string::npos) {
      return Failure(Errc::invalid_argument,
                     fmt::format("MPICH's host files have no form for the IPv6 address {}: a name ends at the first colon", host.name))
          .with_hint("give the hosts names, or take Open MPI: --format mpi-hostfile");
    }
    lines += fmt::format("{}:{}\n", host.name, host.slots);
  }
  return lines;
}

// clang-format off: a row a line
const FormatRow mpi_hostfile_row{.facts = {.format = LaunchFormat::mpi_hostfile, .help = "Open MPI's host file, `host slots=4`", .uses_accelerators = true}, .text = mpi_lines};
const FormatRow mpich_hostfile_row{.facts = {.format = LaunchFormat::mpich_hostfile, .help = "the host file of MPICH and Intel MPI, `host:4`", .uses_accelerators = true}, .text = mpich_lines};
const FormatRow slurm_nodelist_row{.facts = {.format = LaunchFormat::slurm_nodelist, .help = "hosts as Slurm writes them, `n[001-003]`"}, .text = node_list};
const FormatRow ray_row{.facts = {.format = LaunchFormat::ray, .help = "the line that starts Ray on this host; all, as comments, where it is not known which one it is", .uses_task = true}, .text = ray_lines};
// clang-format on

}  // namespace rollcall
