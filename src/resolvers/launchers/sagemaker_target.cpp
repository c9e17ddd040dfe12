#include "resolvers/target_keys.hpp"
#include "rollcall/sagemaker_resolver.hpp"

namespace rollcall {
namespace {

// clang-format off
constexpr TargetKeys sagemaker_keys(
    port_key("port", &SageMakerOptions::port, "of every host; default: 2223"),
    text_key("type", &SageMakerOptions::task_type, "wins over worker"),
    task_key("task", &SageMakerOptions::task_id, "wins over the current host's index"),
    text_key("rpc_layer", &SageMakerOptions::rpc_layer, "such as grpc"),
    text_key("environment", &SageMakerOptions::environment, "such as google"));
// clang-format on

Result<std::shared_ptr<ClusterResolver>> make_sagemaker(Runtime runtime, const Target& target) {
  Result<void> fine = check_no_name(target, "reads SM_HOSTS and SM_CURRENT_HOST, or the file of the container");
  SageMakerOptions options;
  if (fine) fine = sagemaker_keys.set(target, options);
  if (!fine) return fine.error();
  return make_sagemaker_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const TargetScheme sagemaker_scheme;
constexpr TargetScheme sagemaker_scheme = {
    .name = "sagemaker",
    .synopsis = "sagemaker:[port=P]…",
    .summary = "the hosts of a SageMaker training job, of this host's instance group",
    .example = "sagemaker:port=2223",
    .keys = sagemaker_keys.names,
    .is_fixed = true,
    .make = make_sagemaker,
};

}  // namespace rollcall
