#include "resolve/tpu_target.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "resolve/target_schemes.hpp"

namespace rollcall {
namespace {

constexpr TargetKey tpu_keys[] = {
    {"project", "the project's id; default: the environment, then the metadata server"},
    {"zone", "such as us-central2-b; default: the environment, then the metadata server"},
    {"job", "the workers' job; default: worker"},
    {"api", "v2 (default), v1 or v2alpha1"},
    {"coordinator", "adds a job of this name with one task"},
    {"coordinator_address", "that task's address; default: a free port of this machine"},
    {"endpoint", "replaces https://tpu.googleapis.com/"},
    {"discovery_url", "a discovery document that names the API's root"},
};

Result<std::shared_ptr<ClusterResolver>> make_tpu(Runtime runtime, const Target& target) {
  Result<TpuOptions> options = tpu_options(target);
  if (!options) return options.error();
  return std::shared_ptr<ClusterResolver>(make_tpu_resolver(std::move(runtime), std::move(*options)));
}

}  // namespace

extern const TargetScheme tpu_scheme;
constexpr TargetScheme tpu_scheme = {
    .name = "tpu",
    .synopsis = "tpu:[NAME][,zone=Z][,project=P]…",
    .summary = "a Cloud TPU, by name or full resource name; grpc://host,…; local; no name: from the environment",
    .example = "tpu:trainer,zone=us-central2-b",
    .keys = tpu_keys,
    .make = make_tpu,
};

Result<TpuOptions> tpu_options(const Target& target) {
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
      return Failure(Errc::invalid_argument, fmt::format("api={} is not a version of the Cloud TPU API", quoted(*v)))
          .with_hint("it is v1, v2 or v2alpha1");
    }
    options.api_version(*v);
  }
  return options;
}

}  // namespace rollcall
