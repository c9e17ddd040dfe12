#include "resolvers/queued/queued_api.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "google/cloud_place.hpp"
#include "google/wire/resource_id.hpp"

namespace rollcall {
Result<QueuedPlan> plan_queued(const QueuedResourceOptions& options, const Environment& environment) {
  QueuedPlan plan;
  const std::string& name = options.name();
  if (name.empty()) return Failure(Errc::invalid_argument, "no queued resource was named").with_hint("give its name: tpu:qr/NAME");
  if (options.job_name().empty()) return Failure(Errc::invalid_argument, "the job name is empty");
  if (options.api_version() == TpuApiVersion::v1) {
    return Failure(Errc::invalid_argument, fmt::format("queued resource {}: version v1 of the API has none", quoted(name, 80)))
        .with_hint("ask v2 or v2alpha1");
  }
  plan.name = name;
  if (name.find('/') != std::string::npos) {
    std::optional<ResourceName> full = ResourceName::parse(name, "queuedResources");
    if (!full) {
      return Failure(Errc::invalid_argument, fmt::format("{} is not the name of a queued resource", quoted(name, 80)))
          .with_hint("a full name is projects/PROJECT/locations/ZONE/queuedResources/NAME");
    }
    plan.project = std::move(full->project);
    plan.zone = std::move(full->location);
    plan.name = std::move(full->id);
  }
  const Result<void> name_fine = check_id("name of a queued resource", plan.name);
  if (!name_fine) return name_fine.error();
  const Result<void> project_fine = settle_place("project", options.project(), plan.project, {}, project_setting, environment);
  if (!project_fine) return project_fine.error();
  const Result<void> zone_fine = settle_place("zone", options.zone(), plan.zone, {}, zone_setting, environment);
  if (!zone_fine) return zone_fine.error();
  plan.api.api_version(options.api_version()).endpoint(options.endpoint()).discovery_url(options.discovery_url());
  for (const std::string& host : options.token_hosts()) plan.api.allow_token_to(host);
  return plan;
}

}  // namespace rollcall
