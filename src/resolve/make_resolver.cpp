// From a target to a resolver. One row per scheme; the command's help prints the same table.
#include <fmt/format.h>

#include "core/text.hpp"
#include "resolve/target_schemes.hpp"
#include "resolve/tpu_target.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/simple_resolver.hpp"
#include "rollcall/target.hpp"
#include "rollcall/tfconfig_resolver.hpp"
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
  Result<TpuOptions> options = tpu_options(target);
  if (!options) return options.error();
  return std::shared_ptr<ClusterResolver>(make_tpu_resolver(std::move(runtime), std::move(*options)));
}

Made make_simple(Runtime runtime, const Target& target) {
  if (!target.body.empty()) {
    return Failure(Errc::invalid_argument, fmt::format("simple: takes jobs, not {}", quoted(target.body)))
        .with_hint("simple:job.worker=host1:port+host2:port");
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
    return Failure(Errc::invalid_argument,
                   fmt::format("tfconfig: reads the variable TF_CONFIG and takes no name, not {}", quoted(target.body)));
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
