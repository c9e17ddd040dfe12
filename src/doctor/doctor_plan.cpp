#include "doctor/doctor_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/gce/gce_api.hpp"
#include "resolvers/kubernetes/kubernetes_server.hpp"
#include "resolvers/tpu/tpu_api.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall {
namespace {

// What the target, its full resource name, the options or a variable says.
PlaceValue given_place(const Target& target, std::string_view key, const std::string& option, const CloudSetting& variable) {
  if (const auto own = target.get(key); own && !own->empty()) return PlaceValue(*own, "the target");
  const std::vector<std::string_view> parts = split(target.body, '/');
  const std::size_t at = key == "project" ? 1 : 3;
  if (parts.front() == "projects" && parts.size() > at) return PlaceValue(std::string(parts[at]), "the target");
  if (!option.empty()) return PlaceValue(option, fmt::format("the option {}", key));
  if (!variable.value.empty()) return PlaceValue(variable.value, std::string(variable.variable));
  return PlaceValue();
}

Result<void> check_place(std::string_view what, const PlaceValue& place) {
  return place.value.empty() ? Result<void>() : check_id(what, place.value, place.from);
}

// As the resolver of a union or of the command's --project gets it: what the target leaves out.
Target completed(Target target, const DoctorOptions& options) {
  const TargetScheme* const scheme = find_scheme(target.scheme);
  if (!scheme || target.body.starts_with("projects/")) return target;
  const auto fill = [&](std::string_view key, const std::string& value) {
    const bool is_known = std::any_of(scheme->keys.begin(), scheme->keys.end(), [&](const TargetKey& k) { return k.name == key; });
    if (is_known && !value.empty() && !target.get(key)) target.options.emplace_back(std::string(key), std::vector<std::string>{value});
  };
  fill("project", options.project());
  if (!target.get("region")) fill("zone", options.zone());
  return target;
}

bool is_queued(const Target& target) {
  return target.body.starts_with("qr/") || target.body.find("/queuedResources/") != std::string::npos;
}

// The parts of the plan that only the target's service has.
Result<void> plan_service(const Target& target, const Environment& environment, DoctorPlan& plan) {
  plan.service = DoctorService::none;
  if (target.scheme == "tpu") {
    if (is_queued(target)) {
      plan.tpu.endpoint(target.get("endpoint").value_or("")).discovery_url(target.get("discovery_url").value_or(""));
      plan.service = DoctorService::tpu;
      return {};
    }
    Result<TpuOptions> tpu = tpu_options(target);
    if (!tpu) return tpu.error();
    const Result<TpuPlan> named = plan_tpu(*tpu, environment);
    if (!named) return named.error();
    if (named->kind != TpuKind::api) return {};
    if (plan.project.value.empty() && !named->project.empty()) plan.project = PlaceValue(named->project, "TPU_CONFIG or TPU_NAME");
    if (plan.zone.value.empty() && !named->zone.empty()) plan.zone = PlaceValue(named->zone, "TPU_CONFIG or TPU_NAME");
    plan.tpu = std::move(*tpu);
    plan.service = DoctorService::tpu;
  } else if (target.scheme == "gce") {
    const Result<GceOptions> gce = gce_options(target);
    if (!gce) return gce.error();
    Result<ComputeRoot> root = gce_root(gce->endpoint(), environment);
    if (!root) return root.error();
    plan.compute_root = std::move(*root);
    plan.is_regional = !gce->region().empty();
    plan.service = DoctorService::compute;
  } else if (target.scheme == "kubernetes") {
    Result<KubernetesOptions> options = kubernetes_options(target);
    if (!options) return options.error();
    plan.kubernetes = std::move(*options);
    plan.service = DoctorService::kubernetes;
  }
  return {};
}

}  // namespace

Result<DoctorPlan> plan_doctor(const Runtime& runtime, DoctorOptions options) {
  const Environment& environment = *impl_of(runtime).environment;
  DoctorPlan plan;
  plan.options = std::move(options);
  Target target;
  if (!plan.options.target().empty()) {
    Result<Target> parsed = Target::parse(plan.options.target());
    if (!parsed) return parsed.error();
    target = std::move(*parsed);
  }
  plan.project = given_place(target, "project", plan.options.project(), project_setting(CloudSetting(), environment));
  plan.zone = given_place(target, "zone", plan.options.zone(), zone_setting(CloudSetting(), environment));
  if (!plan.options.target().empty()) {
    Result<std::shared_ptr<ClusterResolver>> made = make_resolver(runtime, completed(target, plan.options).to_text());
    if (!made) return made.error();
    plan.resolver = std::move(*made);
    const Result<void> known = plan_service(completed(target, plan.options), environment, plan);
    if (!known) return known.error();
  }
  for (const auto& [what, place] : {std::pair("project", &plan.project), std::pair("zone", &plan.zone)}) {
    const Result<void> fine = check_place(what, *place);
    if (!fine) return fine.error();
  }
  return plan;
}

}  // namespace rollcall
