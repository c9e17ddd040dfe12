#include "resolvers/target_keys.hpp"
#include "rollcall/tfconfig_resolver.hpp"

namespace rollcall {
namespace {

// clang-format off
constexpr TargetKeys tfconfig_keys(
    text_key("type", &TfConfigOptions::task_type, "wins over the task's type in TF_CONFIG"),
    task_key("task", &TfConfigOptions::task_id, "wins over the task's index in TF_CONFIG"),
    text_key("rpc_layer", &TfConfigOptions::rpc_layer, "wins over TF_CONFIG's"),
    text_key("environment", &TfConfigOptions::environment, "such as google"));
// clang-format on

Result<std::shared_ptr<ClusterResolver>> make_tfconfig(Runtime runtime, const Target& target) {
  Result<void> fine = check_no_name(target, "reads the variable TF_CONFIG");
  TfConfigOptions options;
  if (fine) fine = tfconfig_keys.set(target, options);
  if (!fine) return fine.error();
  return make_tfconfig_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const TargetScheme tfconfig_scheme;
constexpr TargetScheme tfconfig_scheme = {
    .name = "tfconfig",
    .synopsis = "tfconfig:[type=T][,task=N]…",
    .summary = "the cluster that the variable TF_CONFIG describes",
    .example = "tfconfig:",
    .keys = tfconfig_keys.names,
    .is_fixed = true,
    .variable = "TF_CONFIG",
    .make = make_tfconfig,
};

}  // namespace rollcall
