#include "resolvers/kubernetes/access/kubernetes_rights.hpp"

#include <fmt/format.h>

#include "async/group.hpp"
#include "base/text.hpp"
#include "call/api_client.hpp"
#include "call/parser_sink.hpp"
#include "call/rules/doctor_checks.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/kubernetes/access/kubernetes_request.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"
#include "resolvers/kubernetes/access/wire/access_review.hpp"

namespace rollcall {
namespace {

constexpr std::string_view pod_verbs[] = {"list", "watch"};  // without the second, pods are listed again and again

DoctorChecks pod_permission_check(CheckOutcome outcome, std::string found, std::string hint = {}) {
  DoctorChecks checks;
  checks.emplace_back("permissions", outcome, std::move(found), std::move(hint));
  return checks;
}

ApiRequest review_request(const KubernetesServer& server, std::string_view resource, std::string body) {
  ApiRequest request = kubernetes_request(server, "apis/authorization.k8s.io/v1/" + std::string(resource), "the access review");
  request.http.headers.add("Content-Type", "application/json");
  request.http.method = HttpMethod::post;
  request.http.is_repeatable = true;
  request.http.body = std::move(body);
  return request;
}

asio::awaitable<Result<bool>> may_do(Call& call, const KubernetesServer& server, std::string_view verb, std::string_view namespace_name) {
  ApiRequest request = review_request(server, "selfsubjectaccessreviews", access_question(verb, namespace_name));
  const Result<HttpResponse> answer = co_await api_send(call, request);
  if (!answer) co_return answer.error();
  co_return is_access_allowed(answer->body, parse_limits(impl_of(call)));
}

// A layer of the causes that hold up pods, and the right that opens it.
class CauseRight {
 public:
  std::string_view layer;
  std::string_view verb;
  std::string_view group;  // empty: the core's
  std::string_view resource;
};
constexpr CauseRight cause_rights[] = {
    {"creation, volumes, pulls and probes", "list", "", "events"},
    {"what a waiting pod asks for", "get", "", "pods"},
    {"owners", "get", "batch", "jobs"},
    {"owners", "get", "apps", "statefulsets"},
    {"claims", "get", "", "persistentvolumeclaims"},
    {"quotas", "list", "", "resourcequotas"},
    {"nodes", "get", "", "nodes"},
    {"queues", "list", "kueue.x-k8s.io", "workloads"},
};

// Which causes `rollcall why` cannot see. One answer has all rights.
asio::awaitable<Result<DoctorCheck>> check_causes(Call& call, const KubernetesServer& server, const std::string& namespace_name) {
  if (namespace_name.empty()) co_return skipped_check("causes", "rights are reviewed in one namespace, and none is named");
  ApiRequest request = review_request(server, "selfsubjectrulesreviews", rules_question(namespace_name));
  const Result<HttpResponse> answer = co_await api_send(call, request);
  if (!answer) co_return answer.error();
  const Result<AccessRules> rules = parse_access_rules(answer->body, parse_limits(impl_of(call)));
  if (!rules) co_return rules.error();
  std::string blind;
  std::string_view last;  // the layer named last
  for (const CauseRight& right : cause_rights) {
    if (rules->allows(right.verb, right.group, right.resource)) continue;
    const std::string group = right.group.empty() ? std::string() : fmt::format(".{}", right.group);
    if (right.layer == last) blind.pop_back();  // its parenthesis
    blind += right.layer == last ? ", " : fmt::format("{}{} (", blind.empty() ? "" : ", ", right.layer);
    blind += fmt::format("{} {}{})", right.verb, right.resource, group);
    last = right.layer;
  }
  if (blind.empty()) co_return DoctorCheck("causes", CheckOutcome::pass, "why pods do not start may be read, in every layer");
  const std::string more = rules->is_incomplete ? "; the server does not list all rights" : "";
  co_return DoctorCheck("causes", CheckOutcome::warning, fmt::format("why pods do not start cannot be seen in: {}{}", blind, more),
                        "rollcall why says less then; the manifests are in docs/permissions.md");
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

}  // namespace

asio::awaitable<Result<DoctorChecks>> check_rbac(Call& call, const KubernetesOptions& options) {
  const Result<KubernetesServer> server = co_await find_kubernetes(call, options);
  if (!server) co_return server.error();
  Result<std::string> namespace_name = options.namespace_name();
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
  DoctorChecks checks;
  if (missing.empty()) {
    checks = pod_permission_check(CheckOutcome::pass, "list, watch pods " + where);
  } else {
    const bool may_list = missing.front() != pod_verbs[0];
    checks = pod_permission_check(
        may_list ? CheckOutcome::warning : CheckOutcome::fail,
        fmt::format("missing: {} pods {}{}", fmt::join(missing, ", "), where, may_list ? "; they are listed again and again" : ""),
        role_command(*namespace_name));
  }
  Result<DoctorCheck> causes = co_await check_causes(call, *server, *namespace_name);
  if (!causes && causes.error().code() == Errc::cancelled) co_return causes.error();
  checks.push_back(causes ? std::move(*causes) : skipped_check("causes", causes.error().what()));
  co_return checks;
}

}  // namespace rollcall
