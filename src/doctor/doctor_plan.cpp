#include "doctor/doctor_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/tpu/tpu_doctor.hpp"
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

// The service of the target, and the project and zone that it names where nothing else does.
Result<void> plan_service(const Runtime& runtime, const Target& target, DoctorPlan& plan) {
  const TargetScheme* const scheme = find_scheme(target.scheme);
  if (!scheme || !scheme->doctor) return {};
  Result<std::shared_ptr<const DoctorSubject>> subject = scheme->doctor(runtime, target);
  if (!subject) return subject.error();
  plan.subject = std::move(*subject);
  const GoogleSubject* const google = plan.google();
  if (!google) return {};
  if (plan.project.value.empty() && !google->project.empty()) plan.project = PlaceValue(google->project, google->place_from);
  if (plan.zone.value.empty() && !google->zone.empty()) plan.zone = PlaceValue(google->zone, google->place_from);
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
    const Result<void> known = plan_service(runtime, completed(target, plan.options), plan);
    if (!known) return known.error();
  } else {
    plan.subject = doctor_tpu_api(TpuOptions());
    plan.surroundings = make_auto_resolver(runtime, AutoOptions().from(places_without_requests()));
  }
  for (const auto& [what, place] : {std::pair("project", &plan.project), std::pair("zone", &plan.zone)}) {
    const Result<void> fine = check_place(what, *place);
    if (!fine) return fine.error();
  }
  return plan;
}

}  // namespace rollcall
