#include "resolvers/tpu/tpu_api.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "google/cloud_place.hpp"
#include "google/wire/resource_id.hpp"
#include "resolvers/launchers/wire/tf_config.hpp"

namespace rollcall {
namespace {

constexpr std::string_view no_name_hint = "give a TPU name, or set TPU_NAME, KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS or TPU_CONFIG";
constexpr std::size_t max_name_bytes = 1024;

Failure no_name() { return Failure(Errc::invalid_argument, "no TPU name was given").with_hint(std::string(no_name_hint)); }

bool is_google_internal(std::string_view name) {
  return name.starts_with("localhost:") || name.starts_with("/bns") || name.starts_with("uptc://");
}

// The name, and the other values of TPU_CONFIG. An explicit empty name counts as none; an empty variable does not [facts: tpu-name-order].
Result<CloudSetting> settle_name(const TpuOptions& options, const Environment& environment, TpuPlan& plan) {
  if (const std::optional<std::vector<std::string>>& names = options.names()) {
    if (names->empty()) return Failure(Errc::invalid_argument, "the list of TPU names is empty").with_hint(std::string(no_name_hint));
    if (names->size() == 1) return CloudSetting(names->front());
    return Failure(Errc::unimplemented, fmt::format("one resolver serves one TPU, and {} were given", names->size()))
        .with_hint("make one resolver for each and a union of them");
  }
  if (!options.name().empty()) return CloudSetting(options.name());
  for (const std::string_view variable : {"KUBE_GOOGLE_CLOUD_TPU_ENDPOINTS", "TPU_NAME"}) {
    std::optional<std::string> value = environment.get(variable);
    if (value) return CloudSetting(std::move(*value), variable);
  }
  const std::optional<std::string> config_text = environment.get("TPU_CONFIG");
  if (!config_text || config_text->empty()) return CloudSetting();
  Result<TpuConfig> config = TpuConfig::parse(*config_text);
  if (!config) return config.error();
  plan.project = config->project.value_or("");
  plan.zone = config->zone.value_or("");
  return CloudSetting(std::move(config->tpu_node_name), "TPU_CONFIG");
}

}  // namespace

Result<TpuPlan> plan_tpu(const TpuOptions& options, const Environment& environment) {
  TpuPlan plan;
  Result<CloudSetting> name = settle_name(options, environment, plan);
  if (!name) return name.error();
  if (name->value.empty()) return with_origin(name->variable, no_name());
  plan.name = std::move(name->value);
  if (options.job_name().empty()) return Failure(Errc::invalid_argument, "the job name is empty");
  if (!options.coordinator_name().empty() && options.coordinator_name() == options.job_name()) {
    return Failure(Errc::invalid_argument,
                   fmt::format("the coordinator and the workers cannot both be job {}", quoted(options.job_name())));
  }
  if (plan.name == "local") {
    plan.kind = TpuKind::local;
    return plan;
  }
  if (const std::string_view addresses = trim(plan.name); addresses.starts_with("grpc://")) {  // in lower case; otherwise it is a name
    plan.name = std::string(addresses);
    plan.kind = TpuKind::workers;
    Result<std::vector<Endpoint>> workers = parse_endpoint_list(plan.name);
    if (!workers) return with_origin(name->variable, workers.error());
    plan.workers = std::move(*workers);
    return plan;
  }
  if (plan.name.size() > max_name_bytes) {
    return with_origin(name->variable,
                       Failure(Errc::invalid_argument, fmt::format("a TPU name of {} bytes is too long", plan.name.size())));
  }
  if (is_google_internal(plan.name)) {
    plan.kind = TpuKind::google;
    return plan;
  }
  plan.node_id = plan.name;
  if (plan.name.find('/') != std::string::npos) {
    std::optional<ResourceName> full = ResourceName::parse(plan.name, "nodes");
    if (!full) {
      return with_origin(name->variable,
                         Failure(Errc::invalid_argument, fmt::format("{} is not a TPU name", quoted(plan.name, 80)))
                             .with_hint("a full name is projects/PROJECT/locations/ZONE/nodes/NAME; addresses need grpc:// in front"));
    }
    plan.project = std::move(full->project);
    plan.zone = std::move(full->location);
    plan.node_id = std::move(full->id);
  }
  const Result<void> node_fine = check_id("TPU name", plan.node_id, name->variable);
  if (!node_fine) return node_fine.error();
  const Result<void> project_fine = settle_place("project", options.project(), plan.project, name->variable, project_setting, environment);
  if (!project_fine) return project_fine.error();
  const Result<void> zone_fine = settle_place("zone", options.zone(), plan.zone, name->variable, zone_setting, environment);
  if (!zone_fine) return zone_fine.error();
  return plan;
}

}  // namespace rollcall
