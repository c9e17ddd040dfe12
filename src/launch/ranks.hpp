// The processes and hosts of a cluster in launchers' numbering, checked before a launch.
#pragma once

#include <map>

#include "rollcall/endpoint.hpp"
#include "rollcall/launch.hpp"

namespace rollcall {

/// One task as a process of the job. It must not outlive its LaunchFacts.
class Rank {
 public:
  int rank = 0;         ///< over all jobs, without gaps
  std::string_view job; ///< a view into LaunchFacts::spec, since a name may be long and is shared by many tasks
  int index = 0;
  Endpoint endpoint;
  const Member* member = nullptr;  ///< what LaunchFacts::members say of it; null: nothing
  int local_rank = 0;   ///< among the tasks of its host
  int local_size = 1;   ///< tasks on its host
  int host = 0;         ///< index of its host, in the order of their first tasks; host names are not case-sensitive
};

/// What a form ranks over: all members of the job, or the part of it that is known.
enum class RankScope : std::uint8_t { whole, part };

/// All tasks of the chosen jobs (LaunchFacts::jobs), ranked job by job, a chief or master first. Errors: not_ready (none), not_found (a
/// job), failed_precondition (a job with gaps in its indices; parameter servers and evaluators, which have no rank),
/// invalid_argument (an address without a valid host, two tasks with one address, a loopback host among others). A cluster whose members
/// are only some parts of a job (LaunchFacts::members) is failed_precondition, unless `scope` is part.
Result<std::vector<Rank>> ranks_of(const LaunchFacts& facts, RankScope scope = RankScope::whole);

/// The same for an incomplete cluster: indices may have gaps, and there may be no task.
Result<std::vector<Rank>> tasks_of(const LaunchFacts& facts);

/// The same for lists of machines, which start nothing: parameter servers, evaluators and jobs with gaps are included. `rank` is
/// the position in the list. Errors: as above, except those about ranks.
Result<std::vector<Rank>> members_of(const LaunchFacts& facts);

/// The chosen jobs, unchanged. Errors: not_found (a job).
Result<ClusterSpec> chosen_cluster(const LaunchFacts& facts);

/// This host's rank. Errors: failed_precondition if the task is not known, not_found if it is not among `ranks`.
Result<Rank> own_rank(const std::vector<Rank>& ranks, const LaunchFacts& facts);

/// The address on which the first process listens. `usual_port` is the framework's. Errors: failed_precondition (the task's own port is
/// requested and it has none), invalid_argument (another task on the same host has the port).
Result<Endpoint> coordinator_of(const std::vector<Rank>& ranks, const LaunchFacts& facts, std::uint16_t usual_port);

/// The facts that every process needs: all ranks, its own rank, and the first process's address.
class LaunchPlace {
 public:
  std::vector<Rank> ranks;
  Rank own;
  Endpoint coordinator;  ///< with a port
};

/// Errors: those of ranks_of(), own_rank() and coordinator_of().
Result<LaunchPlace> place_in(const LaunchFacts& facts, std::uint16_t usual_port);
/// Only the coordinator; this host's own rank need not be known.
Result<LaunchCoordinator> coordinator_for(const LaunchFacts& facts, std::uint16_t usual_port);

/// LaunchFacts::job_id, or an id from LaunchFacts::run and the addresses: the same on every host, different for different clusters and
/// runs.
std::string job_id_of(const std::vector<Rank>& ranks, const LaunchFacts& facts);

/// True for a host that every reader accepts: an IP address, or at most 253 letters, digits, hyphens, dots and underscores that begin with
/// a letter or digit, and whose part after the last dot is not a number.
bool is_plain_host(std::string_view host);

}  // namespace rollcall
