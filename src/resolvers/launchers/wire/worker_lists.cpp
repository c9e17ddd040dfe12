// Parses Vertex AI's, Volcano's and SkyPilot's lists of hosts.
#include "resolvers/launchers/wire/worker_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/order.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "resolvers/launchers/wire/tf_config.hpp"

namespace rollcall {
namespace {

constexpr const char* pools_variable = "CLUSTER_SPEC";
constexpr std::string_view pool_prefix = "workerpool";
constexpr std::string_view volcano_prefix = "VC_";
constexpr std::string_view volcano_suffix = "_HOSTS";

std::optional<int> pool_number(std::string_view job) {
  if (!job.starts_with(pool_prefix)) return std::nullopt;
  return parse_decimal<int>(job.substr(pool_prefix.size()), 0, 1'000'000);
}

bool is_volcano_list(std::string_view name) {
  const bool has_length = name.size() > volcano_prefix.size() + volcano_suffix.size() && name.size() <= 200;
  const auto is_plain = [](char c) { return is_upper(c) || is_digit(c) || c == '_'; };
  return has_length && name.starts_with(volcano_prefix) && name.ends_with(volcano_suffix) &&
         std::all_of(name.begin(), name.end(), is_plain);
}

// `VC_GPU_WORKER_HOSTS` → `GPU_WORKER`
std::string_view volcano_task(std::string_view name) {
  return name.substr(volcano_prefix.size(), name.size() - volcano_prefix.size() - volcano_suffix.size());
}

// Volcano writes a task's name in capitals, and hyphens as underscores, which no task's name has.
std::string volcano_job(std::string_view task) {
  std::string name = to_lower(task);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

Failure no_host(std::string_view variable, std::string_view noun, std::size_t index, std::string_view item) {
  return Failure(Errc::invalid_argument, fmt::format("{}: {} {} is {}, no host", variable, noun, index, quoted_words(item, 80)));
}

Failure too_many_hosts(std::string_view variable, std::size_t max) {
  return Failure(Errc::limit_exceeded, fmt::format("{} has more than {} hosts", variable, max));
}

Result<void> check_number(const Environment& environment, std::string_view task, const std::string& variable, std::size_t hosts) {
  const std::string name = fmt::format("VC_{}_NUM", task);
  const std::string text = environment.get(name).value_or("");
  if (trim(text).empty()) return {};
  const std::optional<std::size_t> number = parse_decimal<std::size_t>(trim(text));
  if (!number) return Failure(Errc::invalid_argument, fmt::format("{} is {}, no number", name, quoted(text, 80)));
  if (*number == hosts) return {};
  return Failure(Errc::conflict, fmt::format("{} is {}, but {} has {} hosts", name, *number, variable, hosts));
}

}  // namespace

bool names_worker_pools(std::string_view text) {
  const Result<TfConfig> config = TfConfig::parse(text, pools_variable);
  if (!config) return text.find(pool_prefix) != std::string_view::npos;
  const Result<ClusterSpec> cluster = config->cluster();
  if (!cluster) return text.find(pool_prefix) != std::string_view::npos;
  const std::vector<ClusterSpec::Job>& jobs = cluster->job_list();
  return std::any_of(jobs.begin(), jobs.end(), [](const ClusterSpec::Job& job) { return pool_number(job.name).has_value(); });
}

Result<WorkerPools> parse_worker_pools(std::string_view text, std::size_t max) {
  const Result<TfConfig> config = TfConfig::parse(text, pools_variable);
  if (!config) return config.error();
  const Result<ClusterSpec> cluster = config->cluster();
  if (!cluster) return cluster.error();
  const Result<std::optional<std::string>> job = config->task_type();
  if (!job) return job.error();
  const Result<std::optional<int>> index = config->task_id();
  if (!index) return index.error();
  std::vector<std::pair<int, const ClusterSpec::Job*>> jobs;
  std::size_t hosts = 0;
  for (const ClusterSpec::Job& one : cluster->job_list()) {
    const std::optional<int> number = pool_number(one.name);
    if (!number) {
      return Failure(Errc::invalid_argument, fmt::format("{}: {} is no name of a worker pool: the place of its hosts among the others is "
                                                         "not known",
                                                         pools_variable, quoted(one.name, 80)));
    }
    if (!ClusterSpec::is_dense(one.tasks) && !one.tasks.empty())
      return Failure(Errc::invalid_argument, fmt::format("{}: {} has a gap among its hosts", pools_variable, quoted(one.name, 80)));
    hosts += one.tasks.size();
    jobs.emplace_back(*number, &one);
  }
  if (hosts > max) return too_many_hosts(pools_variable, max);
  std::sort(jobs.begin(), jobs.end());
  WorkerPools result;
  for (const auto& [number, one] : jobs) {
    WorkerList& pool = result.pools.emplace_back();
    pool.job = one->name;
    for (const auto& [place, address] : one->tasks) {
      if (!is_member_address(address))
        return no_host(fmt::format("{}: {}", pools_variable, one->name), "host", static_cast<std::size_t>(place), address);
      pool.hosts.push_back(address);
    }
  }
  result.job = *job;
  result.index = *index;
  return result;
}

std::vector<std::string> volcano_lists(const Environment& environment) {
  std::vector<std::string> lists;
  for (std::string& name : environment.names()) {
    if (is_volcano_list(name) && !trim(environment.get(name).value_or("")).empty()) lists.push_back(std::move(name));
  }
  std::sort(lists.begin(), lists.end());
  lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
  return lists;
}

Result<std::vector<WorkerList>> parse_volcano(const Environment& environment, std::size_t max) {
  std::vector<WorkerList> lists;
  std::size_t hosts = 0;
  for (const std::string& variable : volcano_lists(environment)) {
    WorkerList list;
    list.job = volcano_job(volcano_task(variable));
    const std::string text = environment.get(variable).value_or("");
    const std::vector<std::string_view> items = split(text, ',');
    hosts += items.size();
    if (hosts > max) return too_many_hosts(variable, max);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::string_view host = service_host(trim(items[i]));
      if (host.empty()) return no_host(variable, "element", i, items[i]);
      list.hosts.emplace_back(host);
    }
    const Result<void> fine = check_number(environment, volcano_task(variable), variable, list.hosts.size());
    if (!fine) return fine.error();
    lists.push_back(std::move(list));
  }
  const auto comes_first = [](const WorkerList& list) { return list.job == "master" || list.job == "chief"; };
  sort_stably(lists, [&](const WorkerList& a, const WorkerList& b) { return comes_first(a) && !comes_first(b); });
  return lists;
}

Result<std::vector<std::string>> parse_node_lines(std::string_view variable, std::string_view text, std::size_t max) {
  std::vector<std::string> hosts;
  const std::string_view whole = trim(text);
  std::size_t line = 0;
  for (std::size_t begin = 0; begin < whole.size(); ++line) {
    const std::size_t end = std::min(whole.find('\n', begin), whole.size());
    const std::string_view item = trim(whole.substr(begin, end - begin));
    if (hosts.size() == max) return too_many_hosts(variable, max);
    const std::string_view host = service_host(item);
    if (host.empty()) return no_host(variable, "line", line + 1, item);
    hosts.emplace_back(host);
    begin = end + 1;
  }
  return hosts;
}

}  // namespace rollcall
