#include "resolve/queued_plan.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "resolve/cloud_place.hpp"

namespace rollcall {
namespace {

// `projects/P/locations/Z/queuedResources/N`
bool split_queued_name(std::string_view name, QueuedPlan& plan) {
  constexpr std::string_view keys[] = {"projects/", "/locations/", "/queuedResources/"};
  std::string* const parts[] = {&plan.project, &plan.zone, &plan.name};
  for (int i = 0; i < 3; ++i) {
    if (!name.starts_with(keys[i])) return false;
    name.remove_prefix(keys[i].size());
    const std::size_t end = i == 2 ? name.size() : name.find('/');
    if (end == std::string_view::npos) return false;
    *parts[i] = std::string(name.substr(0, end));
    name.remove_prefix(end);
  }
  return true;
}

}  // namespace

Result<QueuedPlan> plan_queued(const QueuedResourceOptions& options, const Environment& environment) {
  QueuedPlan plan;
  const std::string& name = options.name();
  if (name.empty()) return Failure(Errc::invalid_argument, "no queued resource was named").with_hint("give its name: tpu:qr/NAME");
  if (options.job_name().empty()) return Failure(Errc::invalid_argument, "the job name is empty");
  if (options.api_version() != "v2" && options.api_version() != "v2alpha1") {
    return Failure(Errc::invalid_argument,
                   fmt::format("queued resource {}: the API {} has none", quoted(name, 80), quoted(options.api_version(), 40)))
        .with_hint("it is v2 or v2alpha1");
  }
  plan.name = name;
  if (name.find('/') != std::string::npos && !split_queued_name(name, plan)) {
    return Failure(Errc::invalid_argument, fmt::format("{} is not the name of a queued resource", quoted(name, 80)))
        .with_hint("a full name is projects/PROJECT/locations/ZONE/queuedResources/NAME");
  }
  CloudSetting project(options.project().empty() ? std::move(plan.project) : options.project());
  CloudSetting zone(options.zone().empty() ? std::move(plan.zone) : options.zone());
  project = project_setting(std::move(project), environment);
  zone = zone_setting(std::move(zone), environment);
  const Result<void> name_fine = check_id("name of a queued resource", CloudSetting(plan.name));
  if (!name_fine) return name_fine.error();
  const Result<void> project_fine = project.value.empty() ? Result<void>() : check_id("project", project);
  if (!project_fine) return project_fine.error();
  const Result<void> zone_fine = zone.value.empty() ? Result<void>() : check_id("zone", zone);
  if (!zone_fine) return zone_fine.error();
  plan.project = std::move(project.value);
  plan.zone = std::move(zone.value);
  plan.api.api_version(options.api_version()).endpoint(options.endpoint()).discovery_url(options.discovery_url());
  for (const std::string& host : options.token_hosts()) plan.api.allow_token_to(host);
  return plan;
}

}  // namespace rollcall
