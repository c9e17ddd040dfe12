#include "discover/discovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "async/group.hpp"
#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "google/cloud_place.hpp"
#include "resolvers/gce/gce_api.hpp"

namespace rollcall {
namespace {

std::vector<std::string> without_doubles(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  }
  return out;
}

// Empty: all zones.
std::vector<std::string> zones_of(const DiscoverOptions& options) {
  std::vector<std::string> zones = without_doubles(options.zones());
  if (std::find(zones.begin(), zones.end(), "-") != zones.end()) zones.clear();
  return zones;
}

bool wants(const Discovery& search, FoundKind kind) {
  const DiscoverOptions& options = search.options;
  const std::vector<FoundKind>& kinds = options.kinds();
  const bool says_project = !options.projects().empty() || !options.zones().empty();
  const bool says_cluster = !options.namespaces().empty() || !options.context().empty();
  const bool says_slurm = !options.slurm().empty();
  const bool is_usual = kind == FoundKind::job         ? says_cluster
                        : kind == FoundKind::slurm_job ? says_slurm
                                                       : says_project || (!says_cluster && !says_slurm);
  const bool is_wanted = kinds.empty() ? is_usual || search.filter.names(kind) : std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  const bool exists = kind != FoundKind::queued_resource || options.api_version() != TpuApiVersion::v1;
  return is_wanted && exists && search.filter.admits(kind);
}

bool wants_projects(const Discovery& search) {
  return wants(search, FoundKind::tpu) || wants(search, FoundKind::queued_resource) || wants(search, FoundKind::instance_group);
}

Result<void> add_job_tasks(const Discovery& search, std::vector<ListTask>& tasks) {
  std::vector<std::string> names = search.options.namespaces();
  if (names.empty()) names.emplace_back(".");
  for (std::string& name : names) {
    if (name != ".") continue;
    Result<std::string> own = search.kubernetes.own_namespace();
    if (!own) return own.error();
    name = std::move(*own);
  }
  if (std::find(names.begin(), names.end(), "-") != names.end()) names = {""};
  for (std::string& name : without_doubles(names)) {
    ListTask& task = tasks.emplace_back();
    task.kind = FoundKind::job;
    task.namespace_name = std::move(name);
  }
  return {};
}

std::vector<ListTask> tasks_of(const Discovery& search, const std::vector<std::string>& projects) {
  std::vector<std::string> zones = zones_of(search.options);
  std::set<std::string, std::less<>> regions;  // the zones' regions, since regional groups have members there
  for (const std::string& zone : zones) regions.insert(zone.substr(0, zone.rfind('-')));
  if (zones.empty()) zones.emplace_back();
  std::vector<ListTask> tasks;
  for (const std::string& project : projects) {
    for (const FoundKind kind : {FoundKind::tpu, FoundKind::queued_resource, FoundKind::instance_group}) {
      if (!wants(search, kind)) continue;
      ListTask task;
      task.kind = kind;
      task.project = project;
      for (const std::string& zone : zones) {
        task.zone = zone;
        tasks.push_back(task);
      }
      task.zone.clear();
      if (kind != FoundKind::instance_group) continue;
      for (const std::string& region : regions) {
        task.region = region;
        tasks.push_back(task);
      }
    }
  }
  return tasks;
}

// The memory of a find, mostly for its addresses.
std::size_t memory_of(const Found& found) {
  constexpr std::size_t texts = 512;
  return sizeof(Found) + texts + found.addresses.size() * 2 * sizeof(std::string);
}

}  // namespace

std::string ListTask::place() const {
  if (kind == FoundKind::job) return namespace_name.empty() ? "all namespaces" : "namespace " + quoted(namespace_name, 80);
  if (!region.empty()) return fmt::format("project {}, region {}", quoted(project, 80), quoted(region, 80));
  return fmt::format("project {}, {}", quoted(project, 80), zone.empty() ? "all zones" : "zone " + quoted(zone, 80));
}

bool Discovery::try_pass(Result<Found>& item) {
  return (item && !filter.matches(*item)) || queue.try_push(item, item ? memory_of(*item) : sizeof(Failure));
}

asio::awaitable<Result<void>> Discovery::pass(Result<Found> item) {
  const std::size_t bytes = item ? memory_of(*item) : sizeof(Failure);
  const bool is_pushed = co_await queue.push(std::move(item), bytes);
  if (!is_pushed) co_return Failure(Errc::cancelled, "the search was stopped");
  co_return Result<void>();
}

asio::awaitable<Result<void>> Discovery::pass_on(std::vector<Found> finds, std::vector<Failure> problems) {
  for (Found& found : finds) {
    Result<Found> item(std::move(found));
    if (try_pass(item)) continue;
    const Result<void> passed = co_await pass(std::move(item));
    if (!passed) co_return passed;
  }
  for (Failure& problem : problems) {
    Result<Found> item(std::move(problem));
    if (try_pass(item)) continue;
    const Result<void> passed = co_await pass(std::move(item));
    if (!passed) co_return passed;
  }
  co_return Result<void>();
}

asio::awaitable<Result<void>> Discovery::give_up(Failure failure, int pages) {
  if (failure.code() == Errc::cancelled) co_return failure;
  if (pages > 0) failure.with_what(fmt::format("{}; what the {} pages before it list was found", failure.what(), pages));
  std::vector<Failure> problems;
  problems.push_back(std::move(failure));
  std::vector<Found> nothing;
  co_return co_await pass_on(std::move(nothing), std::move(problems));
}

Result<void> check_discovery(const DiscoverOptions& options) {
  for (const std::string& project : options.projects()) {
    const Result<void> fine = check_id("project", project);
    if (!fine) return fine;
  }
  for (const std::string& zone : zones_of(options)) {
    const Result<void> fine = check_id("zone", zone);
    if (!fine) return fine;
  }
  for (const std::string& name : options.namespaces()) {
    if (name == "-") continue;
    const bool is_fine = !name.empty() && check_namespace(name);
    if (!is_fine) {
      return Failure(Errc::invalid_argument, fmt::format("{} is not a namespace", quoted(name, 80)))
          .with_hint("namespaces are of lower-case letters, digits and hyphens; '.' is your own, '-' stands for all of them");
    }
  }
  const Result<void> slurm = check_slurm_keys(options.slurm());
  if (!slurm) return slurm;
  const Result<FoundFilter> filter = FoundFilter::parse(options.filters());
  if (!filter) return filter.error();
  return Result<void>();
}

namespace {

// Finds the addresses of the projects' services, and adds their lists.
asio::awaitable<Result<void>> plan_projects(Call& call, Discovery& search, std::vector<ListTask>& tasks) {
  const Environment& environment = *impl_of(call).environment;
  const DiscoverOptions& options = search.options;
  std::vector<std::string> projects = without_doubles(options.projects());
  if (projects.empty()) {
    std::string project = project_setting(CloudSetting(), environment).value;
    const Result<void> completed = co_await complete_place(call, "discovery in Google Cloud", project, nullptr);
    if (!completed) co_return completed.error();
    projects.push_back(std::move(project));
  }
  TpuOptions api;
  api.api_version(options.api_version()).endpoint(options.endpoint());
  Result<TpuApiRoot> tpu_root = co_await find_tpu_api(call, api);
  if (!tpu_root) co_return tpu_root.error();
  search.tpu_root = std::move(*tpu_root);
  const Result<ComputeRoot> root = gce_root({}, environment);
  if (!root) co_return root.error();
  Result<Url> compute_root = co_await find_compute(call, *root);
  if (!compute_root) co_return compute_root.error();
  search.compute_root = std::move(*compute_root);
  tasks = tasks_of(search, projects);
  co_return Result<void>();
}

// Finds the API server, and adds a list for each namespace.
asio::awaitable<Result<void>> plan_jobs(Call& call, Discovery& search, std::vector<ListTask>& tasks) {
  KubernetesOptions options;
  if (!search.options.context().empty()) options.context(search.options.context());
  Result<KubernetesServer> server = co_await find_kubernetes(call, options);
  if (!server) co_return server.error();
  search.kubernetes = std::move(*server);
  co_return add_job_tasks(search, tasks);
}

}  // namespace

asio::awaitable<Result<void>> run_discovery(Call& call, std::shared_ptr<Discovery> search) {
  const Result<void> fine = check_discovery(search->options);
  if (!fine) co_return fine.error();
  search->filter = *FoundFilter::parse(search->options.filters());
  std::vector<ListTask> tasks;
  std::vector<Failure> obstacles;  // parts that cannot be searched
  if (wants_projects(*search)) {
    const Result<void> planned = co_await plan_projects(call, *search, tasks);
    if (!planned && planned.error().code() == Errc::cancelled) co_return planned;
    if (!planned) obstacles.push_back(planned.error());
  }
  if (wants(*search, FoundKind::job)) {
    const Result<void> planned = co_await plan_jobs(call, *search, tasks);
    if (!planned && planned.error().code() == Errc::cancelled) co_return planned;
    if (!planned) obstacles.push_back(planned.error());
  }
  if (wants(*search, FoundKind::slurm_job)) tasks.emplace_back().kind = FoundKind::slurm_job;
  if (tasks.empty() && obstacles.size() == 1) co_return obstacles.front();
  std::vector<Found> nothing;
  const Result<void> reported = co_await search->pass_on(std::move(nothing), std::move(obstacles));
  if (!reported) co_return reported;
  std::function<asio::awaitable<Result<void>>(std::size_t)> ask = [&call, &search, &tasks](std::size_t i) {
    switch (tasks[i].kind) {
      case FoundKind::tpu: return list_tpus(call, *search, tasks[i]);
      case FoundKind::queued_resource: return list_queued_resources(call, *search, tasks[i]);
      case FoundKind::instance_group: return list_instance_groups(call, *search, tasks[i]);
      case FoundKind::slurm_job: return list_slurm_jobs(call, *search);
      case FoundKind::job: break;
    }
    return list_jobs(call, *search, tasks[i]);
  };
  co_return co_await join_bounded(tasks.size(), search->options.lists_in_flight(), std::move(ask));
}

}  // namespace rollcall
