// Parses Vertex AI's, Volcano's and SkyPilot's lists of hosts.
#include "resolvers/launchers/wire/worker_lists.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/order.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "cluster/service_address.hpp"
#include "json/json_dom.hpp"
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

// Fields of the API, in the spelling of its JSON or of its clients.
const boost::json::value* find_either(const boost::json::value& object, std::string_view name, std::string_view other) {
  const boost::json::value* const found = find(object, name);
  return found ? found : find(object, other);
}

std::optional<int> number_in(const boost::json::value* value) {
  if (!value) return std::nullopt;
  if (value->is_string()) return parse_decimal<int>(std::string_view(value->get_string()), 0);
  const bool is_small = value->is_int64() && value->get_int64() >= 0 && value->get_int64() <= 1'000'000;
  return is_small ? std::optional<int>(static_cast<int>(value->get_int64())) : std::nullopt;
}

// The GPUs of one pool's machines. TPUs, and machines whose type alone says what they have, are not counted.
void read_machine(const boost::json::value& spec, WorkerList& pool) {
  constexpr int most = 1024;
  const std::optional<int> replicas = number_in(find_either(spec, "replicaCount", "replica_count"));
  if (replicas && *replicas != static_cast<int>(pool.hosts.size())) return;
  const boost::json::value* const machine = find_either(spec, "machineSpec", "machine_spec");
  if (!machine) return;
  const boost::json::value* const type = find_either(*machine, "acceleratorType", "accelerator_type");
  const std::optional<int> count = number_in(find_either(*machine, "acceleratorCount", "accelerator_count"));
  const std::string_view name = type && type->is_string() ? std::string_view(type->get_string()) : std::string_view();
  if (!name.starts_with("NVIDIA_") || !count || *count > most) return;
  pool.gpu_type = printable(name, 64);
  pool.gpus = *count;
}

// `specs[N]` is of workerpoolN.
void read_machines(const boost::json::value& job, std::vector<WorkerList>& pools) {
  const boost::json::value* const specs = find_either(job, "workerPoolSpecs", "worker_pool_specs");
  if (!specs || !specs->is_array()) return;
  const boost::json::array& list = specs->get_array();
  for (WorkerList& pool : pools) {
    const auto number = static_cast<std::size_t>(pool_number(pool.job).value_or(0));
    if (number < list.size()) read_machine(list[number], pool);
  }
}

// The job's specification is an object, or JSON in a text. One that is malformed says nothing of the machines.
void read_job(std::string_view text, std::vector<WorkerList>& pools) {
  const Result<JsonDocument> document = JsonDocument::parse(pools_variable, text);
  const boost::json::value* const job = document ? find(document->root(), "job") : nullptr;
  if (!job) return;
  if (!job->is_string()) return read_machines(*job, pools);
  const Result<JsonDocument> inner = JsonDocument::parse(pools_variable, std::string_view(job->get_string()));
  if (inner) read_machines(inner->root(), pools);
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
  read_job(text, result.pools);
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

Result<std::vector<std::string>> parse_addresses(std::string_view variable, std::string_view text, std::size_t max) {
  const std::vector<std::string_view> items = split(text, ',');
  if (items.size() > max) return too_many_hosts(variable, max);
  std::vector<std::string> addresses;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::string_view item = trim(items[i]);
    if (!is_member_address(item)) return no_host(variable, "element", i, item);
    addresses.emplace_back(item);
  }
  return addresses;
}

}  // namespace rollcall
