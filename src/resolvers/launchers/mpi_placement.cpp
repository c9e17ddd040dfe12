#include "resolvers/launchers/mpi_placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/text.hpp"
#include "resolvers/launchers/mpi_check.hpp"
#include "resolvers/launchers/mpi_mapping.hpp"
#include "resolvers/launchers/mpi_process.hpp"
#include "resolvers/launchers/wire/node_regex.hpp"

namespace rollcall {
namespace {

class RankPlacer {
 public:
  RankPlacer(const Environment& environment, const MpiProcess& process, const MpiHosts& given, const OwnMachine& machine)
      : environment_(environment), process_(process), given_(given), own_(environment, process, machine), hosts_(given.hosts) {}

  Result<std::vector<std::string>> place() && {
    if (is_from_open_mpi(process_)) {
      const Result<MpiMapping> mapping = read_mpi_mapping(environment_);
      if (!mapping) {
        if (!given_.are_ranks) return mapping.error();
      } else {
        mapping_ = *mapping;
      }
    }
    Result<std::vector<std::string>> ranks = is_by_line() ? by_line() : by_host();
    if (!ranks) return ranks;
    const Result<void> counted = is_by_line() ? Result<void>() : check_number_of_hosts(*ranks);
    if (!counted) return counted.error();
    std::vector<std::string> listed;
    for (const HostSlots& entry : hosts_) listed.push_back(entry.host);
    const Result<void> fits = check_mpi_place(process_, *ranks, listed, own_, how());
    if (!fits) return fits.error();
    return ranks;
  }

 private:
  bool is_by_line() const { return given_.are_ranks || mapping_.is_sequence; }

  // With a rank file Open MPI 4 counts hosts otherwise on each host. [facts: openmpi-mapping]
  Result<void> check_number_of_hosts(const std::vector<std::string>& ranks) const {
    const Result<std::optional<int>> nodes = is_from_open_mpi(process_) ? open_mpi_nodes(environment_) : std::optional<int>();
    if (!nodes) return nodes.error();
    const auto used = static_cast<int>(std::set<std::string_view>(ranks.begin(), ranks.end()).size());
    if (nodes->value_or(used) == used) return {};
    return mpi_conflict(
        fmt::format("{}, {} processes are on {} hosts, but OMPI_MCA_orte_num_nodes is {}", how(), process_.size, used, **nodes));
  }

  std::string how() const {
    if (is_by_line()) return fmt::format("by {}, a host for each rank", given_.from);
    if (mapping_.per_host)
      return fmt::format("by {}, {} on each host{}", given_.from, *mapping_.per_host, mapping_.is_dealt ? " in turn" : "");
    return fmt::format("by {}, {}", given_.from, mapping_.is_dealt ? "the hosts in turn" : "host after host by slots");
  }

  Failure too_few(std::size_t places) const {
    return Failure(Errc::failed_precondition, fmt::format("mpi: {} processes, but {} has {} slots: the places of the others are not known",
                                                          process_.size, given_.from == "hostfile" ? "the hostfile" : given_.from, places))
        .with_hint("give the hostfile the slots that mpirun uses (slots=N)");
  }

  Result<std::vector<std::string>> by_line() {
    const auto size = static_cast<std::size_t>(process_.size);
    if (hosts_.size() < size) return too_few(hosts_.size());
    std::vector<std::string> ranks;
    for (std::size_t i = 0; i < size; ++i) ranks.push_back(hosts_[i].host);
    return ranks;
  }

  Result<std::vector<std::string>> by_host() {
    if (!fills_lines(process_)) join_lines();
    Result<void> fine = {};
    if (is_from_open_mpi(process_)) fine = move_mpiruns_host();
    if (!fine) return fine.error();
    if (mapping_.per_host) {
      for (HostSlots& entry : hosts_) entry.slots = *mapping_.per_host;
    } else if (!is_counted()) {
      fine = take_even_slots();
    }
    if (!fine) return fine.error();
    return mapping_.is_dealt ? deal(1) : fills_lines(process_) ? wrap() : deal(max_mpi_processes);
  }

  // A host of several lines has the sum of their slots, at the place of the first. Hydra and mpirun_rsh keep such lines apart.
  void join_lines() {
    std::map<std::string, std::size_t, std::less<>> places;
    std::vector<HostSlots> joined;
    for (HostSlots& entry : hosts_) {
      const auto [at, is_new] = places.try_emplace(entry.host, joined.size());
      if (is_new) {
        joined.push_back(std::move(entry));
      } else {
        joined[at->second].slots += entry.slots;
        joined[at->second].is_counted = true;
      }
    }
    hosts_ = std::move(joined);
  }

  // Open MPI 3 and 4 begin with the host that mpirun runs on, wherever the file has it. [facts: openmpi-mapping]
  Result<void> move_mpiruns_host() {
    const std::string mpirun = environment_.get("OMPI_MCA_orte_hnp_uri").value_or("");
    const std::string daemon = environment_.get("OMPI_MCA_orte_local_daemon_uri").value_or("");
    if (hosts_.size() < 2 || mpirun.empty() || daemon.empty()) return {};
    if (mpirun == daemon) {
      move_to_front([this](const HostSlots& entry) { return own_.is_here(entry.host); });
      return {};
    }
    const std::string regex = environment_.get("OMPI_MCA_orte_node_regex").value_or("");
    if (regex.empty()) {
      return Failure(Errc::failed_precondition,
                     "mpi: OMPI_MCA_orte_node_regex is not set: the host of mpirun, where Open MPI begins, is not known")
          .with_hint(mpi_rank_file_hint);
    }
    const Result<std::vector<std::string>> nodes = parse_node_regex(regex, max_mpi_processes);
    if (!nodes) return nodes.error();
    OwnMachine other;
    other.names.push_back(nodes->front());
    const MpiOwnHost first(*fixed_environment({}), process_, other);
    move_to_front([&first](const HostSlots& entry) { return first.is_here(entry.host); });
    return {};
  }

  template <class Predicate>
  void move_to_front(Predicate is_first) {
    const auto at = std::find_if(hosts_.begin(), hosts_.end(), is_first);
    if (at != hosts_.end()) std::rotate(hosts_.begin(), at, at + 1);
  }

  // In a host file of Open MPI, a host without a number has as many slots as processors, which is not known here.
  bool is_counted() const {
    if (!given_.are_counted) return false;
    if (!is_from_open_mpi(process_) || !process_.local_size) return true;
    return std::any_of(hosts_.begin(), hosts_.end(), [](const HostSlots& entry) { return entry.is_counted; });
  }

  // As many on each host as on this one, if that comes out even; or all on the first. In turn they need no numbers.
  Result<void> take_even_slots() {
    const auto count = static_cast<std::int64_t>(hosts_.size());
    const int local_size = process_.local_size.value_or(0);
    const bool is_even = count * local_size == process_.size;
    if (!is_even && local_size != process_.size && !mapping_.is_dealt) {
      const std::string_view variable = local_variables_of(process_).second;
      return Failure(Errc::failed_precondition,
                     fmt::format(
                         "mpi: {} processes, {} of them on this host{}, do not fit the {} hosts of {} evenly: which host has how many is "
                         "not known",
                         process_.size, process_.local_size ? std::to_string(local_size) : "an unknown number",
                         variable.empty() ? "" : fmt::format(" ({})", variable), count, given_.from))
          .with_hint(fmt::format("write the number of each host's processes into the file (slots=N), or {}", mpi_rank_file_hint));
    }
    for (HostSlots& entry : hosts_) entry.slots = mapping_.is_dealt ? process_.size : local_size;
    return {};
  }

  // So many ranks in a row on each host, until all slots are taken.
  Result<std::vector<std::string>> deal(int in_a_row) const {
    std::vector<std::string> ranks;
    std::vector<int> left;
    for (const HostSlots& entry : hosts_) left.push_back(entry.slots);
    std::vector<std::size_t> waiting(hosts_.size());
    std::iota(waiting.begin(), waiting.end(), std::size_t{0});
    const auto size = static_cast<std::size_t>(process_.size);
    while (ranks.size() < size && !waiting.empty()) {
      for (const std::size_t host : waiting) {
        const auto turn = std::min({static_cast<std::size_t>(std::min(in_a_row, left[host])), size - ranks.size()});
        ranks.insert(ranks.end(), turn, hosts_[host].host);
        left[host] -= static_cast<int>(turn);
      }
      std::erase_if(waiting, [&left](std::size_t host) { return left[host] == 0; });
    }
    if (ranks.size() < size) return too_few(ranks.size());
    return ranks;
  }

  // Hydra and mpirun_rsh begin again at the first host when all slots are taken. [facts: mpich-hostfile]
  Result<std::vector<std::string>> wrap() const {
    std::vector<std::string> ranks;
    const auto size = static_cast<std::size_t>(process_.size);
    const bool has_slots = std::any_of(hosts_.begin(), hosts_.end(), [](const HostSlots& entry) { return entry.slots > 0; });
    if (!has_slots) return too_few(0);
    while (ranks.size() < size) {
      for (const HostSlots& entry : hosts_)
        ranks.insert(ranks.end(), std::min(static_cast<std::size_t>(entry.slots), size - ranks.size()), entry.host);
    }
    return ranks;
  }

  const Environment& environment_;
  const MpiProcess& process_;
  const MpiHosts& given_;
  MpiOwnHost own_;
  std::vector<HostSlots> hosts_;
  MpiMapping mapping_;
};

}  // namespace

Result<std::vector<std::string>> place_mpi_ranks(const Environment& environment, const MpiProcess& process, const MpiHosts& hosts,
                                                 const OwnMachine& machine) {
  return RankPlacer(environment, process, hosts, machine).place();
}

}  // namespace rollcall
