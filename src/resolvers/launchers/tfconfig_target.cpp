#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/tfconfig_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetKey tfconfig_keys[] = {
    {"type", "wins over the task's type in TF_CONFIG"},
    {"task", "wins over the task's index in TF_CONFIG"},
    {"rpc_layer", "wins over TF_CONFIG's"},
    {"environment", "such as google"},
};

Result<std::shared_ptr<ClusterResolver>> make_tfconfig(Runtime runtime, const Target& target) {
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
  if (const auto v = target.get("environment")) options.environment(*v);
  return make_tfconfig_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const TargetScheme tfconfig_scheme;
constexpr TargetScheme tfconfig_scheme = {
    .name = "tfconfig",
    .synopsis = "tfconfig:[type=T][,task=N]…",
    .summary = "the cluster that the variable TF_CONFIG describes",
    .example = "tfconfig:",
    .keys = tfconfig_keys,
    .make = make_tfconfig,
};

}  // namespace rollcall
