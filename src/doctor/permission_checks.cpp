// Which permissions the account lacks. A check that cannot be made is skipped: the service itself will say what it refuses.
#include <fmt/format.h>

#include "async/group.hpp"
#include "base/ip.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/api_client.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "doctor/doctor_checks.hpp"
#include "doctor/wire/permission_answers.hpp"
#include "google/gcloud_way.hpp"
#include "resolvers/gce/rules/compute_service.hpp"
#include "resolvers/kubernetes/kubernetes_server.hpp"
#include "resolvers/kubernetes/rules/kubernetes_service.hpp"
#include "resolvers/tpu/rules/tpu_service.hpp"

namespace rollcall {
namespace {

// What docs/permissions.md says of each target.
constexpr std::string_view tpu_permissions[] = {"tpu.nodes.get", "tpu.nodes.list"};
constexpr std::string_view compute_permissions[] = {"compute.instanceGroups.get", "compute.instanceGroups.list", "compute.instances.get",
                                                    "compute.instances.list"};
constexpr std::string_view pod_verbs[] = {"list", "watch"};  // without the second, pods are listed again and again

DoctorChecks permission_check(CheckOutcome outcome, std::string found, std::string hint = {}) {
  DoctorChecks checks;
  checks.emplace_back("permissions", outcome, std::move(found), std::move(hint));
  return checks;
}

DoctorChecks not_checked(const Failure& failure) {
  return permission_check(CheckOutcome::skipped, "cannot be asked for: " + failure.what());
}

// A token of a set-up of one's own is not sent to Google.
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
  const bool is_tpu = plan->service == DoctorService::tpu;
  const std::span<const std::string_view> wanted =
      is_tpu ? std::span<const std::string_view>(tpu_permissions) : std::span<const std::string_view>(compute_permissions);
  url->target += fmt::format("v1/projects/{}:testIamPermissions", project->value);
  ApiRequest request = cloud_request(is_tpu ? tpu_service : compute_service, std::move(*url), "the test of permissions");
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
      fmt::format(
          "gcloud projects add-iam-policy-binding {} --member=MEMBER --role=roles/{}.viewer, or a role of its own: see docs/permissions.md",
          project->value, is_tpu ? "tpu" : "compute"));
}

asio::awaitable<Result<bool>> may_do(Call& call, const KubernetesServer& server, std::string_view verb, std::string_view namespace_name) {
  Url url = server.root;
  url.target += "apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  ApiRequest request(std::move(url));
  request.service = &kubernetes_service;
  request.what = "the access review";
  request.credentials = server.credentials;
  request.with_token = server.credentials != nullptr;
  request.http.access = server.access;
  request.http.headers = server.headers;
  request.http.headers.add("Accept", "application/json");
  request.http.headers.add("Content-Type", "application/json");
  request.http.method = HttpMethod::post;
  request.http.is_repeatable = true;
  request.http.body = access_question(verb, namespace_name);
  const Result<HttpResponse> answer = co_await api_send(call, request);
  if (!answer) co_return answer.error();
  co_return is_access_allowed(answer->body, parse_limits(impl_of(call)));
}

std::string role_command(const std::string& namespace_name) {
  const std::string rule = "--verb=list,watch --resource=pods";
  if (namespace_name.empty()) {
    return fmt::format(
        "kubectl create clusterrole rollcall {}; kubectl create clusterrolebinding rollcall --clusterrole=rollcall --user=USER; manifests "
        "are in docs/permissions.md",
        rule);
  }
  return fmt::format(
      "kubectl create role rollcall {} --namespace={}; kubectl create rolebinding rollcall --role=rollcall --user=USER --namespace={}; "
      "manifests are in docs/permissions.md",
      rule, namespace_name, namespace_name);
}

asio::awaitable<Result<DoctorChecks>> check_rbac(Call& call, DoctorPlanHandle plan) {
  const Result<KubernetesServer> server = co_await find_kubernetes(call, plan->kubernetes);
  if (!server) co_return server.error();
  Result<std::string> namespace_name = plan->kubernetes.namespace_name();
  if (*namespace_name == ".") namespace_name = server->own_namespace();
  if (!namespace_name) co_return namespace_name.error();
  std::vector<asio::awaitable<Result<bool>>> questions;
  for (const std::string_view verb : pod_verbs) questions.push_back(may_do(call, *server, verb, *namespace_name));
  const Result<std::vector<bool>> allowed = co_await join(std::move(questions));
  if (!allowed) co_return allowed.error();
  std::vector<std::string_view> missing;
  for (std::size_t i = 0; i < std::size(pod_verbs); ++i) {
    if (!(*allowed)[i]) missing.push_back(pod_verbs[i]);
  }
  const std::string where = namespace_name->empty() ? "in all namespaces" : "in namespace " + quoted(*namespace_name, 64);
  if (missing.empty()) co_return permission_check(CheckOutcome::pass, "list, watch pods " + where);
  const bool may_list = missing.front() != pod_verbs[0];
  co_return permission_check(
      may_list ? CheckOutcome::warning : CheckOutcome::fail,
      fmt::format("missing: {} pods {}{}", fmt::join(missing, ", "), where, may_list ? "; they are listed again and again" : ""),
      role_command(*namespace_name));
}

}  // namespace

DoctorAnswer check_permissions(Call& call, DoctorPlanHandle plan) {
  if (plan->service == DoctorService::none) co_return DoctorChecks();
  asio::awaitable<Result<DoctorChecks>> asking =
      plan->service == DoctorService::kubernetes ? check_rbac(call, plan) : check_iam(call, plan);
  Result<DoctorChecks> checks = co_await std::move(asking);
  if (!checks && checks.error().code() == Errc::cancelled) co_return checks.error();
  if (!checks) co_return not_checked(checks.error());
  co_return checks;
}

}  // namespace rollcall
