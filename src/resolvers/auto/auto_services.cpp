// Clusters that services and controllers list in variables: Vertex AI's worker pools, Volcano's tasks, SkyPilot's and dstack's nodes,
// Paddle's trainers. The tasks of all jobs form one order of ranks, with which the launcher's own rank is compared.
#include <fmt/format.h>

#include <algorithm>

#include "accelerator/gpu_model.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "resolvers/auto/auto_cluster.hpp"
#include "resolvers/launchers/wire/worker_lists.hpp"
#include "rollcall/endpoint.hpp"

namespace rollcall {
namespace {

constexpr int max_index = 1'048'576;

// All tasks in the order of their ranks.
class ListedTasks {
 public:
  ListedTasks(std::string from, const std::vector<WorkerList>& lists, const Environment& environment) : environment_(environment) {
    candidates_.from = std::move(from);
    for (const WorkerList& list : lists) {
      for (std::size_t i = 0; i < list.hosts.size(); ++i) {
        tasks_.emplace_back(list.job, static_cast<int>(i));
        Candidate& one = candidates_.list.emplace_back();
        one.label = fmt::format("{} {}", printable(list.job, 40), i);
        one.hosts.push_back(list.hosts[i]);
      }
    }
    std::vector<Claim> own;
    own.emplace_back("HOSTNAME", environment.get("HOSTNAME").value_or(""));
    index_.emplace(candidates_, std::move(own));
  }

  /// A task by its job and its index in it. Errors: invalid_argument (there is no such task).
  Result<void> claim(const std::string& source, const std::string& job, int index) {
    const auto at = std::find(tasks_.begin(), tasks_.end(), std::pair(job, index));
    if (at == tasks_.end())
      return fail(Errc::invalid_argument, fmt::format("{} is {} {}, and there is no such task", source, printable(job, 40), index));
    claims_.emplace_back(source, fmt::format("{}={}", source, index), static_cast<std::size_t>(at - tasks_.begin()));
    return {};
  }

  /// RANK, if WORLD_SIZE counts these tasks, or the first `workers`: another number counts processes of which a task has several.
  Result<void> claim_rank(std::size_t workers) {
    const Result<std::optional<DeclaredCount>> size = count_variable(environment_, {"WORLD_SIZE"}, max_index);
    if (!size) return fail(size.error().code(), size.error().what());
    const Result<std::optional<int>> rank = number_variable(environment_, "RANK", 0, max_index);
    if (!rank) return fail(rank.error().code(), rank.error().what());
    if (!*size || !*rank) return {};
    const auto ranks = static_cast<std::size_t>((*size)->high);
    if (ranks != tasks_.size() && ranks != workers) return {};
    if (**rank >= (*size)->high)
      return fail(Errc::invalid_argument, fmt::format("RANK is {}, but WORLD_SIZE is {}", **rank, (*size)->high));
    claims_.emplace_back("RANK", fmt::format("RANK={}", **rank), static_cast<std::size_t>(**rank));
    return {};
  }

  /// The job of the only task with the name of this machine.
  std::optional<std::string> job_by_name() const {
    const Result<std::optional<SettledIndex>> found = index_->find_by_host();
    if (!found || !*found) return std::nullopt;
    return tasks_[(*found)->place].first;
  }

  /// Sets this process's task: the one that the caller has claimed for it, if `is_given`, else the one that all claims agree on. `why`: the
  /// reason why there may be no claim.
  Result<void> settle(AutoCluster& cluster, bool is_given, const std::string& why) const {
    std::size_t place = 0;
    if (is_given && !claims_.empty()) {
      place = claims_.front().place;
    } else if (!claims_.empty()) {
      const Result<SettledIndex> settled = index_->settle(claims_);
      if (!settled) return with_task_hint(settled.error());
      place = settled->place;
    } else if (tasks_.size() > 1) {
      const Result<std::optional<SettledIndex>> found = index_->find_by_host();
      if (!found) return with_task_hint(found.error());
      if (!*found) return fail(Errc::failed_precondition, fmt::format("this process's task is not known: {}", why));
      place = (*found)->place;
    }
    cluster.task_type = tasks_[place].first;
    cluster.task_id = tasks_[place].second;
    return {};
  }

  Failure fail(Errc code, const std::string& what) const { return with_task_hint(index_->fail(code, what)); }
  std::size_t size() const { return tasks_.size(); }

 private:
  const Environment& environment_;
  Candidates candidates_;
  std::vector<std::pair<std::string, int>> tasks_;
  std::optional<OwnIndex> index_;
  std::vector<PlacedClaim> claims_;
};

Result<void> put_lists(const std::vector<WorkerList>& lists, const AutoOptions& options, AutoCluster& cluster) {
  for (const WorkerList& list : lists) {
    std::vector<std::string> addresses;
    for (const std::string& host : list.hosts) {
      Result<Endpoint> endpoint = Endpoint::parse(host);
      if (!endpoint) return of_auto(endpoint.error());
      if (options.port() || !endpoint->port) endpoint->port = options.port().value_or(default_worker_port);
      addresses.push_back(endpoint->to_text());
    }
    cluster.spec.set_job(list.job, std::move(addresses));
  }
  return {};
}

// The jobs that have a task of this index.
std::vector<std::string> jobs_with(const std::vector<WorkerList>& lists, int index) {
  std::vector<std::string> jobs;
  for (const WorkerList& list : lists) {
    if (list.hosts.size() > static_cast<std::size_t>(index)) jobs.push_back(list.job);
  }
  return jobs;
}

// The index counts within the pod's own task, which the pod's name gives. Without it, the number may fit one task only.
Result<void> claim_volcano_index(const std::vector<WorkerList>& lists, const std::string& source, int index, ListedTasks& tasks) {
  if (const std::optional<std::string> job = tasks.job_by_name()) return tasks.claim(source, *job, index);
  const std::vector<std::string> jobs = jobs_with(lists, index);
  if (jobs.size() == 1) return tasks.claim(source, jobs.front(), index);
  if (jobs.empty()) return tasks.fail(Errc::invalid_argument, fmt::format("{} is {}, and no task has so many pods", source, index));
  return {};
}

}  // namespace

Result<AutoCluster> read_vertex(const Environment& environment, const AutoOptions& options, std::size_t max) {
  const Result<WorkerPools> read = parse_worker_pools(environment.get("CLUSTER_SPEC").value_or(""), max);
  if (!read) return of_auto(read.error());
  AutoCluster cluster;
  Result<void> fine = put_lists(read->pools, options, cluster);
  if (!fine) return fine.error();
  for (const WorkerList& pool : read->pools) {
    if (pool.gpus == 0) continue;
    Accelerators& each = cluster.accelerators[pool.job];
    each = Accelerators("GPU", pool.gpus, "CLUSTER_SPEC");
    each.model = gpu_model(pool.gpu_type);
    each.is_shared = true;
  }
  ListedTasks tasks("CLUSTER_SPEC", read->pools, environment);
  const std::optional<int> index = options.task_id() ? options.task_id() : read->index;
  if (read->job && index) fine = tasks.claim(options.task_id() ? "task" : "the task of CLUSTER_SPEC", *read->job, *index);
  // Pools after the second are parameter servers and evaluators, which may take no part in the ranks.
  std::size_t workers = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(read->pools.size(), 2); ++i) workers += read->pools[i].hosts.size();
  if (fine && !options.task_id()) fine = tasks.claim_rank(workers);
  if (fine) fine = tasks.settle(cluster, options.task_id().has_value(), "CLUSTER_SPEC has no task with a type and an index");
  if (!fine) return fine.error();
  const Result<std::optional<int>> ranks = number_variable(environment, "WORLD_SIZE", 1, max_index);
  if (ranks && *ranks && static_cast<std::size_t>(**ranks) == workers && workers != tasks.size()) {
    cluster.contradictions.push_back(
        fmt::format("WORLD_SIZE is {}, the tasks of the first two worker pools, but CLUSTER_SPEC has {} tasks", workers, tasks.size()));
  }
  return cluster;
}

Result<AutoCluster> read_volcano(const Environment& environment, const AutoOptions& options, std::size_t max) {
  const Result<std::vector<WorkerList>> read = parse_volcano(environment, max);
  if (!read) return of_auto(read.error());
  AutoCluster cluster;
  Result<void> fine = put_lists(*read, options, cluster);
  if (!fine) return fine.error();
  ListedTasks tasks(printable(fmt::format("{}", fmt::join(volcano_lists(environment), ", ")), 200), *read, environment);
  if (options.task_id()) {
    fine = claim_volcano_index(*read, "task", *options.task_id(), tasks);
  } else {
    for (const char* const name : {"VC_TASK_INDEX", "VK_TASK_INDEX"}) {
      const Result<std::optional<int>> number = number_variable(environment, name, 0, max_index);
      if (!number) return tasks.fail(number.error().code(), number.error().what());
      if (fine && *number) fine = claim_volcano_index(*read, name, **number, tasks);
    }
    if (fine) fine = tasks.claim_rank(tasks.size());
  }
  if (fine)
    fine = tasks.settle(cluster, options.task_id().has_value(),
                        "VC_TASK_INDEX counts within one of Volcano's tasks, and HOSTNAME does not show which");
  if (!fine) return fine.error();
  return cluster;
}

namespace {

// The variables of a service that lists the nodes a line each, or its processes with their ports, between commas.
class NodeLines {
 public:
  const char* list;
  const char* rank;
  const char* count;
  const char* gpus;
  const char* own = nullptr;  // this process's element of the list; null: a line has no port
};
constexpr NodeLines skypilot_lines = {"SKYPILOT_NODE_IPS", "SKYPILOT_NODE_RANK", "SKYPILOT_NUM_NODES", "SKYPILOT_NUM_GPUS_PER_NODE"};
constexpr NodeLines dstack_lines = {"DSTACK_NODES_IPS", "DSTACK_NODE_RANK", "DSTACK_NODES_NUM", "DSTACK_GPUS_PER_NODE"};
constexpr NodeLines paddle_lines = {"PADDLE_TRAINER_ENDPOINTS", "PADDLE_TRAINER_ID", "PADDLE_TRAINERS_NUM", "", "PADDLE_CURRENT_ENDPOINT"};

// Where the element of this process stands. Errors: conflict (nowhere).
Result<Claim> claim_of_element(const NodeLines& names, const std::vector<std::string>& list, const Environment& environment) {
  const std::string own(trim(environment.get(names.own).value_or("")));
  if (own.empty()) return Claim(names.own, "");
  const auto at = std::find(list.begin(), list.end(), own);
  if (at != list.end()) return Claim(names.own, std::to_string(at - list.begin()));
  return Failure(Errc::conflict, fmt::format("auto: {} is {}, which {} does not list", names.own, quoted_words(own, 80), names.list))
      .with_hint("one of the two is another task's: unset it, or list the hosts (simple:job.worker=HOST+HOST)");
}

}  // namespace

Result<AutoCluster> read_skypilot(const Environment& environment, const AutoOptions& options, std::size_t max) {
  const NodeLines& names = is_set(environment, skypilot_lines.list) ? skypilot_lines
                           : is_set(environment, dstack_lines.list) ? dstack_lines
                                                                    : paddle_lines;
  const std::string text = environment.get(names.list).value_or("");
  Result<std::vector<std::string>> read = names.own ? parse_addresses(names.list, text, max) : parse_node_lines(names.list, text, max);
  if (!read) return of_auto(read.error());
  TpuHosts nodes;
  nodes.from = names.list;
  nodes.hosts = *std::move(read);
  const Result<std::optional<int>> number = number_variable(environment, names.count, 1, max_index);
  if (!number) return of_auto(number.error());
  if (*number && static_cast<std::size_t>(**number) != nodes.hosts.size()) {
    return Failure(Errc::conflict, fmt::format("auto: {} is {}, but {} lists {}", names.count, **number, names.list, nodes.hosts.size()))
        .with_hint("one of the two is another task's: unset it, or list the hosts (simple:job.worker=HOST+HOST)");
  }
  std::string rank = environment.get(names.rank).value_or("");
  if (nodes.hosts.size() == 1 && trim(rank).empty()) rank = "0";
  std::vector<Claim> ids = {Claim(names.rank, std::move(rank))};
  if (names.own) {
    Result<Claim> own = claim_of_element(names, nodes.hosts, environment);
    if (!own) return own.error();
    ids.push_back(*std::move(own));
  }
  Result<AutoCluster> cluster = cluster_of_hosts(nodes, ids, {}, options);
  if (!cluster) return cluster;
  const Result<std::optional<int>> gpus = number_variable(environment, names.gpus, 0, 1024);
  if (!gpus) return of_auto(gpus.error());
  if (gpus->value_or(0) > 0) {
    Accelerators each("GPU", **gpus, names.gpus);
    each.is_shared = true;
    for (const ClusterSpec::Job& job : cluster->spec.job_list()) cluster->accelerators.emplace(job.name, each);
  }
  return cluster;
}

}  // namespace rollcall
