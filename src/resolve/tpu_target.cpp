#include "resolve/tpu_target.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace rollcall {

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
