#include "sim/kubernetes/k8s_access.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/kubernetes/k8s_status.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/token.hpp"

namespace rollcall::sim {

namespace {

bool is_one_of(const std::vector<std::string>& list, std::string_view wanted) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& one) { return one == "*" || one == wanted; });
}

bool is_allowed(const KubeCaller& caller, std::string_view verb, std::string_view resource, std::string_view name_space) {
  if (caller.is_anonymous) return false;
  if (!caller.rules) return true;
  return std::any_of(caller.rules->begin(), caller.rules->end(), [&](const KubeRule& rule) {
    return is_one_of(rule.verbs, verb) && is_one_of(rule.resources, resource) &&
           is_one_of(rule.namespaces, name_space.empty() ? std::string_view("*") : name_space);
  });
}

Reply forbidden_path(const KubeCaller& caller, std::string_view path) {
  return kube_error(kube_status(403, "Forbidden",
                                fmt::format("forbidden: User {} cannot get path {}", go_quoted(caller.name), go_quoted(path)),
                                boost::json::object()));
}

}  // namespace

std::optional<KubeCaller> kube_caller(const Context& context, const Request& request) {
  const KubernetesModel& model = *context.model.kubernetes;
  const std::string_view token = bearer_of(request);
  KubeCaller out;
  if (token.empty()) {
    if (!model.allows_anonymous) return std::nullopt;
    out.name = "system:anonymous";
    out.is_anonymous = true;
    return out;
  }
  if (context.state.revoked_kube_tokens.contains(token)) return std::nullopt;
  for (const IssuedToken& issued : context.state.tokens) {
    if (issued.value == token && (issued.is_revoked || issued.expires_at <= context.now)) return std::nullopt;
  }
  if (model.users.empty()) {
    out.name = fmt::format("system:serviceaccount:{}:default", model.default_namespace);
    return out;
  }
  const auto user = std::find_if(model.users.begin(), model.users.end(), [&](const KubeUser& one) { return one.token == token; });
  if (user == model.users.end()) return std::nullopt;
  out.name = user->name;
  out.rules = user->rules ? &*user->rules : nullptr;
  return out;
}

std::optional<Reply> kube_refusal(const KubeCaller& caller, const Route& route, const ParsedTarget& target) {
  if (route.name == "kubernetes.version" || route.name == "kubernetes.health") return std::nullopt;
  if (route.collection.empty()) {  // no resource
    const bool is_discovery = target.path.starts_with("/api") || target.path.starts_with("/openapi");
    const bool is_fine = !caller.is_anonymous && (is_discovery || !caller.rules);
    if (is_fine) return std::nullopt;
    return forbidden_path(caller, target.path);
  }
  const std::string& name_space = route.collection == "namespaces" ? route.item : route.location;
  if (is_allowed(caller, route.verb, route.collection, name_space)) return std::nullopt;
  const std::string subject = route.item.empty() ? route.collection : fmt::format("{} {}", route.collection, go_quoted(route.item));
  const std::string where = name_space.empty() ? "at the cluster scope" : fmt::format("in the namespace {}", go_quoted(name_space));
  const std::string message = fmt::format("{} is forbidden: User {} cannot {} resource {} in API group \"\" {}", subject,
                                          go_quoted(caller.name), route.verb, go_quoted(route.collection), where);
  return kube_error(kube_status(403, "Forbidden", message, kube_details(route.item, route.collection)));
}

std::string kube_token(const KubernetesModel& model) { return model.users.empty() ? "simulated-token" : model.users.front().token; }

}  // namespace rollcall::sim
