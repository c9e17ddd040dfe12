#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/sagemaker_resolver.hpp"

namespace rollcall {
namespace {

constexpr TargetKey sagemaker_keys[] = {
    {"port", "of every host; default: 2223"},
    {"type", "wins over worker"},
    {"task", "wins over the current host's index"},
    {"rpc_layer", "such as grpc"},
    {"environment", "such as google"},
};

Result<std::shared_ptr<ClusterResolver>> make_sagemaker(Runtime runtime, const Target& target) {
  if (!target.body.empty()) {
    return Failure(Errc::invalid_argument,
                   fmt::format("sagemaker: reads SM_HOSTS and SM_CURRENT_HOST and takes no name, not {}", quoted(target.body)));
  }
  SageMakerOptions options;
  const Result<std::optional<std::uint16_t>> port = port_option(target);
  const Result<std::optional<int>> task = task_option(target);
  if (!port) return port.error();
  if (!task) return task.error();
  if (*port) options.port(**port);
  if (*task) options.task_id(**task);
  if (const auto v = target.get("type")) options.task_type(*v);
  if (const auto v = target.get("rpc_layer")) options.rpc_layer(*v);
  if (const auto v = target.get("environment")) options.environment(*v);
  return make_sagemaker_resolver(std::move(runtime), std::move(options));
}

}  // namespace

extern const TargetScheme sagemaker_scheme;
constexpr TargetScheme sagemaker_scheme = {
    .name = "sagemaker",
    .synopsis = "sagemaker:[port=P]…",
    .summary = "the hosts of a SageMaker training job",
    .example = "sagemaker:port=2223",
    .keys = sagemaker_keys,
    .make = make_sagemaker,
};

}  // namespace rollcall
