// From a target to a resolver. One row per scheme; the command's help prints the same table.
#include <fmt/format.h>

#include <charconv>

#include "core/text.hpp"
#include "resolve/target_schemes.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/target.hpp"
#include "rollcall/tfconfig_resolver.hpp"
#include "rollcall/tpu_resolver.hpp"
#include "rollcall/union_resolver.hpp"

namespace rollcall {
namespace {

using Made = Result<std::shared_ptr<ClusterResolver>>;

Result<std::optional<int>> task_option(const Target& target) {
  const std::optional<std::string> text = target.get("task");
  if (!text) return std::optional<int>();
  const std::optional<int> number = parse_decimal<int>(*text);
  if (!number) return Failure(Errc::invalid_argument, fmt::format("task={} is not a task index", quoted(*text)));
  return number;
}

Made make_tpu(Runtime runtime, const Target& target) {
  TpuOptions options = target.body.empty() ? TpuOptions() : TpuOptions(target.body);
  if (const auto v = target.get("project")) options.project(*v);
  if (const auto v = target.get("zone")) options.zone(*v);
  if (const auto v = target.get("job")) options.job_name(*v);
  if (const auto v = target.get("coordinator")) options.coordinator_name(*v);
  if (const auto v = target.get("coordinator_address")) options.coordinator_address(*v);
  if (const auto v = target.get("endpoint")) options.endpoint(*v);
  if (const auto v = target.get("discovery_url")) options.discovery_url(*v);
  if (const auto v = target.get("api")) {
    if (*v != "v1" && *v != "v2" && *v != "v2alpha1") {
      return Failure(Errc::invalid_argument, fmt::format("api={} is not a version of the Cloud TPU API", quoted(*v))).with_hint("it is v1, v2 or v2alpha1");
    }
    options.api_version(*v);
  }
  return std::shared_ptr<ClusterResolver>(make_tpu_resolver(std::move(runtime), std::move(options)));
}

Made make_simple(Runtime runtime, const Target& target) {
  if (!target.body.empty()) {
    return Failure(Errc::invalid_argument, fmt::format("simple: takes jobs, not {}", quoted(target.body))).with_hint("simple:job.worker=host1:port+host2:port");
  }
  ClusterSpec spec;
  for (const auto& [key, items] : target.options) {
    if (key.starts_with("job.")) spec.set_job(key.substr(4), items);
  }
  if (spec.empty()) return Failure(Errc::invalid_argument, "simple: names no job").with_hint("simple:job.worker=host1:port+host2:port");
  SimpleOptions options(std::move(spec));
  const Result<std::optional<int>> task = task_option(target);
  if (!task) return task.error();
  if (*task) options.task_id(**task);
  if (const auto v = target.get("type")) options.task_type(*v);
  if (const auto v = target.get("master")) options.master(*v);
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  return make_simple_resolver(std::move(runtime), std::move(options));
}

Made make_tfconfig(Runtime runtime, const Target& target) {
  if (!target.body.empty()) {
    return Failure(Errc::invalid_argument, fmt::format("tfconfig: reads the variable TF_CONFIG and takes no name, not {}", quoted(target.body)));
  }
  TfConfigOptions options;
  const Result<std::optional<int>> task = task_option(target);
  if (!task) return task.error();
  if (*task) options.task_id(**task);
  if (const auto v = target.get("type")) options.task_type(*v);
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  return make_tfconfig_resolver(std::move(runtime), std::move(options));
}

using Maker = Made (*)(Runtime, const Target&);
constexpr Maker makers[] = {make_tpu, make_simple, make_tfconfig};

Result<void> check_keys(const Target& target, const TargetScheme& scheme) {
  for (const auto& [key, items] : target.options) {
    if (scheme.takes_jobs && key.starts_with("job.")) continue;
    bool is_known = false;
    for (const std::string_view known : scheme.keys) is_known = is_known || known == key;
    if (is_known) continue;
    std::string hint = fmt::format("{}: takes {}{}", scheme.name, scheme.takes_jobs ? "job.NAME, " : "", fmt::join(scheme.keys, ", "));
    if (const auto near = nearest(key, scheme.keys)) hint = fmt::format("did you mean {}=?", *near);
    return Failure(Errc::invalid_argument, fmt::format("{}: has no option {}", scheme.name, quoted(key))).with_hint(std::move(hint));
  }
  return Result<void>();
}

}  // namespace

Result<std::shared_ptr<ClusterResolver>> make_resolver(Runtime runtime, std::string_view text) {
  const Result<Target> target = Target::parse(text);
  if (!target) return target.error();
  const std::span<const TargetScheme> schemes = target_schemes();
  for (std::size_t i = 0; i < schemes.size(); ++i) {
    if (schemes[i].name != target->scheme) continue;
    const Result<void> fine = check_keys(*target, schemes[i]);
    if (!fine) return fine.error();
    return makers[i](std::move(runtime), *target);
  }
  std::vector<std::string_view> names;
  for (const TargetScheme& scheme : schemes) names.push_back(scheme.name);
  std::string hint = fmt::format("targets begin with {}:", fmt::join(names, ":, "));
  if (const auto near = nearest(target->scheme, names)) hint = fmt::format("did you mean {}:?", *near);
  return Failure(Errc::invalid_argument, fmt::format("no resolver is called {}", quoted(target->scheme, 40))).with_hint(std::move(hint));
}

}  // namespace rollcall
