// The callers of the Kubernetes API and their rights, the reviews of these rights, and the kubeconfig for this server.
#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "sim/kubernetes/k8s_api.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/signed_in.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

namespace {

bool is_one_of(const std::vector<std::string>& list, std::string_view wanted) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& one) { return one == "*" || one == wanted; });
}

bool is_allowed(const KubeCaller& caller, std::string_view verb, std::string_view resource, std::string_view namespace_name) {
  if (caller.is_anonymous) return false;
  if (!caller.rules) return true;
  return std::any_of(caller.rules->begin(), caller.rules->end(), [&](const KubeRule& rule) {
    return is_one_of(rule.verbs, verb) && is_one_of(rule.resources, resource) &&
           is_one_of(rule.namespaces, namespace_name.empty() ? std::string_view("*") : namespace_name);
  });
}

constexpr std::string_view access_review = "selfsubjectaccessreviews";
constexpr std::string_view rules_review = "selfsubjectrulesreviews";

std::string_view review_kind(std::string_view collection) {
  if (collection == access_review) return "SelfSubjectAccessReview";
  return collection == rules_review ? "SelfSubjectRulesReview" : "SelfSubjectReview";
}

boost::json::array json_texts(const std::vector<std::string>& texts) { return boost::json::array(texts.begin(), texts.end()); }

// The rules of the file name no API group: they hold in all of them.
boost::json::object rules_in(const KubeCaller& caller, std::string_view namespace_name) {
  const std::vector<std::string> all = {"*"};
  boost::json::array rules;
  const auto add = [&](const std::vector<std::string>& verbs, const std::vector<std::string>& resources) {
    rules.push_back(
        boost::json::object{{"verbs", json_texts(verbs)}, {"apiGroups", json_texts(all)}, {"resources", json_texts(resources)}});
  };
  if (!caller.rules) add(all, all);
  for (const KubeRule& rule : caller.rules ? *caller.rules : std::vector<KubeRule>()) {
    if (is_one_of(rule.namespaces, namespace_name)) add(rule.verbs, rule.resources);
  }
  return {{"resourceRules", std::move(rules)}, {"nonResourceRules", boost::json::array()}, {"incomplete", false}};
}

std::string_view text_at(const boost::json::object& object, std::string_view key) {
  const boost::json::value* const value = object.if_contains(key);
  return value && value->is_string() ? std::string_view(value->get_string()) : std::string_view();
}

const boost::json::object* object_at(const boost::json::object& object, std::string_view key) {
  const boost::json::value* const value = object.if_contains(key);
  return value ? value->if_object() : nullptr;
}

Reply reviewed(boost::json::object review, std::string_view kind, std::string_view api_version, const KubeView& view) {
  Reply reply = kube_object_reply(kube_with_kind(std::move(review), kind, api_version), view);
  reply.status = 201;
  return reply;
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
  if (context.state.revoked_tokens.contains(token)) return std::nullopt;
  for (const IssuedToken& issued : context.state.tokens) {
    if (issued.value == token && (issued.is_revoked || issued.expires_at <= context.now)) return std::nullopt;
  }
  const auto signed_in = read_access_token(context, token);
  if (signed_in && signed_in->is_expired) return std::nullopt;
  if (signed_in) out.name = signed_in->name;
  if (model.users.empty() && signed_in) return out;
  if (model.users.empty()) {
    out.name = fmt::format("system:serviceaccount:{}:default", model.default_namespace);
    return out;
  }
  const auto user = std::find_if(model.users.begin(), model.users.end(), [&](const KubeUser& one) {
    return one.token.empty() ? signed_in && one.name == signed_in->name : one.token == token;
  });
  if (user == model.users.end() && signed_in) {  // authenticated, but without a role
    static const std::vector<KubeRule> none;
    out.rules = &none;
    return out;
  }
  if (user == model.users.end()) return std::nullopt;
  out.name = user->name;
  out.rules = user->rules ? &*user->rules : nullptr;
  return out;
}

std::optional<Reply> kube_refusal(const KubeCaller& caller, const Route& route, const ParsedTarget& target) {
  if (route.name == "kubernetes.version" || route.name == "kubernetes.health") return std::nullopt;
  if (is_review(route)) {  // every authenticated caller may ask for its own rights
    if (!caller.is_anonymous) return std::nullopt;
    const std::string group =
        route.collection == access_review || route.collection == rules_review ? "authorization.k8s.io" : "authentication.k8s.io";
    const std::string message = fmt::format("{}.{} is forbidden: User {} cannot create resource {} in API group {} at the cluster scope",
                                            route.collection, group, go_quoted(caller.name), go_quoted(route.collection), go_quoted(group));
    return kube_error(kube_status(403, "Forbidden", message, kube_details("", route.collection, {}, group)));
  }
  if (route.collection.empty()) {  // not a resource
    // By default all authenticated callers may use discovery, and service accounts their issuer.
    const bool is_discovery = target.path.starts_with("/api") || target.path.starts_with("/openapi") || route.name.starts_with("openid.");
    const bool is_fine = !caller.is_anonymous && (is_discovery || !caller.rules);
    if (is_fine) return std::nullopt;
    return forbidden_path(caller, target.path);
  }
  const std::string& namespace_name = route.collection == "namespaces" ? route.item : route.location;
  if (is_allowed(caller, route.verb, route.collection, namespace_name)) return std::nullopt;
  const std::string resource = route.collection.substr(0, route.collection.find('/'));  // without the subresource
  const std::string_view group = route.collection == "tokenreviews" ? std::string_view("authentication.k8s.io") : route.group;
  const std::string full = group.empty() ? resource : fmt::format("{}.{}", resource, group);
  const std::string subject = route.item.empty() ? full : fmt::format("{} {}", full, go_quoted(route.item));
  const std::string where = namespace_name.empty() ? "at the cluster scope" : fmt::format("in the namespace {}", go_quoted(namespace_name));
  const std::string message = fmt::format("{} is forbidden: User {} cannot {} resource {} in API group {} {}", subject,
                                          go_quoted(caller.name), route.verb, go_quoted(route.collection), go_quoted(group), where);
  return kube_error(kube_status(403, "Forbidden", message, kube_details(route.item, resource, {}, group)));
}

bool is_review(const Route& route) { return route.name.starts_with("selfsubject"); }

Reply kube_review(const KubeCaller& caller, const Request& request, const Route& route, const KubeView& view) {
  const std::string_view kind = review_kind(route.collection);
  const std::string_view type = request.headers.get("Content-Type").value_or("application/json");
  if (!equals_ignoring_case(trim(type.substr(0, type.find(';'))), "application/json")) {
    return kube_error(kube_status(415, "UnsupportedMediaType",
                                  "the body of the request was in an unknown format - accepted media types include: application/json"));
  }
  std::error_code error;
  const bool is_small = request.body.size() <= max_sign_in_question;
  const boost::json::value sent = is_small ? boost::json::parse(request.body, error) : boost::json::value();
  if (error || !sent.is_object()) return kube_bad_request(fmt::format("the object provided is unrecognized (must be of type {})", kind));
  boost::json::object metadata{{"creationTimestamp", nullptr}};
  if (route.collection == rules_review) {
    const boost::json::object* const asked = object_at(sent.get_object(), "spec");
    const std::string_view namespace_name = asked ? text_at(*asked, "namespace") : std::string_view();
    if (namespace_name.empty()) return kube_bad_request("no namespace on request");
    boost::json::object rules = rules_in(caller, namespace_name);
    return reviewed({{"metadata", std::move(metadata)}, {"spec", boost::json::object()}, {"status", std::move(rules)}}, kind,
                    "authorization.k8s.io/v1", view);
  }
  if (route.collection != access_review) {
    boost::json::object user{{"username", caller.name}, {"groups", boost::json::array{"system:authenticated"}}};
    return reviewed({{"metadata", std::move(metadata)}, {"status", boost::json::object{{"userInfo", std::move(user)}}}}, kind,
                    "authentication.k8s.io/v1", view);
  }
  const boost::json::object* const spec = object_at(sent.get_object(), "spec");
  const boost::json::object* const resource = spec ? object_at(*spec, "resourceAttributes") : nullptr;
  const bool has_path = spec && object_at(*spec, "nonResourceAttributes");
  if ((resource != nullptr) == has_path) {
    return kube_error(kube_status(422, "Invalid", "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  }
  const bool is_of_core = resource && text_at(*resource, "group").empty();
  const bool allowed = is_of_core
                           ? is_allowed(caller, text_at(*resource, "verb"), text_at(*resource, "resource"), text_at(*resource, "namespace"))
                           : !caller.rules;
  boost::json::object status{{"allowed", allowed}};
  if (allowed && caller.rules) status["reason"] = "RBAC: allowed by a rule of the simulation file";
  return reviewed({{"metadata", std::move(metadata)}, {"spec", *spec}, {"status", std::move(status)}}, kind, "authorization.k8s.io/v1",
                  view);
}

std::string kubeconfig_text(const KubernetesModel& model, std::string_view server, std::string_view ca_pem) {
  std::vector<KubeUser> users = model.users;
  if (users.empty()) {
    KubeUser default_user;
    default_user.name = "simulated";
    default_user.token = "simulated-token";
    users.push_back(std::move(default_user));
  }
  std::erase_if(users, [](const KubeUser& user) { return user.token.empty(); });  // these users sign in elsewhere
  const auto text = [](std::string_view value) { return boost::json::serialize(value); };  // a JSON string is a YAML string
  std::string out = fmt::format(
      "apiVersion: v1\nkind: Config\nclusters:\n- name: simulated\n  cluster:\n    server: {}\n    certificate-authority-data: "
      "{}\nusers:{}\n",
      text(server), base64_encode(ca_pem), users.empty() ? " []" : "");
  for (const KubeUser& user : users) out += fmt::format("- name: {}\n  user:\n    token: {}\n", text(user.name), text(user.token));
  out += users.empty() ? "contexts: []\n" : "contexts:\n";
  for (const KubeUser& user : users) {
    out += fmt::format("- name: {0}\n  context:\n    cluster: simulated\n    namespace: {1}\n    user: {0}\n", text(user.name),
                       text(model.default_namespace));
  }
  if (!users.empty()) out += fmt::format("current-context: {}\n", text(users.front().name));
  return out;
}

}  // namespace rollcall::sim
