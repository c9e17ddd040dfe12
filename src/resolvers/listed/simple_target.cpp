#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/simple_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetKey simple_keys[] = {
    {"type", "this task's job"},
    {"task", "this task's index"},
    {"master", "the master when no task is named"},
    {"rpc_layer", "such as grpc"},
    {"environment", "such as google"},
    {"num_accelerators", "of every task, TYPE:N or TYPE:N+TYPE:N; default: none"},
};

Result<AcceleratorCounts> read_accelerators(const Target& target, std::string_view key, const std::vector<std::string>& items) {
  std::map<std::string, int, std::less<>> counts;
  for (const std::string& item : items) {
    const std::size_t colon = item.rfind(':');
    const auto count = colon == std::string::npos ? std::nullopt : parse_decimal<int>(std::string_view(item).substr(colon + 1));
    const bool is_new = count && colon > 0 && counts.emplace(item.substr(0, colon), *count).second;
    if (!is_new)
      return not_a_word(target, key, *target.get(key), fmt::format("is not one TYPE:N for each type: {}", quoted(item)))
          .with_hint("num_accelerators=GPU:4 or num_accelerators=GPU:4+TPU:8");
  }
  return AcceleratorCounts(std::move(counts), CountSource::given);
}

Result<ClusterSpec> read_jobs(const Target& target) {
  ClusterSpec spec;
  for (const auto& [key, items] : target.options) {
    if (!key.starts_with("job.")) continue;
    if (std::find(items.begin(), items.end(), "") != items.end())
      return not_a_word(target, printable(key, 80), *target.get(key), "has an empty address")
          .with_hint("one + stands between two addresses");
    spec.set_job(key.substr(4), items);
  }
  if (spec.empty()) return Failure(Errc::invalid_argument, "simple: names no job").with_hint("simple:job.worker=host1:port+host2:port");
  return spec;
}

Result<std::shared_ptr<ClusterResolver>> make_simple(Runtime runtime, const Target& target) {
  if (!target.body.empty()) {
    return Failure(Errc::invalid_argument, fmt::format("simple: takes jobs, not {}", quoted(target.body)))
        .with_hint("simple:job.worker=host1:port+host2:port");
  }
  Result<ClusterSpec> spec = read_jobs(target);
  if (!spec) return spec.error();
  SimpleOptions options(*std::move(spec));
  const Result<std::optional<int>> task = task_option(target);
  if (!task) return task.error();
  if (*task) options.task_id(**task);
  if (const auto v = target.get("type")) options.task_type(*v);
  if (const auto v = target.get("master")) options.master(*v);
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  if (const auto v = target.get("environment")) options.environment(*v);
  for (const auto& [key, items] : target.options) {
    if (key != "num_accelerators") continue;
    Result<AcceleratorCounts> counts = read_accelerators(target, key, items);
    if (!counts) return counts.error();
    options.num_accelerators(*std::move(counts));
  }
  return make_simple_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const TargetScheme simple_scheme;
constexpr TargetScheme simple_scheme = {
    .name = "simple",
    .synopsis = "simple:job.NAME=HOST:PORT[+HOST:PORT…]…",
    .summary = "a cluster that is known already",
    .example = "simple:job.worker=10.0.0.2:8470+10.0.0.3:8470,job.ps=10.0.0.4:2222",
    .keys = simple_keys,
    .takes_jobs = true,
    .make = make_simple,
};

}  // namespace rollcall
