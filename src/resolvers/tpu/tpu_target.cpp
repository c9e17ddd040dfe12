#include "rollcall/tpu_resolver.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "resolvers/target_schemes.hpp"
#include "rollcall/queued_resource.hpp"

namespace rollcall {
namespace {

constexpr std::string_view queued_prefix = "qr/";

constexpr TargetKey tpu_keys[] = {
    {"project", "the project's id; default: the environment, then the metadata server"},
    {"zone", "such as us-central2-b; default: the environment, then the metadata server"},
    {"job", "the workers' job; default: worker"},
    {"slices", "of a queued resource: merged (default: one job) or jobs (worker0, worker1, … one for each slice)"},
    {"api", "v2 (default), v1 or v2alpha1"},
    {"coordinator", "adds a job of this name with one task"},
    {"coordinator_address", "that task's address; default: a free port of this machine"},
    {"endpoint", "replaces https://tpu.googleapis.com/"},
    {"discovery_url", "a discovery document that names the API's root"},
};

bool names_queued_resource(const Target& target) {
  return target.body.starts_with(queued_prefix) || target.body.find("/queuedResources/") != std::string::npos;
}

Result<QueuedResourceOptions> queued_options(const Target& target) {
  std::string name = target.body.starts_with(queued_prefix) ? target.body.substr(queued_prefix.size()) : target.body;
  QueuedResourceOptions options(std::move(name));
  if (const auto v = target.get("project")) options.project(*v);
  if (const auto v = target.get("zone")) options.zone(*v);
  if (const auto v = target.get("job")) options.job_name(*v);
  if (const auto v = target.get("api")) options.api_version(*v);
  if (const auto v = target.get("endpoint")) options.endpoint(*v);
  if (const auto v = target.get("discovery_url")) options.discovery_url(*v);
  static constexpr TargetWord<SliceJobs> words[] = {{"merged", SliceJobs::merged}, {"jobs", SliceJobs::each}};
  const Result<void> slices = word_option(target, "slices", words, options, &QueuedResourceOptions::slices, "is neither merged nor jobs");
  if (!slices) return slices.error();
  for (const std::string_view key : {"coordinator", "coordinator_address"}) {
    if (target.get(key)) return Failure(Errc::invalid_argument, fmt::format("{}= goes with a TPU, not with a queued resource", key));
  }
  return options;
}

Result<std::shared_ptr<ClusterResolver>> make_tpu(Runtime runtime, const Target& target) {
  if (names_queued_resource(target)) {
    Result<QueuedResourceOptions> queued = queued_options(target);
    if (!queued) return queued.error();
    return make_queued_resource_resolver(std::move(runtime), std::move(*queued));
  }
  Result<TpuOptions> options = tpu_options(target);
  if (!options) return options.error();
  return std::shared_ptr<ClusterResolver>(make_tpu_resolver(std::move(runtime), std::move(*options)));
}

}  // namespace

extern const TargetScheme tpu_scheme;
constexpr TargetScheme tpu_scheme = {
    .name = "tpu",
    .synopsis = "tpu:[NAME|qr/NAME][,zone=Z][,project=P]…",
    .summary =
        "a Cloud TPU, by name or full resource name; qr/NAME: a queued resource; grpc://host,…; local; no name: from the environment",
    .example = "tpu:trainer,zone=us-central2-b",
    .keys = tpu_keys,
    .make = make_tpu,
};

Result<TpuOptions> tpu_options(const Target& target) {
  if (names_queued_resource(target)) {
    return Failure(Errc::invalid_argument, fmt::format("{} is a queued resource, which may have many TPUs", quoted(target.body, 80)))
        .with_hint("name one of its TPUs, or ask for its workers: rollcall spec");
  }
  if (target.get("slices")) {
    return Failure(Errc::invalid_argument, "slices= goes with a queued resource").with_hint("did you mean tpu:qr/NAME?");
  }
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
