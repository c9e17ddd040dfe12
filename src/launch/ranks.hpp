// The processes and hosts of a cluster as launchers count them, checked before anything is started.
#pragma once

#include <map>

#include "rollcall/endpoint.hpp"
#include "rollcall/launch.hpp"

namespace rollcall {

/// One task as a process of the job. It must not outlive its facts.
class Rank {
 public:
  int rank = 0;         ///< over all jobs, without holes
  std::string_view job; ///< of LaunchFacts::spec: a name may be long, and tasks are many
  int index = 0;
  Endpoint endpoint;
  int local_rank = 0;   ///< among the tasks of its host
  int local_size = 1;   ///< tasks on its host
  int host = 0;         ///< which of the hosts, in the order of their first tasks; a name in other letters is the same host
};

/// All tasks that take part (LaunchFacts::jobs), ranked job by job, a chief or master first. Errors: not_ready (none), not_found (a
/// job), failed_precondition (a job whose indices have a hole; parameter servers and evaluators, which have no rank),
/// invalid_argument (an address that is no host, two tasks with one address, a loopback host among others).
Result<std::vector<Rank>> ranks_of(const LaunchFacts& facts);

/// The same, but indices may have holes, and there may be none: of a cluster as far as it is there.
Result<std::vector<Rank>> tasks_of(const LaunchFacts& facts);

/// The same for those who list machines and start nothing: parameter servers, evaluators and jobs with holes are members, too. `rank` is
/// the place in the list. Errors as above, those of ranks apart.
Result<std::vector<Rank>> members_of(const LaunchFacts& facts);

/// The jobs that take part, as they are. Errors: not_found (a job).
Result<ClusterSpec> chosen_cluster(const LaunchFacts& facts);

/// This host's. Errors: failed_precondition when the task is not known, not_found when it is none of `ranks`.
Result<Rank> own_rank(const std::vector<Rank>& ranks, const LaunchFacts& facts);

/// A machine, whatever number of tasks it has.
class RankedHost {
 public:
  std::string name;  ///< without brackets and port
  int tasks = 0;
  int slots = 0;     ///< its accelerators where their number is known, else its tasks
};

/// In the order of their first tasks.
std::vector<RankedHost> hosts_of(const std::vector<Rank>& ranks, const LaunchFacts& facts);

/// How many of its host's accelerators are the task's, where their number is known. Errors: failed_precondition (the tasks of the host
/// cannot have the same number each).
Result<std::optional<int>> accelerators_of(const Rank& rank, const LaunchFacts& facts);

/// Where the first process listens. `usual_port` is the framework's. Errors: failed_precondition (the task's port is asked for and it
/// has none), invalid_argument (the port is another task's, on the same host).
Result<Endpoint> coordinator_of(const std::vector<Rank>& ranks, const LaunchFacts& facts, std::uint16_t usual_port);

/// What every process is told: where this one stands, and where the first one listens.
class LaunchPlace {
 public:
  std::vector<Rank> ranks;
  Rank own;
  Endpoint coordinator;  ///< with a port
};

/// Errors: those of ranks_of(), own_rank() and coordinator_of().
Result<LaunchPlace> place_in(const LaunchFacts& facts, std::uint16_t usual_port);
/// The same without this host's own place, which need not be known.
Result<LaunchCoordinator> coordinator_for(const LaunchFacts& facts, std::uint16_t usual_port);

/// LaunchFacts::job_id, or one made of the addresses: the same on every host, another for another cluster.
std::string job_id_of(const std::vector<Rank>& ranks, const LaunchFacts& facts);

/// Lines of Open MPI's and MPICH's host files. Errors: invalid_argument (a host that the reader takes for something else).
Result<std::string> mpi_host_lines(const std::vector<RankedHost>& hosts);
Result<std::string> mpich_host_lines(const std::vector<RankedHost>& hosts);

/// A host as every reader takes it: an IP address, or letters, digits, hyphens, dots and underscores, a letter or digit in front, no number
/// behind the last dot, at most 253.
bool is_plain_host(std::string_view host);

}  // namespace rollcall
