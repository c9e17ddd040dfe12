// Checks for missing permissions of the account. A check that is not possible is skipped: the service itself reports its refusals.
#include <fmt/format.h>

#include "base/ip.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/api_client.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "doctor/doctor_checks.hpp"
#include "doctor/wire/permission_answers.hpp"
#include "google/gcloud_way.hpp"

namespace rollcall {
namespace {

DoctorChecks permission_check(CheckOutcome outcome, std::string found, std::string hint = {}) {
  DoctorChecks checks;
  checks.emplace_back("permissions", outcome, std::move(found), std::move(hint));
  return checks;
}

DoctorChecks not_checked(const Failure& failure) {
  return permission_check(CheckOutcome::skipped, "cannot be asked for: " + failure.what());
}

// The token for a private endpoint is not sent to Google.
asio::awaitable<Result<Url>> resource_manager(Call& call, const Url& service) {
  constexpr std::string_view variable = "CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER";
  const std::string own = impl_of(call).environment->get(variable).value_or("");
  if (!own.empty()) co_return parse_api_root(variable, own);
  const auto& endpoints = gcloud_way(impl_of(call)).endpoints;
  const auto configured = endpoints.find("cloudresourcemanager");
  if (configured != endpoints.end())
    co_return parse_api_root("api_endpoint_overrides/cloudresourcemanager of gcloud's configuration", configured->second);
  const Result<std::string> universe = co_await find_universe(call);
  if (!universe) co_return universe.error();
  if (is_host_below(service.host, *universe)) co_return Url::parse(fmt::format("https://cloudresourcemanager.{}/", *universe));
  co_return Failure(Errc::failed_precondition, fmt::format("the service is {}, and {} is not set", printable(service.host), variable));
}

asio::awaitable<Result<DoctorChecks>> check_iam(Call& call, DoctorPlanHandle plan) {
  const Result<HttpRequest> service = co_await find_service(call, plan);
  if (!service) co_return service.error();
  Result<Url> url = co_await resource_manager(call, service->url);
  if (!url) co_return url.error();
  Result<PlaceValue> project = plan->project;
  if (project->value.empty()) project = co_await find_project(call);
  if (!project) co_return project.error();
  const GoogleSubject& google = *plan->google();
  const std::span<const std::string_view> wanted = google.permissions;
  url->target += fmt::format("v1/projects/{}:testIamPermissions", project->value);
  ApiRequest request = cloud_request(*google.service, std::move(*url), "the test of permissions");
  request.http.method = HttpMethod::post;
  request.http.is_repeatable = true;
  request.http.headers.add("Content-Type", "application/json");
  request.http.body = iam_question(wanted);
  const Result<HttpResponse> answer = co_await api_send(call, request);
  if (!answer) co_return answer.error();
  const Result<std::vector<std::string_view>> missing = missing_permissions(answer->body, wanted, parse_limits(impl_of(call)));
  if (!missing) co_return missing.error();
  if (missing->empty()) co_return permission_check(CheckOutcome::pass, fmt::format("{}", fmt::join(wanted, ", ")));
  co_return permission_check(
      CheckOutcome::fail, fmt::format("missing in project {}: {}", project->value, fmt::join(*missing, ", ")),
      fmt::format("gcloud projects add-iam-policy-binding {} --member=MEMBER --role={}, or a role of its own: see docs/permissions.md",
                  project->value, google.viewer_role));
}

}  // namespace

DoctorAnswer check_permissions(Call& call, DoctorPlanHandle plan) {
  if (!plan->subject) co_return DoctorChecks();
  asio::awaitable<Result<DoctorChecks>> asking = plan->google() ? check_iam(call, plan) : plan->subject->check_permissions(call);
  Result<DoctorChecks> checks = co_await std::move(asking);
  if (!checks && checks.error().code() == Errc::cancelled) co_return checks.error();
  if (!checks) co_return not_checked(checks.error());
  co_return checks;
}

}  // namespace rollcall
